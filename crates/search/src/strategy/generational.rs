//! Generational search.
//!
//! P. Godefroid, M. Levin, D. Molnar: Automated Whitebox Fuzz Testing, NDSS 2008 (SAGE). Take the run with the highest
//! score, the number of branches it was the first to cover, of equal ones the latest. Flip every branch of its path from
//! its bound on, one after the other; a child's bound is the branch after the flip, so that no two runs flip the same.
//! All children are run and scored, then the next parent is taken.
//!
//! What differs. The bound is where the run left the known tree: the same place for a child that went where it should,
//! and right for all others. SAGE counts blocks; here the score counts branches. Unconstrained input keeps the parent's
//! values.
//!
//! Cost: constant time per flip, logarithmic per run; four bytes per node that waits for its run's turn.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_tree::{Flip, NodeId, Tree};
use std::collections::BinaryHeap;

/// A run that waits to be expanded, ordered by score, then by age.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Parent {
    score: usize,
    run: usize,
    /// The nodes from its bound on, the first one last.
    nodes: Vec<NodeId>,
}

/// Generational search.
#[derive(Clone, Debug, Default)]
pub struct Generational {
    waiting: BinaryHeap<Parent>,
    /// What is left of the run that is being expanded.
    expanding: Vec<NodeId>,
}

impl Generational {
    /// A search that has seen nothing.
    pub fn new() -> Generational {
        Generational::default()
    }
}

impl Strategy for Generational {
    fn on_run(&mut self, run: &RunView) {
        let nodes: Vec<_> = run.nodes[run.first_new..].iter().rev().copied().collect();
        self.waiting.push(Parent { score: run.new_branches.len(), run: run.run.index(), nodes });
    }

    fn next(&mut self, tree: &Tree, _: &mut Rng) -> Next {
        loop {
            while let Some(node) = self.expanding.last() {
                if let Some(flip) = tree.untried_of(*node).next() {
                    return Next::flip(tree, flip);
                }
                self.expanding.pop();
            }
            match self.waiting.pop() {
                Some(parent) => self.expanding = parent.nodes,
                None => return Next::Done,
            }
        }
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn describe(&self) -> String {
        "generational (all flips of the run that covered most)".to_owned()
    }
}
