//! An estimate of the time Z3 needs to bit-blast a query, in which nothing can interrupt it.
//!
//! A product of two words is thousands of gates, a quotient of doubles hundreds of thousands, and Z3 checks
//! no clock before it has them all: eight such quotients took 14 seconds of a limit of one, and 2 GiB.
//! Queries whose estimate exceeds their limit are refused. Times per operation were measured with Z3 5.4.

use cairn_expr::{BinOp, Dag, ExprId, FloatOp, Math, Node};
use std::time::Duration;

/// Measured for 64-bit operands that are not constant, in microseconds.
mod micros {
    pub const PRODUCT: u64 = 70_000;
    pub const QUOTIENT: u64 = 60_000;
    pub const FLOAT_SUM: u64 = 20_000;
    pub const FLOAT_PRODUCT: u64 = 85_000;
    pub const FLOAT_QUOTIENT: u64 = 450_000;
    pub const FLOAT_ROOT: u64 = 1_800_000;
    pub const FUSED: u64 = 140_000;
}

/// Returns the estimated time to bit-blast the constraints.
pub(super) fn time(dag: &Dag, constraints: &[ExprId]) -> Duration {
    let nodes = dag.reachable(constraints);
    Duration::from_micros(nodes.into_iter().map(|e| time_of(dag, e)).sum())
}

/// Returns the estimate for one node, in microseconds: gates grow with the square of the width.
fn time_of(dag: &Dag, e: ExprId) -> u64 {
    let full = match dag.node(e) {
        Node::Binary(op, a, b) => binary(dag, op, a, b),
        Node::Float(FloatOp::Add | FloatOp::Sub, ..) => micros::FLOAT_SUM,
        Node::Float(FloatOp::Mul, ..) => micros::FLOAT_PRODUCT,
        Node::Float(FloatOp::Div | FloatOp::Rem, ..) => micros::FLOAT_QUOTIENT,
        Node::Math(Math::Sqrt) => micros::FLOAT_ROOT,
        Node::Math(Math::Fma) => micros::FUSED,
        _ => 0,
    };
    let width = u64::from(dag.width(e));
    full * width * width / (64 * 64)
}

/// Returns the estimate for a 64-bit operation: a constant operand halves the gates, a power of two needs
/// none.
fn binary(dag: &Dag, op: BinOp, a: ExprId, b: ExprId) -> u64 {
    let full = match op {
        BinOp::Mul => micros::PRODUCT,
        BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem => micros::QUOTIENT,
        _ => return 0,
    };
    match dag.as_constant(a).or(dag.as_constant(b)) {
        Some(constant) if constant.is_power_of_two() => 0,
        Some(_) => full / 2,
        None => full,
    }
}
