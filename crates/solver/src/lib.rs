//! Finds input bytes that make a path take another side.
//!
//! The solver is a stack of layers, each of which answers the queries it can and passes the rest down. Every
//! stack is a [`Solver`]; [`standard`] builds the usual one (`stack.rs`), and a technique is added to it by
//! implementing [`Layer`]. A solver belongs to one [`Dag`] for its life: the layers keep expressions by their
//! ids.

mod answer;
pub mod backend_process;
mod bitblast;
mod bytes;
mod cache;
mod conjuncts;
mod counterexample_cache;
mod dump;
mod enumerate;
mod layer;
mod layer_list;
mod metrics;
mod null;
mod portfolio;
mod slice;
mod stack;
mod stats;
mod tape;
#[cfg(test)]
mod testing;
mod validate;
mod walk;
mod z3;

pub use answer::{Answer, Model, Overlay, Query, Unknown};
pub use backend_process::BackendProcess;
pub use bytes::ByteCollector;
pub use cache::Cache;
pub use counterexample_cache::CounterexampleCache;
pub use dump::{Dump, QuerySink};
pub use enumerate::Enumerate;
pub use layer::{Layer, Stacked};
pub use metrics::Metrics;
pub use null::NullSolver;
pub use portfolio::{Attempt, Engine, Portfolio, QueryClass, Task};
pub use slice::Slice;
pub use stack::{dumping, only_sat, only_walk, only_z3, standard, with_walk};
pub use stats::{LayerGroup, LayerInfo, Layers, Stats, Tally};
pub use tape::Evaluations;
pub use walk::{ClassicWalk, Walk, WalkMode, WalkSettings};
pub use z3::{Z3, limit_memory};

use cairn_deadline::Deadline;
use cairn_expr::{Assignment, Dag};
use std::time::Duration;

/// Answers queries about one DAG: a stack of layers, or a backend at its bottom.
pub trait Solver {
    /// Looks for input bytes under which all constraints of the query hold; `seed` is an input under which
    /// the prefix does. Gives up when the deadline is over.
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment, deadline: &Deadline) -> Answer;

    /// Learns the answer that a query got before the campaign was interrupted, instead of solving it again:
    /// caches then hold what they held. Does nothing in a backend, which keeps no answers.
    fn replay_answer(&mut self, _dag: &Dag, _query: &Query, _answer: &Answer) {}

    /// Sets the effort that each of the next queries may take.
    fn set_limits(&mut self, limits: Limits);

    /// Frees what is held only to save time, since memory is short. The next query may be about another DAG.
    fn forget(&mut self) {}

    /// Returns the figures of this layer and those below it since they were made.
    fn stats(&self) -> Stats;
}

impl Solver for Box<dyn Solver> {
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment, deadline: &Deadline) -> Answer {
        (**self).solve(dag, query, seed, deadline)
    }

    fn replay_answer(&mut self, dag: &Dag, query: &Query, answer: &Answer) {
        (**self).replay_answer(dag, query, answer);
    }

    fn set_limits(&mut self, limits: Limits) {
        (**self).set_limits(limits);
    }

    fn forget(&mut self) {
        (**self).forget();
    }

    fn stats(&self) -> Stats {
        (**self).stats()
    }
}

/// Bounds on the cost of a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Effort for one query, in nominal time: engines count their work and convert it by measured rates.
    pub time: Duration,
}

impl Limits {
    /// Wall time for the whole query beyond the effort, for a machine that is busier than the rates assume; a
    /// chosen bound.
    pub const AFTERWARDS: Duration = Duration::from_secs(1);
}

impl Default for Limits {
    fn default() -> Self {
        Limits { time: Duration::from_secs(2) }
    }
}
