//! Evidence: what attempts at queries of each class have cost, and how often they were answered.
//!
//! An estimate for a class starts from that of the next coarser class, which counts as a few observations, and
//! moves to the class's own figures as these become many (hierarchical shrinkage). So a form of query that was
//! never seen is judged by its relatives, and a form that an engine never answers is noticed after a few.

use super::query_class::ClassKeys;
use rustc_hash::FxHashMap;
use std::time::Duration;

/// Observations that the estimate of the coarser class counts for; a chosen number.
const PRIOR_WEIGHT: f64 = 2.0;
/// Classes kept; a campaign has thousands, and when there are more the rare ones are not worth keeping.
const MAX_CLASSES: usize = 100_000;

/// An engine and the number of its attempts at the same query so far.
pub(super) type Step = (u8, u8);

/// Attempts of one engine at queries of one class.
#[derive(Clone, Copy, Default)]
struct Record {
    tried: f64,
    answered: f64,
    /// Effort of all attempts, in nanoseconds.
    nanos: f64,
}

/// Estimate for an attempt.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Estimate {
    /// Probability of an answer.
    pub(super) chance: f64,
    /// Mean effort in nanoseconds.
    pub(super) nanos: f64,
}

/// Records of all attempts.
#[derive(Default)]
pub(super) struct Evidence {
    records: FxHashMap<(u64, Step), Record>,
}

impl Evidence {
    /// Records an attempt at a query.
    pub(super) fn record(&mut self, keys: &ClassKeys, step: Step, is_answered: bool, spent: Duration) {
        if self.records.len() > MAX_CLASSES {
            self.records.retain(|_, record| record.tried > 1.0);
        }
        for key in keys {
            let record = self.records.entry((*key, step)).or_default();
            record.tried += 1.0;
            record.answered += f64::from(u8::from(is_answered));
            record.nanos += spent.as_nanos() as f64;
        }
    }

    /// Estimates an attempt with this effort. Without any evidence it is as likely as not to be answered, and
    /// takes all its effort.
    pub(super) fn estimate(&self, keys: &ClassKeys, step: Step, effort: Duration) -> Estimate {
        let prior = Estimate { chance: 0.5, nanos: effort.as_nanos() as f64 };
        keys.iter().rev().fold(prior, |coarser, key| match self.records.get(&(*key, step)) {
            None => coarser,
            Some(record) => {
                let weight = record.tried + PRIOR_WEIGHT;
                Estimate {
                    chance: (record.answered + PRIOR_WEIGHT * coarser.chance) / weight,
                    nanos: (record.nanos + PRIOR_WEIGHT * coarser.nanos) / weight,
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EFFORT: Duration = Duration::from_millis(1);
    const STEP: Step = (2, 0);

    #[test]
    fn a_form_that_is_never_answered_falls_below_its_relatives() {
        let mut evidence = Evidence::default();
        let [hopeless, fine, unseen] = [[1, 10, 20], [2, 10, 20], [3, 10, 20]];
        for _ in 0..20 {
            evidence.record(&hopeless, STEP, false, EFFORT);
            evidence.record(&fine, STEP, true, EFFORT / 10);
        }
        let chance = |keys: &ClassKeys| evidence.estimate(keys, STEP, EFFORT).chance;
        assert!(chance(&hopeless) < 0.1 && chance(&fine) > 0.9, "{} {}", chance(&hopeless), chance(&fine));
        assert!((0.4..0.6).contains(&chance(&unseen)), "{}", chance(&unseen));
        let nanos = |keys: &ClassKeys| evidence.estimate(keys, STEP, EFFORT).nanos;
        assert!(nanos(&hopeless) > 8.0 * nanos(&fine) / 2.0);
        assert_eq!(
            evidence.estimate(&unseen, (3, 0), EFFORT).chance,
            0.5,
            "of another engine nothing is known"
        );
    }

    #[test]
    fn memory_is_bounded() {
        let mut evidence = Evidence::default();
        for key in 0..2 * MAX_CLASSES as u64 {
            evidence.record(&[3 * key, 3 * key + 1, 3 * key + 2], STEP, true, EFFORT);
        }
        assert!(evidence.records.len() <= MAX_CLASSES + 3);
    }
}
