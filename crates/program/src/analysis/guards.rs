//! Guards: the branches that lead to a block.

use super::blocks::PostDominators;
use super::call_graph::CallGraph;
use super::control_dependence::dependents;
use super::graph::Graph;
use crate::model::{BlockId, BranchId, Program};
use cairn_wire::SiteKind;
use std::collections::{HashSet, VecDeque};

/// The branches after which blocks are certain to be executed, and the calls of functions.
#[derive(Clone, Debug)]
pub struct Guards {
    /// By block: branches that it is control dependent on.
    guards: Graph,
    /// By function: blocks that call it.
    callers: Graph,
    /// By branch: the block that decides about it; none for a byte that belongs to no site.
    deciding: Vec<Option<BlockId>>,
    /// By block: its function.
    functions: Vec<u32>,
    /// By block: true if it is executed whenever its function is.
    unconditional: Vec<bool>,
}

impl Guards {
    /// Computes the branches that each block is control dependent on.
    pub fn new(program: &Program, calls: &CallGraph) -> Guards {
        let after = PostDominators::new(program);
        let mut guards = Vec::new();
        for (_, site) in program.sites().filter(|(_, site)| site.kind != SiteKind::Select) {
            for (branch, side) in site.branches().zip(&site.sides) {
                let dependents = dependents(&after, site.block, side.successor);
                guards.extend(dependents.map(|block| (block.0, branch.0)));
            }
        }
        let mut callers = Vec::new();
        for (block, id) in program.blocks().zip(0..) {
            let targets = block.calls.iter().flat_map(|call| calls.targets(call));
            callers.extend(targets.map(|callee| (callee.0, id)));
        }
        let entry = |function| BlockId(program.function(function).blocks.start);
        let blocks = program.blocks().zip((0..).map(BlockId));
        let branches = (0..program.branch_count()).map(BranchId);
        let deciding = |branch| program.site_of(branch).map(|(site, _)| program.site(site).block);
        Guards {
            deciding: branches.map(deciding).collect(),
            functions: program.blocks().map(|block| block.function.0).collect(),
            guards: Graph::new(program.block_count(), &guards),
            callers: Graph::new(program.functions().count() as u32, &callers),
            unconditional: blocks
                .map(|(block, id)| after.post_dominates(id, entry(block.function)))
                .collect(),
        }
    }

    /// Returns branches that lead to a block, the nearest first, at most `limit`: each with the number of
    /// branches that must be taken after it.
    pub fn towards(&self, block: BlockId, limit: usize) -> Vec<(BranchId, u32)> {
        let mut found = Vec::new();
        let (mut blocks, mut branches) = (HashSet::from([block]), HashSet::new());
        let mut queue = VecDeque::from([(block, 0)]);
        while let Some((block, left)) = queue.pop_front() {
            for branch in self.guards.successors(block.0).iter().map(|branch| BranchId(*branch)) {
                if !branches.insert(branch) {
                    continue;
                }
                if found.len() == limit {
                    return found;
                }
                found.push((branch, left));
                let deciding = self.deciding[branch.0 as usize].filter(|deciding| blocks.insert(*deciding));
                queue.extend(deciding.map(|deciding| (deciding, left + 1)));
            }
            if self.unconditional[block.0 as usize] {
                let callers = self.callers.successors(self.functions[block.0 as usize]);
                let callers = callers.iter().map(|caller| BlockId(*caller));
                // Entering a function is no decision: its callers come before all that is further away.
                let entered = callers.filter(|caller| blocks.insert(*caller));
                entered.for_each(|caller| queue.push_front((caller, left)));
            }
        }
        found
    }
}
