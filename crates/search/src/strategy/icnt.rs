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
use cairn_program::SiteId;
use cairn_tree::{Flip, Tree};
use rustc_hash::FxHashMap;

/// Search by how often a side was taken.
#[derive(Clone, Debug, Default)]
pub struct Icnt {
    /// How often each side of a site was taken.
    taken: FxHashMap<(SiteId, u32), u64>,
    flips: Weighted,
}

impl Icnt {
    /// A search that has seen nothing.
    pub fn new() -> Icnt {
        Icnt::default()
    }
}

/// What the counters are kept by.
fn key(tree: &Tree, side: Flip) -> (SiteId, u32) {
    (tree.site(side.node), side.side)
}

fn weight(taken: &FxHashMap<(SiteId, u32), u64>, tree: &Tree, flip: Flip) -> f64 {
    let taken = taken.get(&key(tree, flip)).copied().unwrap_or(1);
    (taken as f64).powi(-2)
}

impl Strategy for Icnt {
    fn on_run(&mut self, run: &RunView) {
        for (node, side) in run.nodes.iter().zip(run.sides) {
            *self.taken.entry(key(run.tree, Flip { node: *node, side: *side })).or_default() += 1;
        }
        for flip in run.new_flips() {
            self.flips.add(flip, weight(&self.taken, run.tree, flip));
        }
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        let flip = self.flips.draw(tree, rng, |flip| weight(&self.taken, tree, flip));
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
