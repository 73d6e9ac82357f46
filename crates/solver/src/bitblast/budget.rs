//! The work that one attempt at a circuit may take, counted so that equal queries get equal answers.

use cairn_deadline::{Deadline, Pace};
use std::time::Duration;

/// Nominal nanoseconds between two looks at the clock.
const NANOS_PER_CLOCK: u64 = 1_000_000;

/// Kinds of work on a gate or a word of a matrix, with their nominal time in nanoseconds: estimated from
/// profiles of queries of bc and zlib on a busy machine, to be calibrated.
#[derive(Clone, Copy, Debug)]
pub(super) enum Work {
    /// Building a gate from an expression.
    Build = 200,
    /// Visiting a gate on the way from the roots.
    Visit = 10,
    /// Copying a gate under facts.
    Rewrite = 120,
    /// Passing a set of rows through a gate.
    Expand = 5,
    /// Adding a word of one row to that of another.
    AddWord = 1,
    /// Giving a clause to the SAT solver, which copies, watches, propagates and frees it.
    Clause = 400,
    /// A tick of CaDiCaL.
    Tick = 25,
}

/// Reason for stopping: the effort is used up, or the deadline is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct UsedUp;

/// The effort of an attempt, which every step reduces.
pub(super) struct Budget {
    limit: u64,
    spent: u64,
    pace: Pace,
}

impl Budget {
    /// Returns a budget of this effort, to be used until the deadline.
    pub(super) fn new(effort: Duration, deadline: &Deadline) -> Budget {
        let limit = u64::try_from(effort.as_nanos()).unwrap_or(u64::MAX);
        Budget { limit, spent: 0, pace: Pace::new(deadline, NANOS_PER_CLOCK) }
    }

    /// Returns a budget without end.
    #[cfg(test)]
    pub(super) fn unlimited() -> Budget {
        Budget::new(Duration::MAX, &Deadline::never())
    }

    /// Counts `count` pieces of work of one kind.
    pub(super) fn spend(&mut self, work: Work, count: usize) -> Result<(), UsedUp> {
        let nanos = work as u64 * count as u64;
        self.spent += nanos;
        if self.pace.is_over_after(nanos) || self.spent > self.limit { Err(UsedUp) } else { Ok(()) }
    }

    /// Returns the effort spent.
    pub(super) fn spent(&self) -> Duration {
        Duration::from_nanos(self.spent)
    }

    /// Returns the effort left.
    pub(super) fn left(&self) -> Duration {
        Duration::from_nanos(self.limit.saturating_sub(self.spent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_with_the_effort_or_the_deadline() {
        let effort = Duration::from_nanos(10 * Work::Build as u64);
        let mut budget = Budget::new(effort, &Deadline::never());
        assert_eq!(budget.spend(Work::Build, 10), Ok(()));
        assert_eq!((budget.spent(), budget.left()), (effort, Duration::ZERO));
        assert_eq!(budget.spend(Work::AddWord, 1), Err(UsedUp));
        let mut late = Budget::new(Duration::MAX, &Deadline::after(Duration::ZERO));
        assert_eq!(late.spend(Work::AddWord, 1), Err(UsedUp));
    }
}
