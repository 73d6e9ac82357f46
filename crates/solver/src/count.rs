//! The outermost layer: counts queries, answers and time of all layers together.

use crate::stats::Meter;
use crate::{Answer, Limits, Query, Solver, Stats};
use cairn_expr::{Assignment, Dag};
use std::time::Instant;

/// Counts what passes through to the layer below.
pub struct Count<S> {
    inner: S,
    meter: Meter,
}

impl<S: Solver> Count<S> {
    /// Counts the answers of `inner`.
    pub fn new(inner: S) -> Self {
        Count { inner, meter: Meter::default() }
    }
}

impl<S: Solver> Solver for Count<S> {
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment) -> Answer {
        let start = self.meter.begin();
        let answer = self.inner.solve(dag, query, seed);
        self.meter.answer(start, answer)
    }

    fn recall(&mut self, dag: &Dag, query: &Query, answer: &Answer) {
        self.inner.recall(dag, query, answer);
    }

    fn insist(&mut self, limits: Limits) {
        self.inner.insist(limits);
    }

    fn end_by(&mut self, end: Instant) {
        self.inner.end_by(end);
    }

    fn forget(&mut self) {
        self.inner.forget();
    }

    fn stats(&self) -> Stats {
        Stats { total: self.meter.tally(), ..self.inner.stats() }
    }
}
