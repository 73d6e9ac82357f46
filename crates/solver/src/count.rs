//! The outermost layer: counts queries, answers and time.

use crate::{Answer, Query, Solver, Stats};
use cairn_expr::{Assignment, Dag};
use std::time::{Duration, Instant};

/// Counts what passes through to the layer below.
pub struct Count<S> {
    inner: S,
    counts: Stats,
    time: Duration,
}

impl<S: Solver> Count<S> {
    /// Counts the answers of `inner`.
    pub fn new(inner: S) -> Self {
        Count { inner, counts: Stats::default(), time: Duration::ZERO }
    }
}

impl<S: Solver> Solver for Count<S> {
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment) -> Answer {
        let start = Instant::now();
        let answer = self.inner.solve(dag, query, seed);
        self.time += start.elapsed();
        self.counts.queries += 1;
        match answer {
            Answer::Sat(_) => self.counts.sat += 1,
            Answer::Unsat => self.counts.unsat += 1,
            Answer::Unknown(_) => self.counts.unknown += 1,
        }
        answer
    }

    fn stats(&self) -> Stats {
        let Stats { queries, sat, unsat, unknown, .. } = self.counts;
        Stats { queries, sat, unsat, unknown, seconds: self.time.as_secs_f64(), ..self.inner.stats() }
    }
}
