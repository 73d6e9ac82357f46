//! CarFast.
//!
//! S. Park et al.: CarFast: Achieving Higher Statement Coverage Faster, FSE 2012; as H. Seo and S. Kim
//! describe it in FSE 2014. Of all branches seen whose other side is uncovered, flip the one on whose other
//! side the most statements are control dependent, directly or transitively. If none is left, flip any
//! branch.
//!
//! Deviations. Statements are instructions, since the target has no others. The occurrence of the branch to
//! flip is chosen at random.
//!
//! Cost: eight bytes per flip to an uncovered branch; logarithmic time per choice.

use crate::refined_analyses::Refined;
use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use crate::uncovered_flips::UncoveredFlips;
use cairn_program::{BranchId, ControlDependence, Program};
use cairn_tree::{Flip, Tree};
use std::collections::BinaryHeap;

/// CarFast's search.
#[derive(Clone, Debug)]
pub struct CarFast {
    dependence: Refined<ControlDependence>,
    uncovered_flips: UncoveredFlips,
    /// Branches that may have such flips, by the number of dependent statements.
    queue: BinaryHeap<(u64, BranchId)>,
}

impl CarFast {
    /// Creates a search that has seen no run.
    pub fn new(program: &Program) -> CarFast {
        CarFast {
            dependence: Refined::new(program, ControlDependence::new),
            uncovered_flips: UncoveredFlips::new(program),
            queue: BinaryHeap::new(),
        }
    }

    fn add_uncovered(&mut self, tree: &Tree, flip: Flip) {
        let Some(branch) = self.uncovered_flips.add(tree, flip) else { return };
        if self.uncovered_flips.count(branch) == 1 {
            self.queue.push((self.dependence.statements(branch), branch));
        }
    }

    /// Sorts the branches again by the number of dependent statements.
    fn sort_branches(&mut self) {
        self.queue = self
            .uncovered_flips
            .branches()
            .map(|branch| (self.dependence.statements(branch), branch))
            .collect();
    }

    /// Returns a flip to the uncovered branch with the most dependent statements.
    fn best(&mut self, tree: &Tree, rng: &mut Rng) -> Option<Flip> {
        while let Some(&(_, branch)) = self.queue.peek() {
            let flip = self.uncovered_flips.draw(tree, branch, rng);
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
        self.uncovered_flips.cover(run);
        if self.dependence.update(run) {
            self.sort_branches();
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
        self.uncovered_flips.drop_tried(tree);
        flips.iter().for_each(|flip| self.add_uncovered(tree, *flip));
    }

    fn renews_input(&self) -> bool {
        true
    }

    fn describe(&self) -> String {
        "carfast (the uncovered branch that most code depends on)".to_owned()
    }
}
