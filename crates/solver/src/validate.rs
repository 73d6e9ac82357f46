//! Refuses models that the reference evaluator does not confirm.
//!
//! A backend works on a translation of the query, in which functions it does not know are uninterpreted, and
//! may have bugs of its own. No model of a backend leaves the stack unless the evaluator finds all
//! constraints true under it; a refused one counts as [`Unknown::Invalid`].

use crate::stats::Meter;
use crate::{Answer, Layer, LayerInfo, Overlay, Query, Solver, Stats, Unknown};
use cairn_deadline::Deadline;
use cairn_expr::{Assignment, Dag, Evaluator, ExprId};

/// In its tally the queries are models, and the unknowns those refused.
static INFO: LayerInfo = LayerInfo { key: "validate", name: "validate", about: "checks models", group: None };

/// Checks the models of the layer below.
#[derive(Default)]
pub struct Validate {
    evaluator: Evaluator,
    meter: Meter,
}

/// True if all constraints hold according to the reference evaluator.
pub(crate) fn holds(
    evaluator: &mut Evaluator,
    dag: &Dag,
    mut constraints: impl Iterator<Item = ExprId>,
    input: &dyn Assignment,
) -> bool {
    evaluator.begin();
    constraints.all(|e| evaluator.value(dag, e, input) == 1)
}

impl Layer for Validate {
    fn solve(
        &mut self,
        dag: &Dag,
        query: &Query,
        seed: &dyn Assignment,
        deadline: &Deadline,
        below: &mut dyn Solver,
    ) -> Answer {
        let answer = below.solve(dag, query, seed, deadline);
        let Answer::Sat(model) = &answer else { return answer };
        let start = self.meter.begin();
        let holds = holds(&mut self.evaluator, dag, query.constraints(), &Overlay { model, seed });
        let checked = if holds { answer } else { Answer::Unknown(Unknown::Invalid) };
        self.meter.answer(start, checked)
    }

    fn add_stats(&self, stats: &mut Stats) {
        stats.layers.add(&INFO, self.meter.tally());
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
            let mut layer = Validate::default().over(Scripted::new(Answer::Sat(model.clone())));
            let answer = layer.solve(&dag, &query, &|_| 100, &Deadline::never());
            let expected = if is_good { Answer::Sat(model) } else { Answer::Unknown(Unknown::Invalid) };
            assert_eq!(
                (answer, layer.stats().layers.get("validate").unknown),
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
            let mut layer = Validate::default().over(Scripted::new(answer.clone()));
            assert_eq!(layer.solve(&dag, &query, &|_| 0, &Deadline::never()), answer);
        }
    }
}
