//! Believes no model that the reference evaluator does not.

use crate::stats::Meter;
use crate::{Answer, Limits, Overlay, Query, Solver, Stats, Unknown};
use cairn_deadline::Deadline;
use cairn_expr::{Assignment, Dag, Evaluator, ExprId};

/// Checks the models of the layer below.
pub struct Validate<S> {
    inner: S,
    evaluator: Evaluator,
    meter: Meter,
}

impl<S: Solver> Validate<S> {
    /// Checks the models of `inner`.
    pub fn new(inner: S) -> Self {
        Validate { inner, evaluator: Evaluator::new(), meter: Meter::default() }
    }
}

/// Whether the reference evaluator says that all constraints hold.
pub(crate) fn holds(
    evaluator: &mut Evaluator,
    dag: &Dag,
    mut constraints: impl Iterator<Item = ExprId>,
    input: &dyn Assignment,
) -> bool {
    evaluator.begin();
    constraints.all(|e| evaluator.value(dag, e, input) == 1)
}

impl<S: Solver> Solver for Validate<S> {
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment, deadline: &Deadline) -> Answer {
        let answer = self.inner.solve(dag, query, seed, deadline);
        let Answer::Sat(model) = &answer else { return answer };
        let start = self.meter.begin();
        let holds = holds(&mut self.evaluator, dag, query.constraints(), &Overlay { model, seed });
        let checked = if holds { answer } else { Answer::Unknown(Unknown::Invalid) };
        self.meter.answer(start, checked)
    }

    fn raise_limits(&mut self, limits: Limits) {
        self.inner.raise_limits(limits);
    }

    fn forget(&mut self) {
        self.inner.forget();
    }

    fn stats(&self) -> Stats {
        let mut stats = self.inner.stats();
        stats.layers.validate = self.meter.tally();
        stats
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;
    use crate::testing::{Scripted, about, byte};

    #[test]
    fn a_model_that_breaks_a_constraint_is_refused_and_counted() {
        let mut dag = Dag::new();
        let (prefix, target) = ([about(&mut dag, 0, 1)], about(&mut dag, 1, 1));
        let query = Query { prefix: &prefix, target };
        // input[0] <= input[1] and input[1] < 200, where the seed has 100 everywhere.
        for (value, is_good) in [(150, true), (99, false), (250, false)] {
            let model: Model = [(byte(1), value)].into_iter().collect();
            let mut layer = Validate::new(Scripted::new(Answer::Sat(model.clone())));
            let answer = layer.solve(&dag, &query, &|_| 100, &Deadline::never());
            let expected = if is_good { Answer::Sat(model) } else { Answer::Unknown(Unknown::Invalid) };
            assert_eq!(
                (answer, layer.stats().layers.validate.unknown),
                (expected, u64::from(!is_good)),
                "{value}"
            );
        }
    }

    #[test]
    fn other_answers_pass() {
        let mut dag = Dag::new();
        let query = Query { prefix: &[], target: about(&mut dag, 0, 0) };
        for answer in [Answer::Unsat, Answer::Unknown(Unknown::TimeLimit)] {
            let mut layer = Validate::new(Scripted::new(answer.clone()));
            assert_eq!(layer.solve(&dag, &query, &|_| 0, &Deadline::never()), answer);
        }
    }
}
