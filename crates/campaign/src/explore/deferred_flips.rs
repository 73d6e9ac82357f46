//! Flips that the solver did not answer with the effort it was given, and when they are queried again.
//!
//! While the search goes on, deferred flips are queried again one by one, each with a multiple of its last
//! effort, as often as the account of effort affords it. Once the strategy has run out of flips, the rest of
//! them follows, up to the limit of a query. If there is still time then, all flips without an outcome are
//! queried in rounds, each with twice the effort of the one before; without a time budget a campaign should end
//! when the strategy is done.

use cairn_tree::{Flip, FlipState, StepKind, Tree};
use std::collections::VecDeque;
use std::time::Duration;

/// Growth of a flip's effort from one query to the next: all before it cost a seventh of the last.
const GROWTH: u32 = 8;
/// Maximum effort of a round: a day, more than any campaign has. Reaching it costs little: queries that no
/// round can answer are rejected without being tried.
const MAX_LIMIT: Duration = Duration::from_secs(86_400);

/// Deferred flips.
pub(super) struct DeferredFlips {
    /// Flips with the effort of their next query, in the order in which they were deferred.
    waiting: VecDeque<(Flip, Duration)>,
    /// Flips that the present round has not queried yet.
    round: Vec<Flip>,
    /// Limit of a query.
    limit: Duration,
    /// Effort of the present round's queries, and of the next round's.
    round_limit: Duration,
    next_limit: Duration,
}

impl DeferredFlips {
    /// Returns an empty list; before the rounds no query has more effort than `limit`.
    pub(super) fn new(limit: Duration) -> DeferredFlips {
        let (waiting, round, round_limit) = Default::default();
        DeferredFlips { waiting, round, limit, round_limit, next_limit: limit * 2 }
    }

    /// Adds a flip that was not answered with this effort.
    pub(super) fn add(&mut self, flip: Flip, effort: Duration) {
        if effort < self.limit {
            self.waiting.push_back((flip, (effort * GROWTH).min(self.limit)));
        }
    }

    /// Removes all flips: the tree they are in is forgotten.
    pub(super) fn clear(&mut self) {
        (self.waiting, self.round) = Default::default();
    }

    /// Returns the effort of the next flip to query again, if one is waiting.
    pub(super) fn next_effort(&mut self, tree: &Tree) -> Option<Duration> {
        while self.waiting.front().is_some_and(|(flip, _)| tree.state(*flip) != FlipState::Unknown) {
            self.waiting.pop_front();
        }
        self.waiting.front().map(|(_, effort)| *effort)
    }

    /// Removes the next flip to query again, and returns it with its effort.
    pub(super) fn pop(&mut self, tree: &Tree) -> Option<(Flip, Duration)> {
        self.next_effort(tree)?;
        self.waiting.pop_front()
    }

    /// Returns the next flip of the present round, and its effort.
    pub(super) fn next_of_round(&mut self, tree: &Tree) -> Option<(Flip, Duration)> {
        let flip =
            std::iter::from_fn(|| self.round.pop()).find(|flip| tree.state(*flip) == FlipState::Unknown)?;
        Some((flip, self.round_limit))
    }

    /// Returns the effort of the next round, if there is something to query in it. Untried constants of a
    /// concretization were not given up on: there are just too many.
    pub(super) fn prepare_round(&mut self, tree: &Tree) -> Option<Duration> {
        if self.next_limit > MAX_LIMIT {
            return None;
        }
        let is_branch = |flip: &Flip| tree.node(flip.node).kind == StepKind::Branch;
        self.round = tree.flips_in(FlipState::Unknown).filter(is_branch).collect();
        self.round.reverse();
        (!self.round.is_empty()).then_some(self.next_limit)
    }

    /// Begins the round that was prepared.
    pub(super) fn begin_round(&mut self, effort: Duration) {
        self.round_limit = effort;
        self.next_limit = effort * 2;
    }
}
