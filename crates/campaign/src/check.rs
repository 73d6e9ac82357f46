//! The oracle: every value a run computed must be what its expression gives for the run's input.

use crate::executor::Execution;
use cairn_expr::{Dag, Evaluator, ExprId};

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
            if expression != program {
                self.mismatches += 1;
                let mismatch = Mismatch { execution: number, value, program, expression };
                self.first.get_or_insert(mismatch);
            }
        }
    }
}
