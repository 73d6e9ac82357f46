//! Contexts: what is known of a parser's state between two pieces.

use cairn_exec::ProducedValue;
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// Kinds of contexts, from the least specific to the most: the reaction to the last value; with that value; and with
/// the value before it and the reaction to that.
pub(super) const LEVELS: usize = 3;

/// The contexts of one place, by level.
pub type PlaceContexts = [u64; LEVELS];

/// Contexts that places had.
#[derive(Clone, Debug, Default)]
pub(super) struct Contexts(FxHashSet<u64>);

impl Contexts {
    /// Adds the contexts of a place; returns the least specific one that is new.
    pub fn add(&mut self, contexts: &PlaceContexts) -> Option<usize> {
        let is_new = contexts.map(|context| self.0.insert(context));
        is_new.iter().position(|is_new| *is_new)
    }

    /// True if a place has a context that no other one had.
    pub fn is_new(&self, contexts: &PlaceContexts) -> bool {
        contexts.iter().any(|context| !self.0.contains(context))
    }
}

/// Returns the contexts behind some values; none if the program has asked for no other.
pub(super) fn contexts_behind(produced: &[ProducedValue]) -> Option<PlaceContexts> {
    let last = produced.last();
    if last.is_some_and(|last| last.reaction.is_none()) {
        return None;
    }
    let reaction = last.map(|last| last.reaction);
    let before = produced.len().checked_sub(2).map(|index| produced[index]);
    Some([digest((0, reaction)), digest((1, last)), digest((2, before, last))])
}

fn digest(context: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    context.hash(&mut hasher);
    hasher.finish()
}
