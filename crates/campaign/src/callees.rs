//! Where calls through pointers were seen to lead.

use cairn_exec::Callee;
use cairn_program::{FunctionId, Program};
use std::collections::BTreeSet;

/// Calls that runs have made.
#[derive(Default)]
pub(crate) struct Callees {
    seen: BTreeSet<(u64, FunctionId)>,
}

impl Callees {
    /// Those of a run's calls that are new, by the type in the call and the function. A place where no function of the
    /// program begins is left out.
    pub(crate) fn new_ones(&mut self, program: &Program, callees: &[Callee]) -> Vec<(u64, FunctionId)> {
        let function = |callee: &Callee| Some((callee.type_hash, program.function_at(callee.offset)?));
        callees.iter().filter_map(function).filter(|call| self.seen.insert(*call)).collect()
    }
}
