//! What a campaign does with time that is left when the strategy has nothing more to try.
//!
//! Questions the solver gave up on are asked again, round after round, each time with twice the effort. Only a campaign
//! that was given a time does so: without one nobody would wait for it.

use cairn_tree::{Flip, FlipState, StepKind, Tree};
use std::time::Duration;

/// What a question may take in the first round.
const FIRST: Duration = Duration::from_secs(2);
/// No campaign has the time for more. Queries that get no answer in any round are refused without being tried, so that
/// all rounds together take next to no time.
const LAST: Duration = Duration::from_secs(86_400);

/// Flips that are asked for once more.
pub(crate) struct Insistence {
    waiting: Vec<Flip>,
    /// What a question may take in the next round.
    effort: Duration,
}

impl Default for Insistence {
    fn default() -> Insistence {
        Insistence { waiting: Vec::new(), effort: FIRST }
    }
}

impl Insistence {
    /// The next flip to ask for again.
    pub(crate) fn next(&mut self, tree: &Tree) -> Option<Flip> {
        std::iter::from_fn(|| self.waiting.pop()).find(|flip| tree.state(*flip) == FlipState::Unknown)
    }

    /// Begins a round: what a question may take in it, if there is any to ask. Other constants of a pin are no question
    /// that was given up on: there are just too many.
    pub(crate) fn begin(&mut self, tree: &Tree) -> Option<Duration> {
        let is_branch = |flip: &Flip| tree.node(flip.node).kind == StepKind::Branch;
        self.waiting = tree.flips_in(FlipState::Unknown).filter(is_branch).collect();
        self.waiting.reverse();
        let effort = self.effort;
        if self.waiting.is_empty() || effort > LAST {
            return None;
        }
        self.effort *= 2;
        Some(effort)
    }
}
