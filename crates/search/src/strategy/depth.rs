//! KLEE's search by depth (`nurs:depth`).
//!
//! KLEE's public code: a pending state, here an untried flip, is drawn with probability proportional to its
//! depth, the number of symbolic branches on its path, itself included.
//!
//! Cost: see `weighted.rs`.

use crate::traits::RunView;
use crate::weighted::FlipWeight;
use cairn_tree::{Flip, Tree};

/// Search by depth.
#[derive(Clone, Copy, Debug, Default)]
pub struct Depth;

impl FlipWeight for Depth {
    fn on_run(&mut self, _: &RunView) -> bool {
        false
    }

    fn weight(&self, tree: &Tree, flip: Flip) -> f64 {
        f64::from(tree.depth(flip.node)) + 1.0
    }

    fn describe(&self) -> &'static str {
        "depth (flips by chance, deep ones more likely)"
    }
}
