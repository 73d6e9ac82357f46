//! Successive halving: all candidates are measured briefly, the better ones longer.

use crate::objective::{Objective, Phase, Stage, Stopped};
use crate::round::{Candidate, best_first, measure_all};
use oorandom::Rand64;

/// Factor by which the number of candidates falls, and the length of campaigns grows, from rung to rung.
const FACTOR: u64 = 4;
/// Shortest informative campaign, in executions; a chosen bound.
const MIN_EXECUTIONS: u64 = 60;

/// The number of candidates and the executions of each, rung by rung.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rungs(Vec<(u32, u64)>);

impl Rungs {
    /// Creates the rungs that leave `top` of `samples` candidates. The last is half a campaign long, since
    /// the remaining ones will be measured in whole campaigns anyway.
    pub fn new(samples: u32, top: u32, executions: u64) -> Rungs {
        let mut rungs = Vec::new();
        let (mut alive, mut length) = (u64::from(top.max(1)), (executions / 2).max(1));
        loop {
            let last = length < MIN_EXECUTIONS * FACTOR || alive * FACTOR >= u64::from(samples);
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

    /// Returns the executions of all rungs.
    pub fn executions(&self) -> u64 {
        executions(&self.0)
    }
}

fn executions(rungs: &[(u32, u64)]) -> u64 {
    rungs.iter().map(|(alive, length)| u64::from(*alive) * length).sum()
}

/// Returns the best `top` candidates; each rung has its own seed, and only its own measurements count.
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
        let is_short_of_time = candidates.len() < wanted;
        best_first(&mut candidates);
        if is_short_of_time {
            break;
        }
    }
    candidates.truncate(top as usize);
    Ok(candidates)
}
