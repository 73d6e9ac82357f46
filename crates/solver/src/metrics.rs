//! The outermost layer: counts queries, answers and time of all layers together, and limits the time of a query.

use crate::stats::Meter;
use crate::{Answer, Limits, Query, Solver, Stats, Unknown};
use cairn_deadline::Deadline;
use cairn_expr::{Assignment, Dag};

/// Counts what passes through to the layer below.
pub struct Metrics<S> {
    inner: S,
    limits: Limits,
    meter: Meter,
}

impl<S: Solver> Metrics<S> {
    /// Counts the answers of `inner`.
    pub fn new(inner: S, limits: Limits) -> Self {
        Metrics { inner, limits, meter: Meter::default() }
    }
}

impl<S: Solver> Solver for Metrics<S> {
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment, deadline: &Deadline) -> Answer {
        let start = self.meter.begin();
        let own = deadline.within(self.limits.time.saturating_add(Limits::AFTERWARDS));
        let answer = match own.is_over() {
            true => Answer::Unknown(Unknown::TimeLimit),
            false => self.inner.solve(dag, query, seed, &own),
        };
        self.meter.answer(start, answer)
    }

    fn recall(&mut self, dag: &Dag, query: &Query, answer: &Answer) {
        self.inner.recall(dag, query, answer);
    }

    fn raise_limits(&mut self, limits: Limits) {
        self.limits = limits;
        self.inner.raise_limits(limits);
    }

    fn forget(&mut self) {
        self.inner.forget();
    }

    fn stats(&self) -> Stats {
        Stats { total: self.meter.tally(), ..self.inner.stats() }
    }
}
