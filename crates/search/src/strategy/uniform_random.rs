//! Uniform random search.
//!
//! J. Burnim, K. Sen: Heuristics for Scalable Dynamic Test Generation, ASE 2008. Walk down a path; at each
//! symbolic branch stay or force the other side, each with probability one half; at the end of the path
//! restart at its beginning. A path of k branches that have two sides is walked with probability 2^-k.
//!
//! Deviations. A side that a run has taken before is followed in the tree, without executing it again; all
//! sides of a switch that are not known to be infeasible are equally likely, and one that turns out
//! infeasible is drawn again. A walk along known paths costs no run, so after [`MAX_KNOWN`] of them in a row
//! the walk continues behind a uniformly random flip of the tree. It is done when the tree has none.
//!
//! Cost: constant time per node walked.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_tree::{Flip, FlipState, NodeId, Tree};

/// Maximum number of walks in a row along known paths; a chosen bound.
const MAX_KNOWN: u32 = 8;

/// Uniform random search.
#[derive(Clone, Debug, Default)]
pub struct UniformRandom {
    /// First node of all paths.
    root: Option<NodeId>,
    /// Current node of the walk.
    at: Option<NodeId>,
    /// Side it drew there and requested.
    drawn: Option<Flip>,
    walked: u64,
}

impl UniformRandom {
    /// Creates a search that has seen no run.
    pub fn new() -> UniformRandom {
        UniformRandom::default()
    }

    /// Returns the number of paths walked to their end.
    pub fn walked(&self) -> u64 {
        self.walked
    }

    /// Continues behind the requested side; if it could not be taken, another one is drawn.
    fn resume(&mut self, tree: &Tree) {
        if let Some(flip) = self.drawn.take().filter(|flip| tree.state(*flip) == FlipState::Sat) {
            self.at = tree.after(flip);
        }
    }

    /// Walks on until an untried side is drawn.
    fn walk(&mut self, tree: &Tree, rng: &mut Rng) -> Option<Flip> {
        let last = self.walked + u64::from(MAX_KNOWN);
        while self.walked < last {
            let Some(node) = self.at else {
                self.walked += 1;
                self.at = self.root;
                continue;
            };
            let flip = draw_side(tree, node, rng);
            if tree.state(flip) == FlipState::Untried {
                return Some(flip);
            }
            self.at = tree.after(flip);
        }
        None
    }
}

/// Returns a random side of those not known to be infeasible. There is one: a run reached the node.
fn draw_side(tree: &Tree, node: NodeId, rng: &mut Rng) -> Flip {
    let open = || {
        let sides = tree.sides(node);
        sides.filter(|(_, state)| matches!(state, FlipState::Sat | FlipState::Untried)).map(|(flip, _)| flip)
    };
    let choices = open().count();
    let chosen = if choices > 1 { rng.below(choices) } else { 0 };
    open().nth(chosen).expect("a node has a side that was taken")
}

impl Strategy for UniformRandom {
    fn on_run(&mut self, run: &RunView) {
        self.root = self.root.or(run.nodes.first().copied());
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        if tree.untried() == 0 {
            return Next::Done;
        }
        self.resume(tree);
        let flip = self.walk(tree, rng).or_else(|| tree.pick_untried(|n| rng.below(n)));
        let flip = flip.expect("there are untried flips");
        (self.at, self.drawn) = (Some(flip.node), Some(flip));
        Next::flip(tree, flip)
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn describe(&self) -> String {
        "uniform-random (a walk that takes each side of a branch with equal probability)".to_owned()
    }
}
