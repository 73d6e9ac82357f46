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

use crate::nearness::Nearness;
use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use crate::weighted::Weighted;
use cairn_program::Program;
use cairn_tree::{Flip, Tree};

/// Search by distance to uncovered code.
#[derive(Clone, Debug)]
pub struct Md2u {
    nearness: Nearness,
    flips: Weighted,
}

impl Md2u {
    /// A search that has seen nothing.
    pub fn new(program: &Program) -> Md2u {
        Md2u { nearness: Nearness::new(program), flips: Weighted::default() }
    }
}

impl Strategy for Md2u {
    fn on_run(&mut self, run: &RunView) {
        self.nearness.cover(run.new_branches);
        for flip in run.new_flips() {
            self.flips.add(flip, self.nearness.weight(run.tree, flip));
        }
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        let flip = self.flips.draw(tree, rng, |flip| self.nearness.weight(tree, flip));
        flip.map_or(Next::Done, |flip| Next::flip(tree, flip))
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn renews_input(&self) -> bool {
        true
    }

    fn describe(&self) -> String {
        "md2u (flips by chance, those near uncovered code more likely)".to_owned()
    }
}
