//! CarFast.
//!
//! S. Park et al.: CarFast: Achieving Higher Statement Coverage Faster, FSE 2012; as H. Seo and S. Kim describe it in
//! FSE 2014. Of all branches seen whose other side is uncovered, flip the one whose other side has the most statements
//! depending on it, directly or through other branches. When there is none left, any branch.
//!
//! What differs. Statements are instructions. Which of the branch's occurrences to flip is left to chance.
//!
//! Cost: eight bytes per flip to an uncovered branch; logarithmic per choice.

use crate::refined::Refined;
use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_program::{BranchId, ControlDependence, Program};
use cairn_tree::{Flip, FlipState, Tree};
use std::collections::{BTreeMap, BinaryHeap};

/// The search.
#[derive(Clone, Debug)]
pub struct CarFast {
    dependence: Refined<ControlDependence>,
    covered: Vec<bool>,
    /// Flips to uncovered branches.
    flips: BTreeMap<BranchId, Vec<Flip>>,
    /// Branches that may have such flips, by what depends on them.
    queue: BinaryHeap<(u64, BranchId)>,
}

impl CarFast {
    /// A search that has seen nothing.
    pub fn new(program: &Program) -> CarFast {
        let is_users = |branch| program.is_counted(BranchId(branch));
        CarFast {
            dependence: Refined::new(program, ControlDependence::new),
            covered: (0..program.branch_count()).map(|branch| !is_users(branch)).collect(),
            flips: BTreeMap::new(),
            queue: BinaryHeap::new(),
        }
    }

    fn add_uncovered(&mut self, tree: &Tree, flip: Flip) {
        let branch = tree.branch(flip).filter(|branch| !self.covered[branch.0 as usize]);
        let Some(branch) = branch else { return };
        let flips = self.flips.entry(branch).or_default();
        if flips.is_empty() {
            self.queue.push((self.dependence.statements(branch), branch));
        }
        flips.push(flip);
    }

    /// Sorts the branches anew by what depends on them.
    fn sort(&mut self) {
        let branches = self.flips.iter().filter(|(_, flips)| !flips.is_empty()).map(|(branch, _)| *branch);
        self.queue = branches.map(|branch| (self.dependence.statements(branch), branch)).collect();
    }

    /// A flip to the uncovered branch that most depends on.
    fn best(&mut self, tree: &Tree, rng: &mut Rng) -> Option<Flip> {
        while let Some((_, branch)) = self.queue.peek() {
            let Some(flips) = self.flips.get_mut(branch).filter(|flips| !flips.is_empty()) else {
                self.queue.pop();
                continue;
            };
            let flip = flips.swap_remove(rng.below(flips.len()));
            if tree.state(flip) == FlipState::Untried {
                return Some(flip);
            }
        }
        None
    }
}

impl Strategy for CarFast {
    fn on_run(&mut self, run: &RunView) {
        for branch in run.new_branches {
            self.covered[branch.0 as usize] = true;
            self.flips.remove(branch);
        }
        if self.dependence.see(run) {
            self.sort();
        }
        run.new_flips().for_each(|flip| self.add_uncovered(run.tree, flip));
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        let flip = self.best(tree, rng).or_else(|| tree.pick_untried(|n| rng.below(n)));
        flip.map_or(Next::Done, |flip| Next::flip(tree, flip))
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn wants_callees(&self) -> bool {
        true
    }

    fn on_revived(&mut self, tree: &Tree, flips: &[Flip]) {
        for known in self.flips.values_mut() {
            known.retain(|flip| tree.state(*flip) == FlipState::Untried);
        }
        flips.iter().for_each(|flip| self.add_uncovered(tree, *flip));
    }

    fn renews_input(&self) -> bool {
        true
    }

    fn describe(&self) -> String {
        "carfast (the uncovered branch that most code depends on)".to_owned()
    }
}
