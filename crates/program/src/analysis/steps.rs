//! What lies one step behind a branch: the decisions that may come next, and the functions called on the way there.
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
    /// Takes time proportional to the program, and for each branch to the code up to the next ones.
    pub fn new(program: &Program) -> Steps {
        let branches = program.branch_count() as usize;
        let mut steps = Steps { next: vec![Vec::new(); branches], calls: vec![Vec::new(); branches] };
        let mut walk = Walk::new(program);
        for (_, site) in program.sites() {
            for (branch, side) in site.branches().zip(&site.sides) {
                let (next, calls) = walk.from(side.successor);
                steps.next[branch.0 as usize] = next;
                steps.calls[branch.0 as usize] = calls;
            }
        }
        steps
    }

    /// The branches that may come next: those of the decision behind a branch, and the first ones of functions called
    /// before it.
    pub fn next(&self, branch: BranchId) -> &[BranchId] {
        &self.next[branch.0 as usize]
    }

    /// The functions called before a next branch of the same function, in id order.
    pub fn calls(&self, branch: BranchId) -> &[FunctionId] {
        &self.calls[branch.0 as usize]
    }
}

/// A walk over the blocks that come before the next decisions.
struct Walk<'a> {
    program: &'a Program,
    /// The last round in which each block was met.
    met: Vec<u32>,
    round: u32,
}

impl<'a> Walk<'a> {
    fn new(program: &'a Program) -> Walk<'a> {
        Walk { program, met: vec![0; program.block_count() as usize], round: 0 }
    }

    fn from(&mut self, start: BlockId) -> (Vec<BranchId>, Vec<FunctionId>) {
        self.round += 1;
        let (mut next, mut calls) = (Vec::new(), Vec::new());
        let own = self.program.block(start).function;
        let mut open = vec![start];
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut self.met[id.0 as usize], self.round) == self.round {
                continue;
            }
            let block = self.program.block(id);
            for callee in block.calls.iter().filter_map(by_name) {
                let entry = self.program.function(callee).blocks.clone().next();
                open.extend(entry.map(BlockId));
                calls.extend((block.function == own).then_some(callee));
            }
            match block.site {
                Some(site) => next.extend(self.program.site(site).branches()),
                None => open.extend(&block.successors),
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
