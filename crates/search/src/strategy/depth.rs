//! KLEE's search by depth (`nurs:depth`).
//!
//! A pending state, here an untried flip, is drawn with probability proportional to its depth: the number of symbolic
//! branches on the way to it, itself included.
//!
//! Cost: see `weighted.rs`.

use crate::traits::RunView;
use crate::weighted::Weigh;
use cairn_tree::{Flip, Tree};

/// Search by depth.
#[derive(Clone, Copy, Debug, Default)]
pub struct Depth;

impl Weigh for Depth {
    fn see(&mut self, _: &RunView) -> bool {
        false
    }

    fn weight(&self, tree: &Tree, flip: Flip) -> f64 {
        f64::from(tree.depth(flip.node)) + 1.0
    }

    fn describe(&self) -> &'static str {
        "depth (flips by chance, deep ones more likely)"
    }
}
