//! Finds input bytes that make a path take another side.
//!
//! A stack of layers behind one trait, [`Solver`]: each layer answers what it can and hands the rest
//! down. [`standard`] puts the usual stack together. A solver belongs to one [`Dag`] for its life: the
//! layers remember expressions by their ids.

mod answer;
mod bytes;
mod cache;
mod counterexample_cache;
mod dump;
mod enumerate;
mod metrics;
mod null;
mod slice;
mod stats;
mod tape;
#[cfg(test)]
mod testing;
mod validate;
mod walk;
pub mod worker;
mod z3;

pub use answer::{Answer, Model, Overlay, Query, Unknown};
pub use bytes::ByteCollector;
pub use cache::Cache;
pub use counterexample_cache::CounterexampleCache;
pub use dump::{Dump, QuerySink};
pub use enumerate::Enumerate;
pub use metrics::Metrics;
pub use null::NullSolver;
pub use slice::Slice;
pub use stats::{Layers, Stats, Tally};
pub use tape::Evaluations;
pub use validate::Validate;
pub use walk::{Walk, WalkMode, WalkSettings};
pub use worker::Worker;
pub use z3::{Z3, limit_memory};

use cairn_deadline::Deadline;
use cairn_expr::{Assignment, Dag};
use std::time::Duration;

/// Answers queries about one DAG.
pub trait Solver {
    /// Looks for input bytes under which all constraints of the query hold; `seed` is an input under which the prefix does.
    /// Gives up when the deadline is over.
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment, deadline: &Deadline) -> Answer;

    /// Takes note of the answer that a query had earlier, in another process: it is not to be looked for again.
    fn recall(&mut self, _dag: &Dag, _query: &Query, _answer: &Answer) {}

    /// From now on a query may cost this much, and what was given up on may be asked again: nobody has anything else to ask.
    fn raise_limits(&mut self, limits: Limits);

    /// Lets go of what is only remembered to save time: memory is short.
    fn forget(&mut self) {}

    /// What this layer and those below it have done since they were made.
    fn stats(&self) -> Stats;
}

impl Solver for Box<dyn Solver> {
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment, deadline: &Deadline) -> Answer {
        (**self).solve(dag, query, seed, deadline)
    }

    fn recall(&mut self, dag: &Dag, query: &Query, answer: &Answer) {
        (**self).recall(dag, query, answer);
    }

    fn raise_limits(&mut self, limits: Limits) {
        (**self).raise_limits(limits);
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
    /// Wall time for one query. Backends end by then; the layers that search on where a backend gave up have
    /// [`Limits::AFTERWARDS`] more.
    pub time: Duration,
}

impl Limits {
    /// Time for a last search if a backend used all of its own.
    pub const AFTERWARDS: Duration = Duration::from_secs(1);
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
    Box::new(Metrics::new(Slice::new(below_slicing(limits, walk)), limits))
}

/// The usual stack, which hands every distinct query to a keeper.
pub fn dumping(limits: Limits, walk: WalkSettings, keeper: QuerySink) -> Box<dyn Solver> {
    Box::new(Metrics::new(Slice::new(Dump::new(below_slicing(limits, walk), keeper)), limits))
}

/// Z3 without anything before it.
pub fn only_z3(limits: Limits) -> Box<dyn Solver> {
    Box::new(Metrics::new(Validate::new(backend(limits)), limits))
}

/// Local search without anything behind it.
pub fn only_walk(limits: Limits) -> Box<dyn Solver> {
    Box::new(Metrics::new(Walk::new(NullSolver, WalkSettings::default()), limits))
}

/// Z3 in a process of its own, if this program can start one.
fn backend(limits: Limits) -> Box<dyn Solver> {
    match worker::command() {
        Some(command) => Box::new(Worker::new(command, limits)),
        None => Box::new(Z3::new(limits)),
    }
}

fn below_slicing(limits: Limits, walk: WalkSettings) -> Box<dyn Solver> {
    let search = Walk::new(Validate::new(backend(limits)), walk);
    if walk.mode == WalkMode::Classic {
        return Box::new(Cache::new(search));
    }
    Box::new(Cache::new(Enumerate::new(CounterexampleCache::new(search), limits)))
}
