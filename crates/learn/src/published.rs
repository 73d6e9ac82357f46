//! Learning as published: one whole campaign for each sample, then several for each of the best.

use crate::objective::{Best, Objective, Phase, Stage, Stopped};
use crate::round::{Candidate, Learnt, best_first, measure_all};
use crate::size::Size;
use crate::space::WeightSpace;
use oorandom::Rand64;

/// Runs rounds until the best of a round is no better than that of the round before it.
pub fn published(features: usize, size: Size, objective: &mut dyn Objective) -> Learnt {
    let mut learner = PublishedLearner { size, space: WeightSpace::full(features), best: None, round: 0 };
    let stopped = learner.learn(objective).is_err();
    Learnt { best: learner.best, rounds: learner.round, stopped }
}

struct PublishedLearner {
    size: Size,
    space: WeightSpace,
    best: Option<Best>,
    round: u32,
}

impl PublishedLearner {
    fn learn(&mut self, objective: &mut dyn Objective) -> Result<(), Stopped> {
        let mut rng = Rand64::new(self.size.seed.into());
        while self.round < self.size.rounds {
            self.round += 1;
            let found = self.find(objective, &mut rng)?;
            let checked = self.check(objective, found, &mut rng)?;
            let best = checked[0].as_best();
            if self.best.as_ref().is_some_and(|before| best.mean <= before.mean) {
                break;
            }
            objective.improved(&best);
            self.best = Some(best);
            if let [best, second, ..] = &checked[..] {
                self.space = self.space.refined(&best.weights, &second.weights);
            }
        }
        Ok(())
    }

    fn stage(&self, phase: Phase, campaigns: u32) -> Stage {
        Stage { round: self.round, phase, rest: u64::from(campaigns) * self.size.executions }
    }

    fn find(&self, objective: &mut dyn Objective, rng: &mut Rand64) -> Result<Vec<Candidate>, Stopped> {
        let Size { samples, top, trials, executions, .. } = self.size;
        let mut drawn: Vec<_> = (0..samples).map(|_| Candidate::new(self.space.draw(rng))).collect();
        let stage = self.stage(Phase::Find, top.min(samples) * trials);
        measure_all(objective, stage, &mut drawn, (rng.rand_u64(), executions))?;
        best_first(&mut drawn);
        drawn.truncate(top as usize);
        Ok(drawn)
    }

    fn check(
        &self,
        objective: &mut dyn Objective,
        found: Vec<Candidate>,
        rng: &mut Rand64,
    ) -> Result<Vec<Candidate>, Stopped> {
        let mut checked: Vec<_> = found.into_iter().map(|found| Candidate::new(found.weights)).collect();
        for trial in 1..=self.size.trials {
            let stage = self.stage(Phase::Check, checked.len() as u32 * (self.size.trials - trial));
            measure_all(objective, stage, &mut checked, (rng.rand_u64(), self.size.executions))?;
        }
        best_first(&mut checked);
        Ok(checked)
    }
}
