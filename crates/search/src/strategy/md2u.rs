//! KLEE's search by minimal distance to uncovered code (`nurs:md2u`).
//!
//! A pending state weighs 1/d², d being the least number of instructions from where it would go on to an uncovered one;
//! 10,000 if there is none.
//!
//! What differs. A state is an untried flip, and goes on with the side that the flip would take; d ends at the nearest
//! uncovered branch, and is 1 if the side is one itself. Where a function returns to is not known of a flip: the distance
//! goes on after any call of it. A callee that is not entered costs nothing.
//!
//! Cost: distances are updated where new branches change them; and see `weighted.rs`.

use crate::distance_classes::Nearness;
use crate::traits::RunView;
use crate::weighted::Weigh;
use cairn_program::Program;
use cairn_tree::{Flip, Tree};

/// Search by distance to uncovered code.
#[derive(Clone, Debug)]
pub struct Md2u {
    nearness: Nearness,
}

impl Md2u {
    /// A search that has seen nothing.
    pub fn new(program: &Program) -> Md2u {
        Md2u { nearness: Nearness::new(program) }
    }
}

impl Weigh for Md2u {
    fn see(&mut self, run: &RunView) -> bool {
        self.nearness.see(run)
    }

    fn weight(&self, tree: &Tree, flip: Flip) -> f64 {
        self.nearness.weight(tree, flip)
    }

    fn wants_callees(&self) -> bool {
        true
    }

    fn describe(&self) -> &'static str {
        "md2u (flips by chance, those near uncovered code more likely)"
    }
}
