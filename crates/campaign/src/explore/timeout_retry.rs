//! Retries queries that the solver gave up on, once the strategy has run out of flips.
//!
//! Each round doubles the time limit. Only a campaign with a time budget does so: without one it should end
//! when the strategy is done.

use cairn_tree::{Flip, FlipState, StepKind, Tree};
use std::time::Duration;

/// Time limit of the first round; a chosen value.
const FIRST_LIMIT: Duration = Duration::from_secs(2);
/// Maximum time limit: a day, more than any campaign has. Reaching it costs little: queries that no round
/// can answer are rejected without being tried.
const MAX_LIMIT: Duration = Duration::from_secs(86_400);

/// Flips to retry in the current round.
pub(super) struct TimeoutRetry {
    waiting: Vec<Flip>,
    /// Time limit of the next round.
    next_limit: Duration,
}

impl Default for TimeoutRetry {
    fn default() -> TimeoutRetry {
        TimeoutRetry { waiting: Vec::new(), next_limit: FIRST_LIMIT }
    }
}

impl TimeoutRetry {
    /// Returns the next flip to retry.
    pub(super) fn next(&mut self, tree: &Tree) -> Option<Flip> {
        std::iter::from_fn(|| self.waiting.pop()).find(|flip| tree.state(*flip) == FlipState::Unknown)
    }

    /// Begins a round; returns its time limit, None if there is nothing to retry. Untried constants of a
    /// concretization were not given up on: there are just too many.
    pub(super) fn begin_round(&mut self, tree: &Tree) -> Option<Duration> {
        let is_branch = |flip: &Flip| tree.node(flip.node).kind == StepKind::Branch;
        self.waiting = tree.flips_in(FlipState::Unknown).filter(is_branch).collect();
        self.waiting.reverse();
        let limit = self.next_limit;
        if self.waiting.is_empty() || limit > MAX_LIMIT {
            return None;
        }
        self.next_limit *= 2;
        Some(limit)
    }
}
