//! The next decisions after a branch, and the functions called on the way there.
//!
//! Calls through pointers are left out: they would lead nearly everywhere.

use crate::model::{BlockId, BranchId, Call, FunctionId, Program};

/// The steps from branch to branch.
#[derive(Clone, Debug)]
pub struct Steps {
    next: Vec<Vec<BranchId>>,
    calls: Vec<Vec<FunctionId>>,
}

impl Steps {
    /// Computes the steps in time linear in the program, and for each branch in the code up to the next ones.
    pub fn new(program: &Program) -> Steps {
        let branches = program.branch_count() as usize;
        let mut steps = Steps { next: vec![Vec::new(); branches], calls: vec![Vec::new(); branches] };
        let mut traversal = StepTraversal::new(program);
        for (_, site) in program.sites() {
            for (branch, side) in site.branches().zip(&site.sides) {
                let (next, calls) = traversal.from(side.successor);
                steps.next[branch.0 as usize] = next;
                steps.calls[branch.0 as usize] = calls;
            }
        }
        steps
    }

    /// Returns the branches that may come next: those of the decision behind a branch, and the first ones of
    /// functions called before it.
    pub fn next(&self, branch: BranchId) -> &[BranchId] {
        &self.next[branch.0 as usize]
    }

    /// Returns the functions called before a next branch of the same function, in id order.
    pub fn calls(&self, branch: BranchId) -> &[FunctionId] {
        &self.calls[branch.0 as usize]
    }
}

/// A traversal of the blocks before the next decisions.
struct StepTraversal<'a> {
    program: &'a Program,
    /// By block: the last round in which it was visited.
    visited: Vec<u32>,
    round: u32,
}

impl<'a> StepTraversal<'a> {
    fn new(program: &'a Program) -> StepTraversal<'a> {
        StepTraversal { program, visited: vec![0; program.block_count() as usize], round: 0 }
    }

    fn from(&mut self, start: BlockId) -> (Vec<BranchId>, Vec<FunctionId>) {
        self.round += 1;
        let (mut next, mut calls) = (Vec::new(), Vec::new());
        let own = self.program.block(start).function;
        let mut worklist = vec![start];
        while let Some(id) = worklist.pop() {
            if std::mem::replace(&mut self.visited[id.0 as usize], self.round) == self.round {
                continue;
            }
            let block = self.program.block(id);
            for callee in block.calls.iter().filter_map(by_name) {
                let entry = self.program.function(callee).blocks.clone().next();
                worklist.extend(entry.map(BlockId));
                calls.extend((block.function == own).then_some(callee));
            }
            match block.site {
                Some(site) => next.extend(self.program.site(site).branches()),
                None => worklist.extend(&block.successors),
            }
        }
        calls.sort_unstable();
        calls.dedup();
        (next, calls)
    }
}

fn by_name(call: &Call) -> Option<FunctionId> {
    match call {
        Call::Internal(callee) => Some(*callee),
        Call::External(_) | Call::Indirect(_) => None,
    }
}
