//! States from which a search has failed: what later bytes depend on, with no solution behind it.
//!
//! A scanner's automaton has few states, however many inputs lead to each. So a search that remembers the
//! states it failed from visits each once per byte, and decides in milliseconds what has no end otherwise.

use rustc_hash::FxHashSet;

/// Steps that a failed search must have taken to be remembered: a multiple of what a look-up costs.
const MIN_WORK: u64 = 500;
/// States that are remembered for one query, a chosen bound: some 16 MiB.
const MAX_STATES: usize = 1 << 17;

/// The states of each level from which there is no solution.
#[derive(Default)]
pub(super) struct FailedStates {
    levels: Vec<FxHashSet<Box<[u64]>>>,
    count: usize,
}

impl FailedStates {
    /// True if any state of the level is known.
    pub(super) fn knows_any(&self, level: usize) -> bool {
        self.levels.get(level).is_some_and(|states| !states.is_empty())
    }

    /// True if there is no solution from this state.
    pub(super) fn contains(&self, level: usize, state: &[u64]) -> bool {
        self.levels[level].contains(state)
    }

    /// True if a failure that took this work is worth remembering.
    pub(super) fn is_worth(&self, work: u64) -> bool {
        work >= MIN_WORK && self.count < MAX_STATES
    }

    /// Remembers that there is no solution from this state.
    pub(super) fn insert(&mut self, level: usize, state: Box<[u64]>) {
        if self.levels.len() <= level {
            self.levels.resize(level + 1, FxHashSet::default());
        }
        self.count += usize::from(self.levels[level].insert(state));
    }
}
