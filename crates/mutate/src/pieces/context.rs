//! Contexts: what is known of a parser's state between two pieces.
//!
//! The program's reaction to a value is a set of branches. Sets as a whole are too many: behind the last piece of a
//! statement, a program may execute it. So a place is told from others by single branches, as coverage tells inputs
//! apart: it is new if the reaction has a branch that no other reaction had, or none to the same value, or
//! if it is the first behind two values.

use cairn_exec::ProducedValue;
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// Kinds of contexts, from the least specific to the most: a branch; a branch and the last value; the last two values.
pub(super) const LEVELS: usize = 3;

/// Contexts that places had, as digests.
#[derive(Clone, Debug, Default)]
pub(super) struct Contexts(FxHashSet<u64>);

impl Contexts {
    /// Adds contexts; true if one of them is new.
    pub fn add(&mut self, contexts: &[u64]) -> bool {
        let before = self.0.len();
        self.0.extend(contexts);
        self.0.len() > before
    }

    /// Returns the new contexts of the place behind some values, and the least specific level that has any.
    pub fn new_behind(&self, produced: &[ProducedValue]) -> Option<(usize, Vec<u64>)> {
        let new = (0..LEVELS).map(|level| {
            let mut new = contexts_behind(produced, level);
            new.retain(|context| !self.0.contains(context));
            new
        });
        let new: Vec<Vec<u64>> = new.collect();
        let level = new.iter().position(|new| !new.is_empty())?;
        Some((level, new.concat()))
    }
}

/// Returns the contexts of a level behind some values; none if the program has asked for no other value.
fn contexts_behind(produced: &[ProducedValue], level: usize) -> Vec<u64> {
    let Some(last) = produced.last() else { return vec![digest((0, LEVELS))] };
    let Some(branches) = &last.reaction else { return Vec::new() };
    let before = produced.len().checked_sub(2).map(|index| produced[index].value);
    match level {
        0 => branches.iter().map(|branch| digest((0, branch))).collect(),
        1 => branches.iter().map(|branch| digest((1, branch, last.value))).collect(),
        _ => vec![digest((2, before, last.value))],
    }
}

fn digest(context: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    context.hash(&mut hasher);
    hasher.finish()
}
