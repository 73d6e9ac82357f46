//! The account of effort: how much work may go into queries that end without an answer.
//!
//! A query in vain costs as much as hundreds of executions, and no rule says in advance which one it is. So the
//! share of such work is bounded: executions and answered queries earn credit, a query without an answer spends
//! it. With much credit a query may take long at once; in debt, only what takes next to nothing is tried, and
//! the rest is deferred until there is credit again.
//!
//! Amounts are nominal time, not clock time, so that campaigns repeat.

use std::time::Duration;

/// Share of all work that may be in vain: executions earn this part of what they cost.
const SHARE: f64 = 0.1;
/// Credit to begin with, so that the hard queries of a small program are answered at once.
const INITIAL: Duration = Duration::from_secs(1);
/// Effort that every query may take: enough for first attempts of enumeration and local search.
const LEAST: Duration = Duration::from_micros(250);
/// Effort of a flip's first query at most: a multiple of what the bit-blaster needs as a rule.
const FIRST: Duration = Duration::from_millis(32);
/// Nominal time of an execution, and of each label in its trace: measured with `auto` on the JSON parser.
const EXECUTION: Duration = Duration::from_micros(200);
const LABEL: Duration = Duration::from_nanos(50);

/// Credit for work in vain.
pub(super) struct EffortAccount {
    credit: Duration,
    /// Effort spent beyond the credit.
    debt: Duration,
    /// Sum of the work so far.
    work: Duration,
}

impl Default for EffortAccount {
    fn default() -> EffortAccount {
        EffortAccount { credit: INITIAL, debt: Duration::ZERO, work: Duration::ZERO }
    }
}

impl EffortAccount {
    /// Returns the effort that the first query of a flip may take.
    pub(super) fn first_effort(&self) -> Duration {
        self.credit.clamp(LEAST, FIRST)
    }

    /// True if a flip can be queried again with this effort, and credit for first queries is left.
    pub(super) fn affords(&self, effort: Duration) -> bool {
        self.credit >= effort * 2
    }

    /// Earns credit with an execution.
    pub(super) fn executed(&mut self, labels: u64) {
        let nominal = EXECUTION + LABEL * u32::try_from(labels).unwrap_or(u32::MAX);
        self.work += nominal;
        self.earn(nominal);
    }

    /// Earns or spends credit with a query.
    pub(super) fn queried(&mut self, is_answered: bool, effort: Duration) {
        self.work += effort;
        match is_answered {
            true => self.earn(effort),
            false => {
                self.debt += effort.saturating_sub(self.credit);
                self.credit = self.credit.saturating_sub(effort);
            }
        }
    }

    /// Returns the nominal time of all executions and queries, without mutants.
    pub(super) fn work(&self) -> Duration {
        self.work
    }

    fn earn(&mut self, useful: Duration) {
        let earned = useful.mul_f64(SHARE / (1.0 - SHARE));
        self.credit += earned.saturating_sub(self.debt);
        self.debt = self.debt.saturating_sub(earned);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_work_in_vain_is_bounded() {
        let mut account = EffortAccount::default();
        let (mut useful, mut in_vain) = (Duration::ZERO, Duration::ZERO);
        for _ in 0..100_000 {
            account.executed(1_000);
            useful += EXECUTION + LABEL * 1_000;
            let effort = account.first_effort();
            if effort == FIRST {
                account.queried(false, effort);
                in_vain += effort;
            }
        }
        let share = (in_vain - INITIAL).as_secs_f64() / (useful + in_vain).as_secs_f64();
        assert!((0.08..0.11).contains(&share), "{share}");
        assert!(!account.affords(Duration::from_secs(1)));
    }

    #[test]
    fn without_credit_a_query_still_gets_what_cheap_engines_need() {
        let mut account = EffortAccount::default();
        account.queried(false, Duration::from_secs(3));
        assert_eq!(account.first_effort(), LEAST);
        account.queried(true, Duration::from_secs(9));
        assert_eq!(account.first_effort(), LEAST, "two seconds of debt, of which one is paid");
        account.queried(true, Duration::from_secs(60));
        assert!(account.first_effort() == FIRST && account.affords(Duration::from_secs(2)));
    }
}
