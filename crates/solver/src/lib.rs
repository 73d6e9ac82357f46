//! Finds input bytes that make a path take another side.
//!
//! A stack of layers behind one trait, [`Solver`]: each layer answers what it can and hands the rest
//! down. [`standard`] puts the usual stack together. A solver belongs to one [`Dag`] for its life: the
//! layers remember expressions by their ids.

mod answer;
mod bytes;
mod cache;
mod count;
mod dump;
mod enumerate;
mod nobody;
mod reuse;
mod slice;
mod stats;
mod tape;
#[cfg(test)]
mod testing;
mod validate;
mod walk;
mod z3;

pub use answer::{Answer, Model, Overlay, Query, Unknown};
pub use bytes::ByteCollector;
pub use cache::Cache;
pub use count::Count;
pub use dump::{Dump, Keeper};
pub use enumerate::Enumerate;
pub use nobody::Nobody;
pub use reuse::Reuse;
pub use slice::Slice;
pub use stats::{Layers, Stats, Tally};
pub use tape::Evaluations;
pub use validate::Validate;
pub use walk::{Walk, WalkMode, WalkSettings};
pub use z3::{Z3, limit_memory};

use cairn_expr::{Assignment, Dag};
use std::time::{Duration, Instant};

/// Answers queries about one DAG.
pub trait Solver {
    /// Looks for input bytes under which all constraints of the query hold; `seed` is an input under which the prefix does.
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment) -> Answer;

    /// Takes note of the answer that a query had earlier, in another process: it is not to be looked for again.
    fn recall(&mut self, _dag: &Dag, _query: &Query, _answer: &Answer) {}

    /// From now on a query may cost this much, and what was given up on may be asked again: nobody has anything else to ask.
    fn insist(&mut self, limits: Limits);

    /// No query may take longer than to this moment, whatever its limits say.
    fn end_by(&mut self, _end: Instant) {}

    /// Lets go of what is only remembered to save time: memory is short.
    fn forget(&mut self) {}

    /// What this layer and those below it have done since they were made.
    fn stats(&self) -> Stats;
}

impl Solver for Box<dyn Solver> {
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment) -> Answer {
        (**self).solve(dag, query, seed)
    }

    fn recall(&mut self, dag: &Dag, query: &Query, answer: &Answer) {
        (**self).recall(dag, query, answer);
    }

    fn insist(&mut self, limits: Limits) {
        (**self).insist(limits);
    }

    fn end_by(&mut self, end: Instant) {
        (**self).end_by(end);
    }

    fn forget(&mut self) {
        (**self).forget();
    }

    fn stats(&self) -> Stats {
        (**self).stats()
    }
}

/// What a query may cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Wall time for one query, kept by the backend.
    pub time: Duration,
}

impl Limits {
    /// Longest time limit: a clock can only be set so far ahead.
    const LONGEST: Duration = Duration::from_secs(365 * 86_400);

    fn within_reach(self) -> Limits {
        Limits { time: self.time.min(Self::LONGEST) }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits { time: Duration::from_secs(2) }
    }
}

/// The usual stack: count, slice, look up, try all values, try numbers, ask Z3, and check what they say.
pub fn standard(limits: Limits) -> Box<dyn Solver> {
    with_walk(limits, WalkSettings::default())
}

/// The usual stack with another local search. As it was published, search is alone: nobody answers before it, or after.
pub fn with_walk(limits: Limits, walk: WalkSettings) -> Box<dyn Solver> {
    Box::new(Count::new(Slice::new(below_slicing(limits, walk))))
}

/// The usual stack, which hands every distinct query to a keeper.
pub fn dumping(limits: Limits, walk: WalkSettings, keeper: Keeper) -> Box<dyn Solver> {
    Box::new(Count::new(Slice::new(Dump::new(below_slicing(limits, walk), keeper))))
}

/// Z3 without anything before it.
pub fn only_z3(limits: Limits) -> Box<dyn Solver> {
    Box::new(Count::new(Validate::new(Z3::new(limits))))
}

/// Local search without anything behind it.
pub fn only_walk(limits: Limits) -> Box<dyn Solver> {
    Box::new(Count::new(Walk::new(Nobody, WalkSettings::default(), limits)))
}

fn below_slicing(limits: Limits, walk: WalkSettings) -> Box<dyn Solver> {
    let search = Walk::new(Validate::new(Z3::new(limits)), walk, limits);
    if walk.mode == WalkMode::Classic {
        return Box::new(Cache::new(search));
    }
    Box::new(Cache::new(Enumerate::new(Reuse::new(search), limits)))
}
