//! Believes no model that the reference evaluator does not.

use crate::{Answer, Overlay, Query, Solver, Stats, Unknown};
use cairn_expr::{Assignment, Dag, Evaluator};
use std::time::{Duration, Instant};

/// Checks the models of the layer below.
pub struct Validate<S> {
    inner: S,
    evaluator: Evaluator,
    refused: u64,
    time: Duration,
}

impl<S: Solver> Validate<S> {
    /// Checks the models of `inner`.
    pub fn new(inner: S) -> Self {
        Validate { inner, evaluator: Evaluator::new(), refused: 0, time: Duration::ZERO }
    }

    fn holds(&mut self, dag: &Dag, query: &Query, input: &dyn Assignment) -> bool {
        self.evaluator.begin();
        query.constraints().all(|e| self.evaluator.value(dag, e, input) == 1)
    }
}

impl<S: Solver> Solver for Validate<S> {
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment) -> Answer {
        let answer = self.inner.solve(dag, query, seed);
        let Answer::Sat(model) = &answer else { return answer };
        let start = Instant::now();
        let holds = self.holds(dag, query, &Overlay { model, seed });
        self.time += start.elapsed();
        if holds {
            return answer;
        }
        self.refused += 1;
        Answer::Unknown(Unknown::Invalid)
    }

    fn stats(&self) -> Stats {
        Stats { invalid: self.refused, validate_seconds: self.time.as_secs_f64(), ..self.inner.stats() }
    }
}
