//! KLEE's search by instruction count (`nurs:icnt`).
//!
//! A pending state weighs 1/n², n being how often the instruction it would go on with has been executed so far.
//!
//! What differs. A state here is an untried flip, its instruction the side that the flip would take: n is how often runs
//! took that side of a symbolic branch at that site. Another constant of a pin counts like a side.
//!
//! Cost: one addition per node of a run; and see `weighted.rs`.

use crate::traits::RunView;
use crate::weighted::Weigh;
use cairn_program::{Program, SiteId};
use cairn_tree::{Flip, Tree};
use rustc_hash::FxHashMap;

/// How often each side was taken.
#[derive(Clone, Debug)]
pub struct Icnt {
    /// By branch.
    branches: Vec<u64>,
    /// Pins by where they stand, and their side.
    pins: FxHashMap<(SiteId, u32), u64>,
}

impl Icnt {
    /// A search that has seen nothing.
    pub fn new(program: &Program) -> Icnt {
        Icnt { branches: vec![0; program.branch_count() as usize], pins: FxHashMap::default() }
    }

    fn add(&mut self, tree: &Tree, side: Flip) {
        match tree.branch(side) {
            Some(branch) => self.branches[branch.0 as usize] += 1,
            None => *self.pins.entry((tree.site(side.node), side.side)).or_default() += 1,
        }
    }
}

impl Weigh for Icnt {
    fn see(&mut self, run: &RunView) -> bool {
        for (node, side) in run.nodes.iter().zip(run.sides) {
            self.add(run.tree, Flip { node: *node, side: *side });
        }
        false
    }

    fn weight(&self, tree: &Tree, flip: Flip) -> f64 {
        let taken = match tree.branch(flip) {
            Some(branch) => self.branches[branch.0 as usize],
            None => self.pins.get(&(tree.site(flip.node), flip.side)).copied().unwrap_or(0),
        };
        (taken.max(1) as f64).powi(-2)
    }

    fn describe(&self) -> &'static str {
        "icnt (flips by chance, sides that were taken rarely more likely)"
    }
}
