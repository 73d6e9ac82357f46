//! KLEE's search by instruction count (`nurs:icnt`).
//!
//! A pending state weighs 1/n², n being how often the instruction it would go on with has been executed so far.
//!
//! What differs. A state here is an untried flip, its instruction the side that the flip would take: n is how often runs
//! took that side of a symbolic branch at that site. Another constant of a pin counts like a side.
//!
//! Cost: one addition per node of a run; and see `weighted.rs`.

use crate::branches::Branches;
use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use crate::weighted::Weighted;
use cairn_program::Program;
use cairn_tree::{Flip, Tree};

/// Search by how often a side was taken.
#[derive(Clone, Debug)]
pub struct Icnt {
    branches: Branches,
    /// How often each was taken.
    taken: Vec<u64>,
    flips: Weighted,
}

impl Icnt {
    /// A search that has seen nothing.
    pub fn new(program: &Program) -> Icnt {
        let branches = Branches::new(program);
        Icnt { taken: vec![0; branches.numbers()], branches, flips: Weighted::default() }
    }
}

fn weight(taken: u64) -> f64 {
    (taken.max(1) as f64).powi(-2)
}

impl Strategy for Icnt {
    fn on_run(&mut self, run: &RunView) {
        for (node, side) in run.nodes.iter().zip(run.sides) {
            self.taken[self.branches.number(run.tree, Flip { node: *node, side: *side })] += 1;
        }
        for flip in run.new_flips() {
            self.flips.add(flip, weight(self.taken[self.branches.number(run.tree, flip)]));
        }
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        let weight = |flip| weight(self.taken[self.branches.number(tree, flip)]);
        let flip = self.flips.draw(tree, rng, weight);
        flip.map_or(Next::Done, |flip| Next::flip(tree, flip))
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn describe(&self) -> String {
        "icnt (flips by chance, sides that were taken rarely more likely)".to_owned()
    }
}
