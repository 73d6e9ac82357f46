//! KLEE's search by instruction count (`nurs:icnt`).
//!
//! KLEE's public code: a pending state weighs 1/n², n being the number of times its next instruction has been
//! executed.
//!
//! Deviations. A state is an untried flip, its next instruction the side that the flip would take: n is the
//! number of times runs took that side of a symbolic branch at that site. Another constant of a
//! concretization counts like a side.
//!
//! Cost: one addition per node of a run; and see `weighted.rs`.

use crate::traits::RunView;
use crate::weighted::FlipWeight;
use cairn_program::{Program, SiteId};
use cairn_tree::{Flip, Tree};
use rustc_hash::FxHashMap;

/// Number of times each side was taken.
#[derive(Clone, Debug)]
pub struct Icnt {
    /// Counts, by branch.
    branches: Vec<u64>,
    /// Counts of concretizations, by site and side.
    concretizations: FxHashMap<(SiteId, u32), u64>,
}

impl Icnt {
    /// Creates a search that has seen no run.
    pub fn new(program: &Program) -> Icnt {
        Icnt { branches: vec![0; program.branch_count() as usize], concretizations: FxHashMap::default() }
    }

    fn add(&mut self, tree: &Tree, side: Flip) {
        match tree.branch(side) {
            Some(branch) => self.branches[branch.0 as usize] += 1,
            None => *self.concretizations.entry((tree.site(side.node), side.side)).or_default() += 1,
        }
    }
}

impl FlipWeight for Icnt {
    fn on_run(&mut self, run: &RunView) -> bool {
        for (node, side) in run.nodes.iter().zip(run.sides) {
            self.add(run.tree, Flip { node: *node, side: *side });
        }
        false
    }

    fn weight(&self, tree: &Tree, flip: Flip) -> f64 {
        let taken = match tree.branch(flip) {
            Some(branch) => self.branches[branch.0 as usize],
            None => self.concretizations.get(&(tree.site(flip.node), flip.side)).copied().unwrap_or(0),
        };
        (taken.max(1) as f64).powi(-2)
    }

    fn describe(&self) -> &'static str {
        "icnt (flips by chance, sides that were taken rarely more likely)"
    }
}
