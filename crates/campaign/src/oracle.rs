//! The oracle: every value a run computed must be what its expression gives for the run's input.

use crate::executor::Execution;
use cairn_expr::{BinOp, Conversion, Dag, Evaluator, ExprId, Node};

/// A value that the program and its expression disagree on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// Which execution it was, counted from 1.
    pub execution: u64,
    /// The expression.
    pub value: ExprId,
    /// What the program computed.
    pub program: u64,
    /// What the expression gives.
    pub expression: u64,
}

/// Compares runs with their expressions.
#[derive(Default)]
pub(crate) struct Oracle {
    evaluator: Evaluator,
    /// Values compared.
    pub checked: u64,
    /// Values that differ.
    pub mismatches: u64,
    /// The first of them.
    pub first: Option<Mismatch>,
}

impl Oracle {
    /// Compares all that a run recorded.
    pub fn compare(&mut self, dag: &Dag, execution: &Execution, number: u64) {
        self.evaluator.begin();
        let steps = execution.trace.steps.iter().map(|step| (step.value, step.concrete));
        for (value, program) in execution.trace.checks.iter().copied().chain(steps) {
            let full = self.evaluator.value(dag, value, &execution.run.input);
            // A run records the low 64 bits.
            let expression = full as u64;
            self.checked += 1;
            let agree = expression == program || both_no_number(dag, value, expression, program);
            if !agree {
                self.mismatches += 1;
                let mismatch = Mismatch { execution: number, value, program, expression };
                self.first.get_or_insert(mismatch);
            }
        }
    }
}

/// Whether both are a float that is not a number: compilers may exchange operands, and which of two passes through
/// is then another one.
fn both_no_number(dag: &Dag, value: ExprId, a: u64, b: u64) -> bool {
    let is_number = |bits: u64| match dag.width(value) {
        32 => !f32::from_bits(bits as u32).is_nan(),
        _ => !f64::from_bits(bits).is_nan(),
    };
    is_float(dag, value) && !is_number(a) && !is_number(b)
}

/// Whether a value was computed as a float; signs are changed by operations on bits.
fn is_float(dag: &Dag, value: ExprId) -> bool {
    match dag.node(value) {
        Node::Float(..) | Node::Math(_) | Node::Convert(Conversion::FloatToFloat, _) => true,
        Node::Binary(BinOp::And | BinOp::Or | BinOp::Xor, a, _) => is_float(dag, a),
        Node::Ite(_, a, b) => is_float(dag, a) || is_float(dag, b),
        _ => false,
    }
}
