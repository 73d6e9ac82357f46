//! KLEE's search by instruction count (`nurs:icnt`).
//!
//! A pending state weighs 1/n², n being how often the instruction it would go on with has been executed so far.
//!
//! What differs. A state here is an untried flip, its instruction the side that the flip would take: n is how often runs
//! took that side of a symbolic branch at that site. Another constant of a pin counts like a side.
//!
//! Cost: one addition per node of a run; and see `weighted.rs`.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use crate::weighted::Weighted;
use cairn_program::{Program, SiteId};
use cairn_tree::{Flip, Tree};
use rustc_hash::FxHashMap;

/// How often each side was taken.
#[derive(Clone, Debug)]
struct Taken {
    /// By branch.
    branches: Vec<u64>,
    /// Pins by where they stand, and their side.
    pins: FxHashMap<(SiteId, u32), u64>,
}

impl Taken {
    fn add(&mut self, tree: &Tree, side: Flip) {
        match tree.branch(side) {
            Some(branch) => self.branches[branch.0 as usize] += 1,
            None => *self.pins.entry((tree.site(side.node), side.side)).or_default() += 1,
        }
    }

    fn weight(&self, tree: &Tree, flip: Flip) -> f64 {
        let taken = match tree.branch(flip) {
            Some(branch) => self.branches[branch.0 as usize],
            None => self.pins.get(&(tree.site(flip.node), flip.side)).copied().unwrap_or(0),
        };
        (taken.max(1) as f64).powi(-2)
    }
}

/// Search by how often a side was taken.
#[derive(Clone, Debug)]
pub struct Icnt {
    taken: Taken,
    flips: Weighted,
}

impl Icnt {
    /// A search that has seen nothing.
    pub fn new(program: &Program) -> Icnt {
        let branches = vec![0; program.branch_count() as usize];
        Icnt { taken: Taken { branches, pins: FxHashMap::default() }, flips: Weighted::default() }
    }
}

impl Strategy for Icnt {
    fn on_run(&mut self, run: &RunView) {
        for (node, side) in run.nodes.iter().zip(run.sides) {
            self.taken.add(run.tree, Flip { node: *node, side: *side });
        }
        for flip in run.new_flips() {
            self.flips.add(flip, self.taken.weight(run.tree, flip));
        }
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        let flip = self.flips.draw(tree, rng, |flip| self.taken.weight(tree, flip));
        flip.map_or(Next::Done, |flip| Next::flip(tree, flip))
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn renews_input(&self) -> bool {
        true
    }

    fn describe(&self) -> String {
        "icnt (flips by chance, sides that were taken rarely more likely)".to_owned()
    }
}
