//! KLEE's random path search.
//!
//! C. Cadar, D. Dunbar, D. Engler: KLEE, OSDI 2008. From the root of the tree go to a random child at each
//! fork, only towards subtrees that still hold a pending state: a state k forks down is chosen with
//! probability 2^-k, however many there are elsewhere. Here a state is an untried flip, and a fork a node
//! with several sides that lead to one.
//!
//! Cost: that of the tree's random walk, logarithmic per fork on the way.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_tree::{Flip, Tree};

/// The flip at the end of a random path.
#[derive(Clone, Copy, Debug, Default)]
pub struct RandomPath;

impl Strategy for RandomPath {
    fn on_run(&mut self, _: &RunView) {}

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        tree.random_path(|n| rng.below(n)).map_or(Next::Done, |flip| Next::flip(tree, flip))
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn renews_input(&self) -> bool {
        true
    }

    fn describe(&self) -> String {
        "random-path (a random side at each node, towards untried ones)".to_owned()
    }
}
