//! The same loop made practical.
//!
//! Find by successive halving instead of a whole campaign for every sample; begin near weights that are good on other
//! programs; check by a race, in which the best so far takes part, so that better means better on the same luck. Half of
//! what is drawn is near what is good already. What is known from elsewhere is raced before anything is drawn: some of it is slow at first and
//! best in the end, which halving cannot see. It ends when the best so far has won [`PATIENCE`] rounds in a row.

use crate::halving::{Rungs, halve};
use crate::objective::{Objective, Phase, Stage, Stopped};
use crate::race::{FAIR_START, race};
use crate::round::{Best, Candidate, Learnt, best_first, measure_all};
use crate::size::Size;
use crate::space::{Space, Weights};
use oorandom::Rand64;

/// Rounds without anything better after which there is nothing more to be learnt.
const PATIENCE: u32 = 2;

/// The share of what the best of the known covers in one campaign with which another may still be better.
const HOPEFUL: f64 = 0.9;

/// Rounds until the best so far wins again and again. Begins near weights that are known to be good elsewhere, the first of them the best.
pub fn fast(features: usize, size: Size, known: &[Weights], objective: &mut dyn Objective) -> Learnt {
    let mut learner = Learner { size, known, space: Space::full(features), best: None, round: 0, vain: 0 };
    let stopped = learner.learn(objective).is_err();
    Learnt { best: learner.best, rounds: learner.round, stopped }
}

struct Learner<'a> {
    size: Size,
    known: &'a [Weights],
    space: Space,
    best: Option<Best>,
    round: u32,
    /// Rounds in a row that the best so far has won.
    vain: u32,
}

impl Learner<'_> {
    fn learn(&mut self, objective: &mut dyn Objective) -> Result<(), Stopped> {
        let mut rng = Rand64::new(self.size.seed.into());
        if self.known.len() > 1 {
            self.race_known(objective, &mut rng)?;
        }
        while self.round < self.size.rounds && self.vain < PATIENCE {
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
            if is_stopped && self.best.is_some() && best.trials < FAIR_START {
                // Too little to doubt what an earlier race has shown.
                return Err(Stopped);
            }
            self.vain = if before.as_ref() == Some(&best.weights) { self.vain + 1 } else { 0 };
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

    /// Finds the best of what is known: by whole campaigns, of which those that are far behind after one make no more.
    fn race_known(&mut self, objective: &mut dyn Objective, rng: &mut Rand64) -> Result<(), Stopped> {
        let (known, executions) = (self.known.len() as u64, self.size.executions);
        let mut runners: Vec<Candidate> = self.known.iter().cloned().map(Candidate::new).collect();
        let stage = Stage { round: 1, phase: Phase::Check, rest: known * executions };
        measure_all(objective, stage, &mut runners, (rng.rand_u64(), executions))?;
        best_first(&mut runners);
        let enough = runners.first().map_or(0.0, Candidate::mean) * HOPEFUL;
        runners.retain(|runner| runner.mean() >= enough);
        let (raced, is_stopped) = race(objective, runners, (self.size.trials, executions), 1, rng)?;
        let best = raced[0].as_best();
        objective.improved(&best);
        self.best = Some(best);
        if is_stopped { Err(Stopped) } else { Ok(()) }
    }

    /// What is to be beaten.
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

    /// The samples of a round: half of them near what is good, and others anywhere.
    fn draw(&self, rng: &mut Rand64) -> Vec<Weights> {
        let good = self.incumbent();
        let sample = |number| match good.filter(|_| number % 2 == 0) {
            Some(good) => self.space.draw_near(good, rng),
            None => self.space.draw(rng),
        };
        (0..self.size.samples).map(sample).collect()
    }
}
