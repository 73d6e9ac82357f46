//! The same loop made practical.
//!
//! Find by successive halving instead of a whole campaign for every sample; begin near weights that are good on other
//! programs; check by a race, in which the best so far takes part, so that better means better on the same luck. Half of
//! what is drawn is near what is good already. It ends when the best so far has won [`PATIENCE`] rounds in a row.

use crate::halving::{Rungs, halve};
use crate::objective::{Objective, Stopped};
use crate::race::{FAIR_START, race};
use crate::round::{Best, Candidate, Learnt};
use crate::size::Size;
use crate::space::{Space, Weights};
use oorandom::Rand64;

/// Rounds without anything better after which there is nothing more to be learnt.
const PATIENCE: u32 = 2;

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

    /// The samples of a round: in the first what is known, half of the rest near what is good, and others anywhere.
    fn draw(&self, rng: &mut Rand64) -> Vec<Weights> {
        let samples = self.size.samples as usize;
        let mut drawn = if self.best.is_none() { self.known.to_vec() } else { Vec::new() };
        drawn.truncate(samples);
        let good: Vec<&Weights> = match &self.best {
            Some(best) => vec![&best.weights],
            None => self.known.iter().collect(),
        };
        while drawn.len() < samples {
            let near = good.get((drawn.len() / 2) % good.len().max(1)).filter(|_| drawn.len() % 2 == 0);
            drawn.push(match near {
                Some(near) => self.space.draw_near(near, rng),
                None => self.space.draw(rng),
            });
        }
        drawn
    }
}
