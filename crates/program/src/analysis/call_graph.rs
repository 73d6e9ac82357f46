//! Whom a call may reach.

use crate::model::{Call, FunctionId, Program};

/// The functions every call may reach: by name, or through a pointer. A pointer may lead to all functions whose address
/// is taken somewhere and whose type is the call's, and to those that runs have been seen to reach.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallGraph {
    /// Per type of an indirect call its targets, both sorted.
    pointers: Vec<(u64, Vec<FunctionId>)>,
}

impl CallGraph {
    /// What can be known without running the program.
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

    /// The functions of the program that a call may reach, in id order.
    pub fn targets<'a>(&'a self, call: &'a Call) -> &'a [FunctionId] {
        match call {
            Call::Internal(callee) => std::slice::from_ref(callee),
            Call::External(_) => &[],
            Call::Indirect(hash) => self.find(*hash).map_or(&[], |at| &self.pointers[at].1),
        }
    }

    /// A run has reached a function through a pointer to functions of this type. True if that is news: analyses made from
    /// this graph should then be made again.
    pub fn observe(&mut self, type_hash: u64, callee: FunctionId) -> bool {
        let at = self.find(type_hash).unwrap_or_else(|at| {
            self.pointers.insert(at, (type_hash, Vec::new()));
            at
        });
        let targets = &mut self.pointers[at].1;
        let place = targets.binary_search(&callee);
        if let Err(place) = place {
            targets.insert(place, callee);
        }
        place.is_err()
    }

    /// The types of indirect calls and their targets.
    pub(crate) fn pointers(&self) -> &[(u64, Vec<FunctionId>)] {
        &self.pointers
    }

    /// Place of a type in [`CallGraph::pointers`], or where it would be.
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
