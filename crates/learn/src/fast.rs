//! A cheaper version of the published loop.
//!
//! Candidates are found by successive halving instead of a whole campaign each; the search starts near
//! weights that are good on other programs; the check is a race that includes the incumbent, so that
//! candidates are compared on the same seeds. Half of the samples are drawn near good weights. Known weights
//! are raced before anything is drawn: some of them are slow at first and best in the end, which halving
//! cannot see. Learning ends when the incumbent has won [`PATIENCE`] rounds in a row.

use crate::halving::{Rungs, halve};
use crate::objective::{Best, Objective, Phase, Stage, Stopped};
use crate::race::{MIN_TRIALS, race};
use crate::round::{Candidate, Learnt, best_first, measure_all};
use crate::size::Size;
use crate::space::{WeightSpace, Weights};
use oorandom::Rand64;

/// Rounds without improvement after which learning ends; a chosen bound.
const PATIENCE: u32 = 2;

/// Share of the best known coverage in one campaign from which a candidate may still win; a chosen bound.
const MIN_SHARE_OF_BEST: f64 = 0.9;

/// Runs rounds until the incumbent wins repeatedly. Starts near weights that are good on other programs, the
/// best of them first.
pub fn fast(features: usize, size: Size, known: &[Weights], objective: &mut dyn Objective) -> Learnt {
    let mut learner = FastLearner {
        size,
        known,
        space: WeightSpace::full(features),
        best: None,
        round: 0,
        rounds_without_gain: 0,
    };
    let stopped = learner.learn(objective).is_err();
    Learnt { best: learner.best, rounds: learner.round, stopped }
}

struct FastLearner<'a> {
    size: Size,
    known: &'a [Weights],
    space: WeightSpace,
    best: Option<Best>,
    round: u32,
    /// Rounds in a row that the incumbent has won.
    rounds_without_gain: u32,
}

impl FastLearner<'_> {
    fn learn(&mut self, objective: &mut dyn Objective) -> Result<(), Stopped> {
        let mut rng = Rand64::new(self.size.seed.into());
        if self.known.len() > 1 {
            self.race_known(objective, &mut rng)?;
        }
        while self.round < self.size.rounds && self.rounds_without_gain < PATIENCE {
            self.round += 1;
            let mut runners = self.find(objective, &mut rng)?;
            let before = self.incumbent().cloned();
            if let Some(before) =
                before.as_ref().filter(|before| runners.iter().all(|r| r.weights != **before))
            {
                runners.push(Candidate::new(before.clone()));
            }
            let settings = (self.size.trials, self.size.executions);
            let (raced, is_stopped) = race(objective, runners, settings, self.round, &mut rng)?;
            let best = raced[0].as_best();
            if is_stopped && self.best.is_some() && best.trials < MIN_TRIALS {
                // Too few measurements to revise the result of an earlier race.
                return Err(Stopped);
            }
            self.rounds_without_gain =
                if before.as_ref() == Some(&best.weights) { self.rounds_without_gain + 1 } else { 0 };
            objective.improved(&best);
            self.best = Some(best);
            if is_stopped {
                return Err(Stopped);
            }
            if let [best, second, ..] = &raced[..] {
                self.space = self.space.refined(&best.weights, &second.weights);
            }
        }
        Ok(())
    }

    /// Finds the best known weights by whole campaigns; those far behind after one get no more.
    fn race_known(&mut self, objective: &mut dyn Objective, rng: &mut Rand64) -> Result<(), Stopped> {
        let (known, executions) = (self.known.len() as u64, self.size.executions);
        let mut runners: Vec<Candidate> = self.known.iter().cloned().map(Candidate::new).collect();
        let stage = Stage { round: 1, phase: Phase::Check, rest: known * executions };
        measure_all(objective, stage, &mut runners, (rng.rand_u64(), executions))?;
        best_first(&mut runners);
        let enough = runners.first().map_or(0.0, Candidate::mean) * MIN_SHARE_OF_BEST;
        runners.retain(|runner| runner.mean() >= enough);
        let (raced, is_stopped) = race(objective, runners, (self.size.trials, executions), 1, rng)?;
        let best = raced[0].as_best();
        objective.improved(&best);
        self.best = Some(best);
        if is_stopped { Err(Stopped) } else { Ok(()) }
    }

    /// Returns the weights to beat.
    fn incumbent(&self) -> Option<&Weights> {
        self.best.as_ref().map(|best| &best.weights).or(self.known.first())
    }

    fn find(&mut self, objective: &mut dyn Objective, rng: &mut Rand64) -> Result<Vec<Candidate>, Stopped> {
        let Size { samples, top, executions, .. } = self.size;
        let drawn = self.draw(rng).into_iter().map(Candidate::new).collect();
        let rungs = Rungs::new(samples, top, executions);
        let rest = self.size.race();
        halve(objective, drawn, (&rungs, top), (self.round, rest), rng)
    }

    /// Draws the samples of a round: half of them near good weights, the others anywhere.
    fn draw(&self, rng: &mut Rand64) -> Vec<Weights> {
        let good = self.incumbent();
        let sample = |number| match good.filter(|_| number % 2 == 0) {
            Some(good) => self.space.draw_near(good, rng),
            None => self.space.draw(rng),
        };
        (0..self.size.samples).map(sample).collect()
    }
}
