//! The flips of a path, grouped by the branch they would take.

use crate::rng::Rng;
use cairn_program::{BranchId, Program};
use cairn_tree::{Flip, FlipState, Tree};

const NONE: u32 = u32::MAX;

/// True if a flip is untried, or has been taken and is not to be forced once only.
pub(super) fn may_force(tree: &Tree, flip: Flip, is_once: bool) -> bool {
    match tree.state(flip) {
        FlipState::Untried => true,
        FlipState::Sat => !is_once,
        _ => false,
    }
}

/// Groups of flips. Paths are long and change often: adding a flip takes two lookups, and memory is reused.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    /// By branch: its group, or [`NONE`].
    group: Vec<u32>,
    /// Branches that have a group.
    branches: Vec<BranchId>,
    /// Flips by group; there may be more lists than groups.
    flips: Vec<Vec<Flip>>,
}

impl Groups {
    pub fn new(program: &Program) -> Groups {
        Groups { group: vec![NONE; program.branch_count() as usize], branches: Vec::new(), flips: Vec::new() }
    }

    pub fn clear(&mut self) {
        for (branch, flips) in self.branches.drain(..).zip(&mut self.flips) {
            self.group[branch.0 as usize] = NONE;
            flips.clear();
        }
    }

    pub fn add(&mut self, branch: BranchId, flip: Flip) {
        let group = &mut self.group[branch.0 as usize];
        if *group == NONE {
            *group = self.branches.len() as u32;
            self.branches.push(branch);
            self.flips.resize_with(self.flips.len().max(self.branches.len()), Vec::new);
        }
        self.flips[*group as usize].push(flip);
    }

    /// Returns the branches that have flips.
    pub fn branches(&self) -> impl Iterator<Item = BranchId> + '_ {
        self.branches.iter().copied()
    }

    /// Removes and returns a random flip of a branch; `None` if none is left.
    pub fn draw(&mut self, branch: BranchId, rng: &mut Rng) -> Option<Flip> {
        let flips = self.flips.get_mut(self.group[branch.0 as usize] as usize)?;
        (!flips.is_empty()).then(|| flips.swap_remove(rng.below(flips.len())))
    }
}
