//! Breadth-first search.
//!
//! Flips in order of depth, the number of symbolic branches before them; within a depth in order of
//! discovery. H. Seo, S. Kim (FSE 2014) describe it as the limit of context-guided search with whole paths as
//! contexts.
//!
//! Cost: constant time per flip, and per depth a scan of all runs; a depth's flips are kept while they are
//! searched.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_tree::{Flip, FlipState, Tree};

/// Breadth-first search.
#[derive(Clone, Debug, Default)]
pub struct Bfs {
    /// The next depth to scan.
    depth: u32,
    /// Remaining flips of the depth before it, in reverse order.
    remaining: Vec<Flip>,
}

impl Bfs {
    /// Creates a search that has seen no run.
    pub fn new() -> Bfs {
        Bfs::default()
    }
}

impl Strategy for Bfs {
    fn on_run(&mut self, run: &RunView) {
        let depth = run.nodes.get(run.first_new).map(|first| run.tree.depth(*first));
        if let Some(depth) = depth.filter(|depth| *depth < self.depth) {
            self.depth = depth;
            self.remaining.clear();
        }
    }

    fn next(&mut self, tree: &Tree, _: &mut Rng) -> Next {
        while tree.untried() > 0 {
            while let Some(flip) = self.remaining.pop() {
                if tree.state(flip) == FlipState::Untried {
                    return Next::flip(tree, flip);
                }
            }
            self.remaining.extend(tree.untried_at_depth(self.depth).rev());
            self.depth += 1;
        }
        Next::Done
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn on_resumed(&mut self, _: &Tree, _: &[Flip]) {
        *self = Bfs::new();
    }

    fn describe(&self) -> String {
        "bfs (breadth first)".to_owned()
    }
}
