//! Breadth-first search.
//!
//! Flips in order of their depth, the number of symbolic branches before them; in one depth first come, first served.
//! H. Seo, S. Kim (FSE 2014) describe it as what context-guided search becomes when contexts are whole paths.
//!
//! Cost: constant time per flip, and per depth a look at every run; a depth's flips are kept while they are searched.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_tree::{Flip, FlipState, Tree};

/// Breadth-first search.
#[derive(Clone, Debug, Default)]
pub struct Bfs {
    /// The depth to look at when there is nothing left of the one before it.
    depth: u32,
    /// What is left of that one, the first flip last.
    left: Vec<Flip>,
}

impl Bfs {
    /// A search that has seen nothing.
    pub fn new() -> Bfs {
        Bfs::default()
    }
}

impl Strategy for Bfs {
    fn on_run(&mut self, run: &RunView) {
        let depth = run.nodes.get(run.first_new).map(|first| run.tree.depth(*first));
        if let Some(depth) = depth.filter(|depth| *depth < self.depth) {
            self.depth = depth;
            self.left.clear();
        }
    }

    fn next(&mut self, tree: &Tree, _: &mut Rng) -> Next {
        while tree.untried() > 0 {
            while let Some(flip) = self.left.pop() {
                if tree.state(flip) == FlipState::Untried {
                    return Next::flip(tree, flip);
                }
            }
            self.left.extend(tree.untried_at_depth(self.depth).rev());
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
