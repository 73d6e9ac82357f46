//! How near a flip is to uncovered code, as KLEE weighs it.

use crate::refined_analyses::Refined;
use crate::traits::RunView;
use cairn_program::{Distances, Program, Weight};
use cairn_tree::{Flip, Tree};

/// The distance of what leads nowhere new.
const FAR: f64 = 10_000.0;

/// Distances in instructions from flips to uncovered branches.
#[derive(Clone, Debug)]
pub(crate) struct Nearness {
    distances: Refined<Distances>,
}

impl Nearness {
    pub fn new(program: &Program) -> Nearness {
        let make = |program: &_, calls: &_| Distances::with_returns(program, calls, Weight::Instructions);
        Nearness { distances: Refined::new(program, make) }
    }

    /// Takes in what a run has shown. True if flips may now weigh more.
    pub fn see(&mut self, run: &RunView) -> bool {
        self.distances.see(run)
    }

    /// 1/d², d being the distance behind the side that the flip would take. Falls as branches are covered, and may rise
    /// where calls turn out to lead.
    pub fn weight(&self, tree: &Tree, flip: Flip) -> f64 {
        let distance = tree.branch(flip).and_then(|branch| self.distances.of(branch));
        distance.map_or(FAR, |distance| f64::from(distance).clamp(1.0, FAR)).powi(-2)
    }
}
