//! Flips to uncovered branches, by branch; faults that no run has shown are among them.

use crate::rng::Rng;
use crate::traits::RunView;
use cairn_program::{BranchId, Program};
use cairn_tree::{Flip, FlipState, Tree};
use std::collections::BTreeMap;

/// The flips that would certainly cover something new of user code, if they can be taken; eight bytes each.
#[derive(Clone, Debug)]
pub(crate) struct UncoveredFlips {
    covered: Vec<bool>,
    /// Flips by branch; some may have been tried since they were added.
    flips: BTreeMap<BranchId, Vec<Flip>>,
}

impl UncoveredFlips {
    /// Creates the list of a program that has not run.
    pub fn new(program: &Program) -> UncoveredFlips {
        let is_wanted = |branch| program.is_counted(branch) || program.is_fault(branch);
        UncoveredFlips {
            covered: (0..program.branch_count()).map(|branch| !is_wanted(BranchId(branch))).collect(),
            flips: BTreeMap::new(),
        }
    }

    /// Removes the branches that a run has covered.
    pub fn cover(&mut self, run: &RunView) {
        // Faults do not count as branches.
        let taken = run.flip.filter(|_| run.predicted).and_then(|flip| run.tree.branch(flip));
        for branch in run.new_branches.iter().chain(&taken) {
            self.covered[branch.0 as usize] = true;
            self.flips.remove(branch);
        }
    }

    /// Adds a flip if its branch is uncovered, and returns that branch.
    pub fn add(&mut self, tree: &Tree, flip: Flip) -> Option<BranchId> {
        let branch = tree.branch(flip).filter(|branch| !self.covered[branch.0 as usize])?;
        self.flips.entry(branch).or_default().push(flip);
        Some(branch)
    }

    /// Returns the number of flips of a branch, including tried ones.
    pub fn count(&self, branch: BranchId) -> usize {
        self.flips.get(&branch).map_or(0, Vec::len)
    }

    /// Returns the branches that have flips.
    pub fn branches(&self) -> impl Iterator<Item = BranchId> + '_ {
        self.flips.iter().filter(|(_, flips)| !flips.is_empty()).map(|(branch, _)| *branch)
    }

    /// Removes and returns a random untried flip of a branch; `None` if none is left.
    pub fn draw(&mut self, tree: &Tree, branch: BranchId, rng: &mut Rng) -> Option<Flip> {
        let flips = self.flips.get_mut(&branch)?;
        while !flips.is_empty() {
            let flip = flips.swap_remove(rng.below(flips.len()));
            if tree.state(flip) == FlipState::Untried {
                return Some(flip);
            }
        }
        None
    }

    /// Removes flips that are not untried: some of them are about to be added again.
    pub fn drop_tried(&mut self, tree: &Tree) {
        for flips in self.flips.values_mut() {
            flips.retain(|flip| tree.state(*flip) == FlipState::Untried);
        }
    }
}
