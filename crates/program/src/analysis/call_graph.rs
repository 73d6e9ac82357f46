//! The call graph.

use crate::model::{Call, FunctionId, Program};

/// The possible callees of every call: by name, or through a pointer. A pointer may lead to all functions
/// whose address is taken somewhere and whose type is that of the call, and to those that runs have reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallGraph {
    /// By type of an indirect call: its targets, both sorted.
    pointers: Vec<(u64, Vec<FunctionId>)>,
}

impl CallGraph {
    /// Computes the statically known call graph.
    pub fn new(program: &Program) -> CallGraph {
        let mut types: Vec<u64> = program.calls().filter_map(type_of).collect();
        types.sort_unstable();
        types.dedup();
        let mut graph = CallGraph { pointers: types.into_iter().map(|hash| (hash, Vec::new())).collect() };
        for (id, function) in program.functions().filter(|(_, function)| function.address_taken) {
            if let Ok(at) = graph.find(function.type_hash) {
                graph.pointers[at].1.push(id);
            }
        }
        graph
    }

    /// Returns the functions of the program that a call may reach, in id order.
    pub fn targets<'a>(&'a self, call: &'a Call) -> &'a [FunctionId] {
        match call {
            Call::Internal(callee) => std::slice::from_ref(callee),
            Call::External(_) => &[],
            Call::Indirect(hash) => self.find(*hash).map_or(&[], |at| &self.pointers[at].1),
        }
    }

    /// Adds a callee that a run reached through a pointer to functions of this type; true if it is new, and
    /// analyses computed from this graph are outdated.
    pub fn observe(&mut self, type_hash: u64, callee: FunctionId) -> bool {
        let at = self.find(type_hash).unwrap_or_else(|at| {
            self.pointers.insert(at, (type_hash, Vec::new()));
            at
        });
        let targets = &mut self.pointers[at].1;
        let index = targets.binary_search(&callee);
        if let Err(index) = index {
            targets.insert(index, callee);
        }
        index.is_err()
    }

    /// Returns the types of indirect calls and their targets.
    pub(crate) fn pointers(&self) -> &[(u64, Vec<FunctionId>)] {
        &self.pointers
    }

    /// Returns the index of a type in [`CallGraph::pointers`], or the index to insert it at.
    pub(crate) fn find(&self, type_hash: u64) -> Result<usize, usize> {
        self.pointers.binary_search_by_key(&type_hash, |(hash, _)| *hash)
    }
}

fn type_of(call: &Call) -> Option<u64> {
    match call {
        Call::Indirect(hash) => Some(*hash),
        Call::Internal(_) | Call::External(_) => None,
    }
}
