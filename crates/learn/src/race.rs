//! A race: candidates are measured again and again, on the same luck, until the others are clearly behind.

use crate::objective::{Objective, Phase, Stage, Stopped};
use crate::round::{Candidate, best_first, measure_all};
use crate::statistics::are_below_zero;
use oorandom::Rand64;

/// Measurements before anybody is dropped.
pub(crate) const FAIR_START: u32 = 3;

/// Runs a race of at most `trials` measurements each; the best first, those that were dropped left out. Two always stay: what
/// the best two have in common is what is learnt. Also tells whether it was stopped: what was measured by then counts.
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
        if trial >= FAIR_START {
            drop_losers(&mut running);
        }
        if running.len() <= 2 && trial >= FAIR_START && is_decided(&running) {
            break;
        }
    }
    Ok((running, false))
}

fn drop_losers(running: &mut Vec<Candidate>) {
    let leader = running[0].scores.clone();
    let mut place = 0;
    running.retain(|candidate| {
        place += 1;
        place <= 2 || !is_behind(candidate, &leader)
    });
}

fn is_decided(running: &[Candidate]) -> bool {
    running.len() < 2 || is_behind(&running[1], &running[0].scores)
}

fn is_behind(candidate: &Candidate, leader: &[f64]) -> bool {
    let differences: Vec<f64> = candidate.scores.iter().zip(leader).map(|(own, best)| own - best).collect();
    are_below_zero(&differences)
}
