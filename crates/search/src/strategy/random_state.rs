//! KLEE's random state search.
//!
//! C. Cadar, D. Dunbar, D. Engler: KLEE, OSDI 2008, and its public code. Every pending state is equally
//! likely; here a state is an untried flip of the tree.
//!
//! Cost: one lookup in the tree, logarithmic time.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_tree::{Flip, Tree};

/// A uniformly random flip of the whole tree.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomState;

impl Strategy for RandomState {
    fn on_run(&mut self, _: &RunView) {}

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        tree.pick_untried(|n| rng.below(n)).map_or(Next::Done, |flip| Next::flip(tree, flip))
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn renews_input(&self) -> bool {
        true
    }

    fn describe(&self) -> String {
        "random-state (a random flip of the whole tree)".to_owned()
    }
}
