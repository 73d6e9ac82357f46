//! CarFast.
//!
//! S. Park et al.: CarFast: Achieving Higher Statement Coverage Faster, FSE 2012; as H. Seo and S. Kim describe it in
//! FSE 2014. Of all branches seen whose other side is uncovered, flip the one whose other side has the most statements
//! depending on it, directly or through other branches. When there is none left, any branch.
//!
//! What differs. Statements are instructions. Which of the branch's occurrences to flip is left to chance.
//!
//! Cost: eight bytes per flip to an uncovered branch; logarithmic per choice.

use crate::refined_analyses::Refined;
use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use crate::uncovered_flips::Openings;
use cairn_program::{BranchId, ControlDependence, Program};
use cairn_tree::{Flip, Tree};
use std::collections::BinaryHeap;

/// The search.
#[derive(Clone, Debug)]
pub struct CarFast {
    dependence: Refined<ControlDependence>,
    openings: Openings,
    /// Branches that may have such flips, by what depends on them.
    queue: BinaryHeap<(u64, BranchId)>,
}

impl CarFast {
    /// A search that has seen nothing.
    pub fn new(program: &Program) -> CarFast {
        CarFast {
            dependence: Refined::new(program, ControlDependence::new),
            openings: Openings::new(program),
            queue: BinaryHeap::new(),
        }
    }

    fn add_uncovered(&mut self, tree: &Tree, flip: Flip) {
        let Some(branch) = self.openings.add(tree, flip) else { return };
        if self.openings.count(branch) == 1 {
            self.queue.push((self.dependence.statements(branch), branch));
        }
    }

    /// Sorts the branches anew by what depends on them.
    fn sort(&mut self) {
        self.queue =
            self.openings.branches().map(|branch| (self.dependence.statements(branch), branch)).collect();
    }

    /// A flip to the uncovered branch that most depends on.
    fn best(&mut self, tree: &Tree, rng: &mut Rng) -> Option<Flip> {
        while let Some(&(_, branch)) = self.queue.peek() {
            let flip = self.openings.draw(tree, branch, rng);
            if flip.is_some() {
                return flip;
            }
            self.queue.pop();
        }
        None
    }
}

impl Strategy for CarFast {
    fn on_run(&mut self, run: &RunView) {
        self.openings.cover(run);
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

    fn on_resumed(&mut self, tree: &Tree, flips: &[Flip]) {
        self.openings.drop_tried(tree);
        flips.iter().for_each(|flip| self.add_uncovered(tree, *flip));
    }

    fn renews_input(&self) -> bool {
        true
    }

    fn describe(&self) -> String {
        "carfast (the uncovered branch that most code depends on)".to_owned()
    }
}
