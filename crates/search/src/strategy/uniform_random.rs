//! Uniform random search.
//!
//! J. Burnim, K. Sen: Heuristics for Scalable Dynamic Test Generation, ASE 2008. Walk down a path; at each symbolic branch
//! stay or force the other side, each with probability one half; at the end of the path begin again at its start. A path
//! of k branches that have two sides is walked with probability 2^-k.
//!
//! What differs. A side that a run has taken before is followed in the tree, without running it again; of a switch all
//! sides that are not known to be impossible are equally likely, and one that turns out to be is drawn again. A walk along
//! known paths costs no run, so after [`MAX_KNOWN`] of them in a row the walk goes on behind a uniformly random flip
//! of the tree. It is done when the tree has none.
//!
//! Cost: constant time per node walked.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_tree::{Flip, FlipState, NodeId, Tree};

/// Walks in a row that may find nothing but known paths.
const MAX_KNOWN: u32 = 8;

/// Uniform random search.
#[derive(Clone, Debug, Default)]
pub struct UniformRandom {
    /// Where paths begin.
    root: Option<NodeId>,
    /// Where the walk is.
    at: Option<NodeId>,
    /// The side it drew there and asked for.
    drawn: Option<Flip>,
    walked: u64,
}

impl UniformRandom {
    /// A search that has seen nothing.
    pub fn new() -> UniformRandom {
        UniformRandom::default()
    }

    /// How many paths it has walked to their end.
    pub fn walked(&self) -> u64 {
        self.walked
    }

    /// Goes on behind the side that was asked for; if it was not to be had, another one is drawn.
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

/// A random side of those that are not known to be impossible. There is one: some run came this way.
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
