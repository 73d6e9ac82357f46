//! Generational search.
//!
//! P. Godefroid, M. Levin, D. Molnar: Automated Whitebox Fuzz Testing, NDSS 2008 (SAGE). Take the run with
//! the highest score, the number of branches it covered first; of equal ones the latest. Flip every branch of
//! its path from its bound on, one after the other; a child's bound is the branch after the flip, so that no
//! two runs flip the same. All children are executed and scored before the next parent is taken.
//!
//! Deviations. The bound is where the run left the known tree: the same for a child that was predicted
//! correctly, and right for all others. SAGE counts blocks, this score counts branches, since these are what
//! coverage counts. Unconstrained input is random, as where CGS was compared with it.
//!
//! Cost: constant time per flip, logarithmic per run.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_tree::{Flip, FlipState, RunId, Tree};
use std::collections::BinaryHeap;

/// Generational search.
#[derive(Clone, Debug, Default)]
pub struct Generational {
    /// Runs to be expanded, with their scores.
    waiting: BinaryHeap<(usize, RunId)>,
    /// Remaining flips of the run that is being expanded, in reverse order.
    expanding: Vec<Flip>,
}

impl Generational {
    /// Creates a search that has seen no run.
    pub fn new() -> Generational {
        Generational::default()
    }
}

impl Strategy for Generational {
    fn on_run(&mut self, run: &RunView) {
        self.waiting.push((run.new_branches.len(), run.run));
    }

    fn next(&mut self, tree: &Tree, _: &mut Rng) -> Next {
        loop {
            while let Some(flip) = self.expanding.pop() {
                if tree.state(flip) == FlipState::Untried {
                    return Next::flip(tree, flip);
                }
            }
            match self.waiting.pop() {
                Some((_, parent)) => {
                    let nodes = tree.run_nodes(parent).rev();
                    self.expanding.extend(nodes.flat_map(|node| tree.untried_of(node).rev()));
                }
                None => return Next::Done,
            }
        }
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn on_resumed(&mut self, tree: &Tree, flips: &[Flip]) {
        // New coverage of their runs has already been rewarded by one expansion.
        let runs = flips.chunk_by(|a, b| tree.creator(a.node) == tree.creator(b.node));
        self.waiting.extend(runs.map(|flips| (0, tree.creator(flips[0].node))));
    }

    fn renews_input(&self) -> bool {
        true
    }

    fn describe(&self) -> String {
        "generational (all flips of the run that covered most)".to_owned()
    }
}
