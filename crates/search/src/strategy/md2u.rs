//! KLEE's search by minimal distance to uncovered code (`nurs:md2u`).
//!
//! KLEE's public code: a pending state weighs 1/d², d being the least number of instructions from its next
//! instruction to an uncovered one; 10,000 if there is none.
//!
//! Deviations. A state is an untried flip and continues with the side that the flip would take; d ends at
//! the nearest uncovered branch, and is 1 if the side itself is one. The return address of a flip's function
//! is unknown: the distance continues after any call of it. A callee that is stepped over costs nothing.
//!
//! Cost: distances are updated where new branches change them; and see `weighted.rs`.

use crate::distance_weights::DistanceWeights;
use crate::traits::RunView;
use crate::weighted::FlipWeight;
use cairn_program::Program;
use cairn_tree::{Flip, Tree};

/// Search by distance to uncovered code.
#[derive(Clone, Debug)]
pub struct Md2u {
    distances: DistanceWeights,
}

impl Md2u {
    /// Creates a search that has seen no run.
    pub fn new(program: &Program) -> Md2u {
        Md2u { distances: DistanceWeights::new(program) }
    }
}

impl FlipWeight for Md2u {
    fn on_run(&mut self, run: &RunView) -> bool {
        self.distances.update(run)
    }

    fn weight(&self, tree: &Tree, flip: Flip) -> f64 {
        self.distances.weight(tree, flip)
    }

    fn wants_callees(&self) -> bool {
        true
    }

    fn describe(&self) -> &'static str {
        "md2u (flips by chance, those near uncovered code more likely)"
    }
}
