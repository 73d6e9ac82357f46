//! Flips to branches that no run has covered, by branch; faults that no run has shown are among them.

use crate::rng::Rng;
use crate::traits::RunView;
use cairn_program::{BranchId, Program};
use cairn_tree::{Flip, FlipState, Tree};
use std::collections::BTreeMap;

/// The flips that would cover something of the user's for certain, if they can be taken; eight bytes each.
#[derive(Clone, Debug)]
pub(crate) struct Openings {
    covered: Vec<bool>,
    /// Some may have been tried since they were added.
    flips: BTreeMap<BranchId, Vec<Flip>>,
}

impl Openings {
    /// Of a program that has not run.
    pub fn new(program: &Program) -> Openings {
        let is_wanted = |branch| program.is_counted(branch) || program.is_fault(branch);
        Openings {
            covered: (0..program.branch_count()).map(|branch| !is_wanted(BranchId(branch))).collect(),
            flips: BTreeMap::new(),
        }
    }

    /// Drops what a run has covered.
    pub fn cover(&mut self, run: &RunView) {
        // Faults are no branches that count.
        let taken = run.flip.filter(|_| run.predicted).and_then(|flip| run.tree.branch(flip));
        for branch in run.new_branches.iter().chain(&taken) {
            self.covered[branch.0 as usize] = true;
            self.flips.remove(branch);
        }
    }

    /// Adds a flip if its branch is uncovered; gives that branch.
    pub fn add(&mut self, tree: &Tree, flip: Flip) -> Option<BranchId> {
        let branch = tree.branch(flip).filter(|branch| !self.covered[branch.0 as usize])?;
        self.flips.entry(branch).or_default().push(flip);
        Some(branch)
    }

    /// How many flips of a branch there are, tried ones included.
    pub fn count(&self, branch: BranchId) -> usize {
        self.flips.get(&branch).map_or(0, Vec::len)
    }

    /// The branches that have flips.
    pub fn branches(&self) -> impl Iterator<Item = BranchId> + '_ {
        self.flips.iter().filter(|(_, flips)| !flips.is_empty()).map(|(branch, _)| *branch)
    }

    /// Takes out a random untried flip of a branch; none if there is none left.
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

    /// Drops what is not untried: some of it is about to be added again.
    pub fn drop_tried(&mut self, tree: &Tree) {
        for flips in self.flips.values_mut() {
            flips.retain(|flip| tree.state(*flip) == FlipState::Untried);
        }
    }
}
