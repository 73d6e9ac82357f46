//! The same loop made practical.
//!
//! Find by successive halving instead of a whole campaign for every sample; begin near weights that are good on other
//! programs; check by a race, in which the best so far takes part, so that better means better on the same luck. After the
//! first round half of what is drawn is near the best.

use crate::halving::{Rungs, halve};
use crate::objective::{Objective, Stopped};
use crate::race::race;
use crate::round::{Best, Candidate, Learnt};
use crate::space::{Space, Weights};
use oorandom::Rand64;

/// The size of fast learning.
#[derive(Clone, PartialEq, Debug)]
pub struct Fast {
    /// Weights drawn in a round.
    pub samples: u32,
    /// How many of them are checked.
    pub top: u32,
    /// Most campaigns for each that is checked.
    pub trials: u32,
    /// Executions of a whole campaign.
    pub executions: u64,
    /// Most rounds.
    pub rounds: u32,
    /// Of all that is random.
    pub seed: u64,
    /// Weights to begin with, the first the best.
    pub known: Vec<Weights>,
}

impl Fast {
    /// Executions of a round at most.
    pub fn executions_per_round(&self) -> u64 {
        Rungs::new(self.samples, self.top, self.executions).executions() + self.race_executions()
    }

    fn race_executions(&self) -> u64 {
        // The best so far races too.
        u64::from(self.top + 1) * u64::from(self.trials) * self.executions
    }
}

/// Rounds until the best so far wins again.
pub fn fast(features: usize, settings: Fast, objective: &mut dyn Objective) -> Learnt {
    let mut learner = Learner { settings, space: Space::full(features), best: None, round: 0 };
    let stopped = learner.learn(objective).is_err();
    Learnt { best: learner.best, rounds: learner.round, stopped }
}

struct Learner {
    settings: Fast,
    space: Space,
    best: Option<Best>,
    round: u32,
}

impl Learner {
    fn learn(&mut self, objective: &mut dyn Objective) -> Result<(), Stopped> {
        let mut rng = Rand64::new(self.settings.seed.into());
        while self.round < self.settings.rounds {
            self.round += 1;
            let mut found = self.find(objective, &mut rng)?;
            let before = self.best.as_ref().map(|best| best.weights.clone());
            found.extend(before.clone().map(Candidate::new));
            let settings = (self.settings.trials, self.settings.executions);
            let raced = race(objective, found, settings, self.round, &mut rng)?;
            let best = raced[0].as_best();
            objective.improved(&best);
            let is_old = before.is_some_and(|before| before == best.weights);
            self.best = Some(best);
            if is_old {
                break;
            }
            if let [best, second, ..] = &raced[..] {
                self.space = self.space.refined(&best.weights, &second.weights);
            }
        }
        Ok(())
    }

    fn find(&mut self, objective: &mut dyn Objective, rng: &mut Rand64) -> Result<Vec<Candidate>, Stopped> {
        let Fast { samples, top, executions, .. } = self.settings;
        let drawn = self.draw(rng).into_iter().map(Candidate::new).collect();
        let rungs = Rungs::new(samples, top, executions);
        let rest = self.settings.race_executions();
        halve(objective, drawn, (&rungs, top), (self.round, rest), rng)
    }

    /// The samples of a round: in the first what is known, half of the rest near what is good, and others anywhere.
    fn draw(&self, rng: &mut Rand64) -> Vec<Weights> {
        let samples = self.settings.samples as usize;
        let mut drawn = if self.best.is_none() { self.settings.known.clone() } else { Vec::new() };
        drawn.truncate(samples);
        let good: Vec<&Weights> = match &self.best {
            Some(best) => vec![&best.weights],
            None => self.settings.known.iter().collect(),
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
