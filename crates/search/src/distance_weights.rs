//! The weight of a flip by its distance to uncovered code, as in KLEE.

use crate::refined_analyses::Refined;
use crate::traits::RunView;
use cairn_program::{Distances, Program, Weight};
use cairn_tree::{Flip, Tree};

/// Distance of flips from which no uncovered code can be reached; KLEE's value.
const MAX_DISTANCE: f64 = 10_000.0;

/// Distances in instructions from flips to uncovered branches.
#[derive(Clone, Debug)]
pub(crate) struct DistanceWeights {
    distances: Refined<Distances>,
}

impl DistanceWeights {
    pub fn new(program: &Program) -> DistanceWeights {
        let make = |program: &_, calls: &_| Distances::with_returns(program, calls, Weight::Instructions);
        DistanceWeights { distances: Refined::new(program, make) }
    }

    /// Updates the distances after a run; true if weights may have risen.
    pub fn update(&mut self, run: &RunView) -> bool {
        self.distances.update(run)
    }

    /// Returns 1/d², d being the distance behind the side that the flip would take. It falls as branches are
    /// covered, and may rise when runs show new callees.
    pub fn weight(&self, tree: &Tree, flip: Flip) -> f64 {
        let distance = tree.branch(flip).and_then(|branch| self.distances.of(branch));
        distance.map_or(MAX_DISTANCE, |distance| f64::from(distance).clamp(1.0, MAX_DISTANCE)).powi(-2)
    }
}
