//! Breadth-first search.
//!
//! Flips in order of their depth, the number of symbolic branches before them; in one depth first come, first served.
//! H. Seo, S. Kim (FSE 2014) describe it as what context-guided search becomes when contexts are whole paths.
//!
//! Cost: constant time and eight bytes per flip.

use crate::levels::Levels;
use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_tree::{Flip, FlipState, Tree};

/// Breadth-first search.
#[derive(Clone, Debug, Default)]
pub struct Bfs {
    levels: Levels,
    /// No level above it has anything left.
    depth: usize,
}

impl Bfs {
    /// A search that has seen nothing.
    pub fn new() -> Bfs {
        Bfs::default()
    }
}

impl Strategy for Bfs {
    fn on_run(&mut self, run: &RunView) {
        if let Some(highest) = self.levels.add(run) {
            self.depth = self.depth.min(highest);
        }
    }

    fn next(&mut self, tree: &Tree, _: &mut Rng) -> Next {
        while let Some(level) = self.levels.at(self.depth) {
            match level.pop_front() {
                Some(flip) if tree.state(flip) == FlipState::Untried => return Next::flip(tree, flip),
                Some(_) => {}
                None => self.depth += 1,
            }
        }
        Next::Done
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn describe(&self) -> String {
        "bfs (breadth first)".to_owned()
    }
}
