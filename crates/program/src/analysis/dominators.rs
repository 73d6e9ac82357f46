//! Dominance between branches: those that a run must have taken before another one.

use super::call_graph::CallGraph;
use super::dominator_tree::DominatorTree;
use super::flow::Flow;
use crate::model::{BranchId, Call, Program};

/// Dominance between branches over the whole program: along calls, but not back out of callees.
///
/// A run may begin in `main`, in a function whose address is taken, and in one that no other function calls
/// by name.
#[derive(Clone, Debug)]
pub struct Dominators {
    tree: DominatorTree,
}

impl Dominators {
    /// Computes dominance in near-linear time.
    pub fn new(program: &Program, calls: &CallGraph) -> Dominators {
        let mut flow = Flow::new(program, calls);
        let root = flow.add_node();
        let called = called_by_others(program);
        for (id, function) in program.functions() {
            let begins = function.address_taken || &*function.name == "main" || !called[id.0 as usize];
            if let Some(entry) = flow.entry(program, id).filter(|_| begins) {
                flow.add_edge(root, entry);
            }
        }
        Dominators { tree: DominatorTree::new(&flow.graph(), root) }
    }

    /// True if every path that takes `b` has taken `a`, or is `a`. An unreachable branch is dominated by
    /// itself only. Constant time.
    pub fn dominates(&self, a: BranchId, b: BranchId) -> bool {
        self.tree.dominates(a.0, b.0)
    }
}

/// Returns, by function, true if another one calls it by name.
fn called_by_others(program: &Program) -> Vec<bool> {
    let mut called = vec![false; program.functions().count()];
    for block in program.blocks() {
        for call in &block.calls {
            if let Call::Internal(callee) = call {
                called[callee.0 as usize] |= *callee != block.function;
            }
        }
    }
    called
}
