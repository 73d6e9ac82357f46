//! Indirect calls that runs have made.

use cairn_exec::Callee;
use cairn_program::{FunctionId, Program};
use std::collections::BTreeSet;

/// Set of indirect calls that runs have made: type of the call and function.
#[derive(Default)]
pub(super) struct SeenCallees {
    seen: BTreeSet<(u64, FunctionId)>,
}

impl SeenCallees {
    /// Adds the calls of a run and returns the new ones. Addresses at which no function of the program begins
    /// are left out.
    pub(super) fn new_callees(&mut self, program: &Program, callees: &[Callee]) -> Vec<(u64, FunctionId)> {
        let function = |callee: &Callee| Some((callee.type_hash, program.function_at(callee.offset)?));
        callees.iter().filter_map(function).filter(|call| self.seen.insert(*call)).collect()
    }
}
