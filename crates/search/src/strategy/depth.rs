//! KLEE's search by depth (`nurs:depth`).
//!
//! A pending state, here an untried flip, is drawn with probability proportional to its depth: the number of symbolic
//! branches on the way to it, itself included.
//!
//! Cost: see `weighted.rs`.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use crate::weighted::Weighted;
use cairn_tree::{Flip, Tree};

/// Search by depth.
#[derive(Clone, Debug, Default)]
pub struct Depth {
    flips: Weighted,
}

impl Depth {
    /// A search that has seen nothing.
    pub fn new() -> Depth {
        Depth::default()
    }
}

fn weight(tree: &Tree, flip: Flip) -> f64 {
    f64::from(tree.depth(flip.node)) + 1.0
}

impl Strategy for Depth {
    fn on_run(&mut self, run: &RunView) {
        for flip in run.new_flips() {
            self.flips.add(flip, weight(run.tree, flip));
        }
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        let flip = self.flips.draw(tree, rng, |flip| weight(tree, flip));
        flip.map_or(Next::Done, |flip| Next::flip(tree, flip))
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn renews_input(&self) -> bool {
        true
    }

    fn describe(&self) -> String {
        "depth (flips by chance, deep ones more likely)".to_owned()
    }
}
