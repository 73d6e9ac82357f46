//! A race: candidates are measured repeatedly, on the same seeds, until the others are significantly behind.

use crate::objective::{Objective, Phase, Stage, Stopped};
use crate::round::{Candidate, best_first, measure_all};
use crate::statistics::are_below_zero;
use oorandom::Rand64;

/// Number of measurements before the first candidate is dropped; a chosen bound.
pub(crate) const MIN_TRIALS: u32 = 3;

/// Runs a race of at most `trials` measurements each; returns the remaining candidates, the best first. Two
/// always stay, since the ranges are refined by what the best two have in common. The flag is true if the
/// race was stopped: its measurements so far count.
pub(crate) fn race(
    objective: &mut dyn Objective,
    candidates: Vec<Candidate>,
    (trials, executions): (u32, u64),
    round: u32,
    rng: &mut Rand64,
) -> Result<(Vec<Candidate>, bool), Stopped> {
    let mut running: Vec<_> = candidates.into_iter().map(|found| Candidate::new(found.weights)).collect();
    for trial in 1..=trials {
        let rest = running.len() as u64 * u64::from(trials - trial) * executions;
        let stage = Stage { round, phase: Phase::Check, rest };
        match measure_all(objective, stage, &mut running, (rng.rand_u64(), executions)) {
            Err(Stopped) if trial > 1 => return Ok((running, true)),
            measured => measured?,
        }
        best_first(&mut running);
        if trial >= MIN_TRIALS {
            drop_inferior(&mut running);
        }
        if running.len() <= 2 && trial >= MIN_TRIALS && is_decided(&running) {
            break;
        }
    }
    Ok((running, false))
}

fn drop_inferior(running: &mut Vec<Candidate>) {
    let leader = running[0].scores.clone();
    let mut rank = 0;
    running.retain(|candidate| {
        rank += 1;
        rank <= 2 || !is_behind(candidate, &leader)
    });
}

fn is_decided(running: &[Candidate]) -> bool {
    running.len() < 2 || is_behind(&running[1], &running[0].scores)
}

fn is_behind(candidate: &Candidate, leader: &[f64]) -> bool {
    let differences: Vec<f64> = candidate.scores.iter().zip(leader).map(|(own, best)| own - best).collect();
    are_below_zero(&differences)
}
