//! How near a flip is to uncovered code, as KLEE weighs it.

use cairn_program::{BranchId, CallGraph, Distances, Program, Weight};
use cairn_tree::{Flip, Tree};

/// The distance of what leads nowhere new.
const FAR: f64 = 10_000.0;

/// Distances in instructions from flips to uncovered branches.
#[derive(Clone, Debug)]
pub(crate) struct Nearness {
    distances: Distances,
}

impl Nearness {
    pub fn new(program: &Program) -> Nearness {
        let distances = Distances::with_returns(program, &CallGraph::new(program), Weight::Instructions);
        Nearness { distances }
    }

    /// These branches are uncovered no more.
    pub fn cover(&mut self, branches: &[BranchId]) {
        self.distances.cover(branches);
    }

    /// 1/d², d being the distance behind the side that the flip would take. Falls as branches are covered.
    pub fn weight(&self, tree: &Tree, flip: Flip) -> f64 {
        let distance = tree.branch(flip).and_then(|branch| self.distances.of(branch));
        distance.map_or(FAR, |distance| f64::from(distance).clamp(1.0, FAR)).powi(-2)
    }
}
