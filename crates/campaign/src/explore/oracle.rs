//! The oracle: checks that every labelled value equals its expression, evaluated on the run's input.

use crate::execution::executor::Execution;
use crate::observe::notes::Mismatch;
use cairn_expr::{BinOp, Conversion, Dag, Evaluator, ExprId, Node};

/// Compares the values of runs with their expressions.
#[derive(Default)]
pub(super) struct Oracle {
    evaluator: Evaluator,
    /// Number of compared values.
    pub checked: u64,
    /// Number of values that differ.
    pub mismatches: u64,
    /// First value that differs.
    pub first: Option<Mismatch>,
}

impl Oracle {
    /// Compares all values that a run has recorded.
    pub fn compare(&mut self, dag: &Dag, execution: &Execution, number: u64) {
        self.evaluator.begin();
        let steps = execution.trace.steps.iter().map(|step| (step.value, step.concrete));
        for (value, program) in execution.trace.checks.iter().copied().chain(steps) {
            let full = self.evaluator.value(dag, value, &execution.run.input);
            // The trace holds the low 64 bits.
            let expression = full as u64;
            self.checked += 1;
            let agree = expression == program || both_nan(dag, value, expression, program);
            if !agree {
                self.mismatches += 1;
                let mismatch = Mismatch { execution: number, value, program, expression };
                self.first.get_or_insert(mismatch);
            }
        }
    }
}

/// True if both are NaNs: compilers may exchange operands, and the payload of another operand is then
/// propagated.
fn both_nan(dag: &Dag, value: ExprId, a: u64, b: u64) -> bool {
    let is_nan = |bits: u64| match dag.width(value) {
        32 => f32::from_bits(bits as u32).is_nan(),
        _ => f64::from_bits(bits).is_nan(),
    };
    is_float(dag, value) && is_nan(a) && is_nan(b)
}

/// True if a value was computed as a float; bit operations change its sign.
fn is_float(dag: &Dag, value: ExprId) -> bool {
    match dag.node(value) {
        Node::Float(..) | Node::Math(_) | Node::Convert(Conversion::FloatToFloat, _) => true,
        Node::Binary(BinOp::And | BinOp::Or | BinOp::Xor, a, _) => is_float(dag, a),
        Node::Ite(_, a, b) => is_float(dag, a) || is_float(dag, b),
        _ => false,
    }
}
