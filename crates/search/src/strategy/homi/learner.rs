//! The learning part of HOMI: collects paths and tests, and draws the parameters of prunings.

use crate::rng::Rng;
use crate::strategy::homi::learning::{DrawMode, LearntDistributions, PruningSample, WeightDistribution};
use crate::strategy::homi::paths::PathCores;
use crate::strategy::homi::settings::{Evidence, HomiSettings};
use crate::strategy::homi::tests::{KeptTest, KeptTests};
use crate::traits::RunView;
use cairn_program::Program;
use cairn_tree::{CoreId, Flip, Tree};
use std::sync::Arc;

/// Data, and the distributions learnt from them.
#[derive(Clone, Debug)]
pub(super) struct Learner {
    paths: PathCores,
    tests: KeptTests,
    learnt: Option<LearntDistributions>,
    /// Parameters of the last pruning in this round.
    sample: Option<Arc<PruningSample>>,
    mode: DrawMode,
    rounds: u64,
}

impl Learner {
    pub fn new(program: &Program) -> Learner {
        Learner {
            paths: PathCores::default(),
            tests: KeptTests::new(program),
            learnt: None,
            sample: None,
            mode: DrawMode::Explore,
            rounds: 0,
        }
    }

    /// Adds a run of a round with this budget.
    pub fn add(&mut self, run: &RunView, budget: usize) {
        self.paths.add(run);
        let parameters = (self.sample.clone(), budget);
        self.tests.add(run.run, run.covered, parameters, !run.new_branches.is_empty());
    }

    /// Learns from all tests so far, and returns the budget of the next round.
    pub fn next_round(&mut self, tree: &Tree, settings: &HomiSettings, rng: &mut Rng) -> usize {
        self.sample = None;
        self.rounds += 1;
        let good = self.tests.good();
        let weights = match settings.learn {
            Evidence::Runs => self.by_runs(tree, &good),
            Evidence::Weights => self.by_weights(tree, &good),
        };
        let parameters = good.iter().map(|test| (test.sample.as_deref(), test.budget));
        let learnt = LearntDistributions::new(weights, parameters, (settings.ratio, settings.rounds));
        self.mode = match settings.learn {
            Evidence::Runs => DrawMode::Exploit,
            Evidence::Weights if self.rounds <= settings.explore => DrawMode::Explore,
            Evidence::Weights => DrawMode::any(rng),
        };
        let budget = learnt.draw_budget(self.mode, settings.rounds, rng);
        self.learnt = Some(learnt);
        budget
    }

    fn by_runs(&self, tree: &Tree, good: &[KeptTest]) -> Vec<(CoreId, WeightDistribution)> {
        let met = self.cores(tree, good);
        let learn = |same: &[CoreId]| {
            let (runs, with_it) = self.paths.runs_with(same[0]);
            let expected = f64::from(with_it) * good.len() as f64 / runs as f64;
            (same[0], WeightDistribution::of_share(same.len() as f64, expected))
        };
        met.chunk_by(|a, b| a == b).map(learn).collect()
    }

    fn by_weights(&self, tree: &Tree, good: &[KeptTest]) -> Vec<(CoreId, WeightDistribution)> {
        let mut features = self.cores(tree, good);
        features.dedup();
        LearntDistributions::from_weights(&features, good.iter().filter_map(|test| test.sample.as_deref()))
    }

    /// Returns the core conditions of tests, sorted, each as often as tests have it.
    fn cores(&self, tree: &Tree, tests: &[KeptTest]) -> Vec<CoreId> {
        let mut cores: Vec<CoreId> = tests.iter().flat_map(|test| self.paths.cores(tree, test.run)).collect();
        cores.sort_unstable();
        cores
    }

    /// Draws weights, by core condition, and a ratio, as an index; `None` if there are no features yet.
    pub fn draw(&mut self, settings: &HomiSettings, rng: &mut Rng) -> Option<(Vec<f32>, usize)> {
        let learnt = self.learnt.as_ref().filter(|learnt| !learnt.is_empty())?;
        let sample = learnt.draw(self.mode, settings.candidates, settings.ratio, rng);
        let drawn = (sample.by_core(), sample.ratio);
        self.sample = Some(Arc::new(sample));
        Some(drawn)
    }

    /// Returns the score of a state by these weights.
    pub fn score(&self, tree: &Tree, flip: Flip, weights: &[f32]) -> f32 {
        self.paths.score(tree, flip, weights)
    }
}
