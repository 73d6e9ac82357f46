//! Mutants of tests, executed without tracing and without solving.
//!
//! A run for coverage alone takes a fraction of the time of a traced one with its query. Where the path to new
//! code is not a matter of solving (a structure of many steps, state that passes through uninstrumented code),
//! trying many inputs is cheaper. The campaign makes the mutants; this strategy chooses what is mutated.
//!
//! M. Böhme, V.-T. Pham, A. Roychoudhury: Coverage-Based Greybox Fuzzing as Markov Chain, CCS 2016, gives every
//! test an energy, the number of its mutants, that follows from how rare its path is. Here the energy is learnt
//! as `auto` learns the value of its arms: by Thompson sampling of the branches that the mutants of a test have
//! covered first, per cost. Slow tests cost more. A test that was not mutated yet promises what the mean one
//! has brought; so new ones have their turn before those that were tried in vain.
//!
//! It is done when the tree has no untried flip: the end of a campaign is not for mutation to delay.
//!
//! Cost: a draw per test and batch.

use crate::gamma::draw_gamma;
use crate::rng::Rng;
use crate::traits::{Cost, MutantBatch, Mutators, Next, Outcome, RunView, Strategy};
use cairn_tree::{Flip, RunId, Tree};

/// A run whose input is mutated: one that covered a branch first.
#[derive(Clone, Copy, Debug)]
struct Seed {
    run: RunId,
    /// Branches that its mutants were the first to cover, and what they have cost.
    reward: f64,
    cost: f64,
}

/// Mutation of tests.
#[derive(Clone, Debug, Default)]
pub struct Mutation {
    seeds: Vec<Seed>,
    /// Reward and cost of all seeds.
    reward: f64,
    cost: f64,
    /// Seed of the last batch.
    current: usize,
    /// Runs of kept mutants that follow.
    awaited: usize,
}

impl Mutation {
    /// Draws the yield of a seed's mutants per cost from the posterior distribution.
    fn draw_yield(&self, seed: &Seed, rng: &mut Rng) -> f64 {
        let mean = (self.reward + 1.0) / (self.cost + 1.0);
        draw_gamma(seed.reward + 1.0, rng) / (seed.cost + 1.0 / mean)
    }
}

impl Strategy for Mutation {
    fn on_run(&mut self, run: &RunView) {
        if run.own && self.awaited > 0 {
            self.awaited -= 1;
            let found = run.new_branches.len() as f64;
            self.reward += found;
            self.seeds[self.current].reward += found;
        }
        if self.seeds.is_empty() || !run.new_branches.is_empty() {
            self.seeds.push(Seed { run: run.run, reward: 0.0, cost: 0.0 });
        }
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        self.awaited = 0;
        if tree.untried() == 0 || self.seeds.is_empty() {
            return Next::Done;
        }
        let yields: Vec<f64> = self.seeds.iter().map(|seed| self.draw_yield(seed, rng)).collect();
        let best = (0..yields.len()).max_by(|a, b| yields[*a].total_cmp(&yields[*b]));
        self.current = best.expect("there are seeds");
        Next::Mutate { base: self.seeds[self.current].run, mutators: Mutators::Havoc }
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn on_mutants(&mut self, batch: &MutantBatch) {
        self.awaited = batch.kept;
        self.cost += batch.cost;
        self.seeds[self.current].cost += batch.cost;
    }

    fn describe(&self) -> String {
        "mutation (mutants of tests, without solving)".to_owned()
    }
}
