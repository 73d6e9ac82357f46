//! Everything that makes pruning more than chance.

use crate::rng::Rng;
use crate::strategy::homi::learning::{Learnt, Mode, Sample, Weight};
use crate::strategy::homi::paths::Paths;
use crate::strategy::homi::settings::{Evidence, Settings};
use crate::strategy::homi::tests::{Test, Tests};
use crate::traits::RunView;
use cairn_program::Program;
use cairn_tree::{CoreId, Flip, Tree};
use std::sync::Arc;

/// Data and what was learnt from them.
#[derive(Clone, Debug)]
pub(super) struct Learner {
    paths: Paths,
    tests: Tests,
    learnt: Option<Learnt>,
    /// What states were last pruned by in this round.
    sample: Option<Arc<Sample>>,
    mode: Mode,
    rounds: u64,
}

impl Learner {
    pub fn new(program: &Program) -> Learner {
        Learner {
            paths: Paths::default(),
            tests: Tests::new(program),
            learnt: None,
            sample: None,
            mode: Mode::Explore,
            rounds: 0,
        }
    }

    /// A run was made in a round with this budget.
    pub fn add(&mut self, run: &RunView, budget: usize) {
        self.paths.add(run);
        let made = (self.sample.clone(), budget);
        self.tests.add(run.run, run.covered, made, !run.new_branches.is_empty());
    }

    /// Learns from all tests so far; the budget of the next round.
    pub fn next_round(&mut self, tree: &Tree, settings: &Settings, rng: &mut Rng) -> usize {
        self.sample = None;
        self.rounds += 1;
        let good = self.tests.good();
        let weights = match settings.learn {
            Evidence::Runs => self.by_runs(tree, &good),
            Evidence::Weights => self.by_weights(tree, &good),
        };
        let made = good.iter().map(|test| (test.sample.as_deref(), test.budget));
        let learnt = Learnt::new(weights, made, (settings.ratio, settings.rounds));
        self.mode = match settings.learn {
            Evidence::Runs => Mode::Exploit,
            Evidence::Weights if self.rounds <= settings.explore => Mode::Explore,
            Evidence::Weights => Mode::any(rng),
        };
        let budget = learnt.draw_budget(self.mode, settings.rounds, rng);
        self.learnt = Some(learnt);
        budget
    }

    fn by_runs(&self, tree: &Tree, good: &[Test]) -> Vec<(CoreId, Weight)> {
        let met = self.cores(tree, good);
        let learn = |same: &[CoreId]| {
            let (runs, with_it) = self.paths.runs_with(same[0]);
            let expected = f64::from(with_it) * good.len() as f64 / runs as f64;
            (same[0], Weight::of_share(same.len() as f64, expected))
        };
        met.chunk_by(|a, b| a == b).map(learn).collect()
    }

    fn by_weights(&self, tree: &Tree, good: &[Test]) -> Vec<(CoreId, Weight)> {
        let mut features = self.cores(tree, good);
        features.dedup();
        Learnt::from_weights(&features, good.iter().filter_map(|test| test.sample.as_deref()))
    }

    /// The core conditions of tests, in order, each as often as tests have it.
    fn cores(&self, tree: &Tree, tests: &[Test]) -> Vec<CoreId> {
        let mut cores: Vec<CoreId> = tests.iter().flat_map(|test| self.paths.cores(tree, test.run)).collect();
        cores.sort_unstable();
        cores
    }

    /// Draws weights, by core condition, and a ratio, as an index; none if there is nothing to tell states by.
    pub fn draw(&mut self, settings: &Settings, rng: &mut Rng) -> Option<(Vec<f32>, usize)> {
        let learnt = self.learnt.as_ref().filter(|learnt| !learnt.is_empty())?;
        let sample = learnt.draw(self.mode, settings.candidates, settings.ratio, rng);
        let drawn = (sample.by_core(), sample.ratio);
        self.sample = Some(Arc::new(sample));
        Some(drawn)
    }

    /// How promising a state is by these weights.
    pub fn score(&self, tree: &Tree, flip: Flip, weights: &[f32]) -> f32 {
        self.paths.score(tree, flip, weights)
    }
}
