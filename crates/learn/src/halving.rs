//! Successive halving: everybody is looked at briefly, the better ones longer.

use crate::objective::{Objective, Phase, Stage, Stopped};
use crate::round::{Candidate, best_first, measure_all};
use oorandom::Rand64;

/// Of so many the best one goes on to a rung that is so many times longer.
const FACTOR: u64 = 4;
/// The shortest campaign that says anything.
const SHORTEST: u64 = 60;

/// How many candidates are measured, and for how many executions each, rung by rung.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rungs(Vec<(u32, u64)>);

impl Rungs {
    /// The rungs that leave `top` of `samples` candidates. The last is half a campaign long: those who are left will be looked
    /// at in whole campaigns anyway.
    pub fn new(samples: u32, top: u32, executions: u64) -> Rungs {
        let mut rungs = Vec::new();
        let (mut alive, mut length) = (u64::from(top.max(1)), (executions / 2).max(1));
        loop {
            let last = length < SHORTEST * FACTOR || alive * FACTOR >= u64::from(samples);
            alive = if last { u64::from(samples) } else { alive * FACTOR };
            rungs.push((alive as u32, length));
            if last {
                break;
            }
            length /= FACTOR;
        }
        rungs.reverse();
        Rungs(rungs)
    }

    /// Executions of all.
    pub fn executions(&self) -> u64 {
        executions(&self.0)
    }
}

fn executions(rungs: &[(u32, u64)]) -> u64 {
    rungs.iter().map(|(alive, length)| u64::from(*alive) * length).sum()
}

/// The best `top` of these; each rung has luck of its own, and only its own measurements count.
pub(crate) fn halve(
    objective: &mut dyn Objective,
    mut candidates: Vec<Candidate>,
    (rungs, top): (&Rungs, u32),
    (round, rest): (u32, u64),
    rng: &mut Rand64,
) -> Result<Vec<Candidate>, Stopped> {
    for (rung, (alive, length)) in rungs.0.iter().enumerate() {
        candidates.truncate(*alive as usize);
        candidates.iter_mut().for_each(|candidate| candidate.scores.clear());
        let later = executions(&rungs.0[rung + 1..]);
        let stage = Stage { round, phase: Phase::Find, rest: later + rest };
        let wanted = candidates.len();
        measure_all(objective, stage, &mut candidates, (rng.rand_u64(), *length))?;
        let is_late = candidates.len() < wanted;
        best_first(&mut candidates);
        if is_late {
            break;
        }
    }
    candidates.truncate(top as usize);
    Ok(candidates)
}
