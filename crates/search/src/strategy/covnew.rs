//! KLEE's search for states that covered something new (`nurs:covnew`).
//!
//! C. Cadar, D. Dunbar, D. Engler: KLEE, OSDI 2008, and its public code. A pending state weighs 1/d² +
//! 1/max(1, s - 1000)²: d as in `md2u`, s the number of instructions since its path last covered something
//! new (the second term is 0 if it never did). A state that forks passes s on.
//!
//! Deviations. A state is an untried flip. Its path covered something new where the run that created it
//! took new branches; if all of these were concrete, where that run left the known tree. Instructions are not
//! counted in traces: every decision since then stands for [`INSTRUCTIONS_PER_DECISION`] of them. For d see `md2u.rs`.
//!
//! Cost: a few numbers per run and new branch; and see `weighted.rs`.

use crate::distance_weights::DistanceWeights;
use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use crate::weighted::WeightedFlips;
use cairn_program::Program;
use cairn_tree::{Flip, NodeId, Tree};
use std::collections::BTreeSet;

/// Assumed number of instructions between two decisions on symbolic values.
const INSTRUCTIONS_PER_DECISION: usize = 20;
/// Number of instructions for which new coverage counts in full; KLEE's value.
const FRESH_INSTRUCTIONS: usize = 1_000;

/// The positions at which a run covered something new. Position 0 is the node at which the run left the known
/// tree; the nodes that the run created follow.
#[derive(Clone, Default, Debug)]
struct NewCoverage {
    /// First node that the run created, at position 1.
    first: usize,
    /// At position 0: number of decisions since something new was covered before it.
    since: Option<usize>,
    /// Positions at which the run covered something new, in order.
    covered: Vec<usize>,
}

impl NewCoverage {
    /// Returns the number of decisions since something new was covered on the path to one of the run's nodes.
    fn since(&self, node: NodeId) -> Option<usize> {
        let position = node.index() - self.first + 1;
        match self.covered.partition_point(|covered| *covered < position) {
            0 => Some(self.since? + position),
            passed => Some(position - self.covered[passed - 1]),
        }
    }
}

/// The weights of flips.
#[derive(Clone, Debug)]
struct CovNewWeights {
    distances: DistanceWeights,
    /// New coverage, by run.
    new_coverage: Vec<NewCoverage>,
}

impl CovNewWeights {
    /// Updates the weights after a run; true if weights may have risen.
    fn update(&mut self, run: &RunView) -> bool {
        self.new_coverage.push(self.new_coverage(run));
        self.distances.update(run)
    }

    fn new_coverage(&self, run: &RunView) -> NewCoverage {
        let Some(first) = run.nodes.get(run.first_new) else { return NewCoverage::default() };
        let left_at = run.first_new.checked_sub(1).map(|at| run.nodes[at]);
        let since = left_at.and_then(|node| self.since(run.tree, node));
        NewCoverage { first: first.index(), since, covered: CovNewWeights::covered(run) }
    }

    /// Returns the positions at which a run took new branches.
    fn covered(run: &RunView) -> Vec<usize> {
        let mut left: BTreeSet<_> = run.new_branches.iter().copied().collect();
        let mut covered = Vec::new();
        for at in run.first_new.saturating_sub(1)..run.nodes.len() {
            if left.is_empty() {
                break;
            }
            let side = Flip { node: run.nodes[at], side: run.sides[at] };
            if run.tree.branch(side).is_some_and(|branch| left.remove(&branch)) {
                covered.push(at + 1 - run.first_new);
            }
        }
        if covered.is_empty() && !left.is_empty() {
            covered.push(0);
        }
        covered
    }

    fn since(&self, tree: &Tree, node: NodeId) -> Option<usize> {
        self.new_coverage[tree.creator(node).index()].since(node)
    }

    fn weight(&self, tree: &Tree, flip: Flip) -> f64 {
        let fresh = self.since(tree, flip.node).map_or(0.0, |decisions| {
            let instructions =
                (decisions * INSTRUCTIONS_PER_DECISION).saturating_sub(FRESH_INSTRUCTIONS).max(1);
            (instructions as f64).powi(-2)
        });
        self.distances.weight(tree, flip) + fresh
    }
}

/// Search for flips on paths that recently covered something new.
#[derive(Clone, Debug)]
pub struct CovNew {
    weights: CovNewWeights,
    flips: WeightedFlips,
}

impl CovNew {
    /// Creates a search that has seen no run.
    pub fn new(program: &Program) -> CovNew {
        let weights = CovNewWeights { distances: DistanceWeights::new(program), new_coverage: Vec::new() };
        CovNew { weights, flips: WeightedFlips::default() }
    }
}

impl Strategy for CovNew {
    fn on_run(&mut self, run: &RunView) {
        let weights = &mut self.weights;
        if weights.update(run) {
            self.flips.reweigh(run.tree, |flip| weights.weight(run.tree, flip));
        }
        for flip in run.new_flips() {
            self.flips.add(flip, weights.weight(run.tree, flip));
        }
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        let flip = self.flips.draw(tree, rng, |flip| self.weights.weight(tree, flip));
        flip.map_or(Next::Done, |flip| Next::flip(tree, flip))
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn wants_callees(&self) -> bool {
        true
    }

    fn on_resumed(&mut self, tree: &Tree, flips: &[Flip]) {
        let weight = |flip: Flip| self.weights.weight(tree, flip);
        self.flips.resume(flips, weight);
    }

    fn renews_input(&self) -> bool {
        true
    }

    fn describe(&self) -> String {
        "covnew (flips by chance, those near uncovered code or behind newly covered more likely)".to_owned()
    }
}
