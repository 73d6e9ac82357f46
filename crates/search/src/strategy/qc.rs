//! KLEE's search by query cost (`nurs:qc`).
//!
//! KLEE's public code: a pending state weighs 1/t, t being the solver time spent on its path; everything
//! below a tenth of a second counts as that.
//!
//! Deviations. KLEE gives all states below a tenth of a second the weight 1, and those just above it ten
//! times as much: here the weight never rises with t. A state is an untried flip; the time of its path is
//! that of the flips that led to the run which created its node, and of those that failed on that run's own
//! nodes. The strategy depends on the clock, so its campaigns are reproducible only as long as no query takes
//! that long.
//!
//! Cost: one number per run; and see `weighted.rs`.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use crate::weighted::WeightedFlips;
use cairn_tree::{Flip, RunId, Tree};

const CHEAP_SECONDS: f64 = 0.1;

/// Search by solver time.
#[derive(Clone, Debug, Default)]
pub struct Qc {
    /// Solver time in seconds, by run.
    spent: Vec<f64>,
    /// Run that created the node of the last requested flip.
    requested: Option<RunId>,
    flips: WeightedFlips,
}

impl Qc {
    /// Creates a search that has seen no run.
    pub fn new() -> Qc {
        Qc::default()
    }
}

fn weight(spent: f64) -> f64 {
    CHEAP_SECONDS / spent.max(CHEAP_SECONDS)
}

impl Strategy for Qc {
    fn on_run(&mut self, run: &RunView) {
        let before = run.flip.map_or(0.0, |flip| self.spent[run.tree.creator(flip.node).index()]);
        self.spent.push(before + run.cost.solver.as_secs_f64());
        let weight = weight(self.spent[run.run.index()]);
        run.new_flips().for_each(|flip| self.flips.add(flip, weight));
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        let flip = self.flips.draw(tree, rng, |flip| weight(self.spent[tree.creator(flip.node).index()]));
        self.requested = flip.map(|flip| tree.creator(flip.node));
        flip.map_or(Next::Done, |flip| Next::flip(tree, flip))
    }

    fn on_outcome(&mut self, _: Flip, outcome: Outcome, cost: Cost) {
        if let (Some(run), Outcome::Unsat | Outcome::Unknown) = (self.requested.take(), outcome) {
            self.spent[run.index()] += cost.solver.as_secs_f64();
        }
    }

    fn on_resumed(&mut self, tree: &Tree, flips: &[Flip]) {
        self.flips.resume(flips, |flip| weight(self.spent[tree.creator(flip.node).index()]));
    }

    fn renews_input(&self) -> bool {
        true
    }

    fn describe(&self) -> String {
        "qc (flips by chance, those whose paths cost the solver little more likely)".to_owned()
    }
}
