//! Random testing: the baseline.
//!
//! Every run is on random input, and nothing is solved. It is done when the tree is exhausted, which happens
//! for small programs only.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_tree::{Flip, Tree};

/// Random testing.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomInput;

impl Strategy for RandomInput {
    fn on_run(&mut self, _: &RunView) {}

    fn next(&mut self, tree: &Tree, _: &mut Rng) -> Next {
        if tree.exhausted() { Next::Done } else { Next::Restart }
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn describe(&self) -> String {
        "random-input (no solving)".to_owned()
    }
}
