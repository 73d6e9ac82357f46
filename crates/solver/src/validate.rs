//! Refuses models that the reference evaluator does not confirm.
//!
//! A backend works on a translation of the query, in which functions it does not know are uninterpreted, and
//! may have bugs of its own. No model of a backend leaves the stack unless the evaluator finds all
//! constraints true under it; a refused one counts as [`Unknown::Invalid`].

use crate::stats::Meter;
use crate::{Answer, LayerInfo, Overlay, Query, Stats, Unknown};
use cairn_expr::{Assignment, Dag, Evaluator, ExprId};

/// In its tally the queries are models, and the unknowns those refused.
static INFO: LayerInfo = LayerInfo { key: "validate", name: "validate", about: "checks models", group: None };

/// Checks the models of engines.
#[derive(Default)]
pub(crate) struct Validate {
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

impl Validate {
    /// Returns the answer, without its model if that breaks a constraint.
    pub(crate) fn check(
        &mut self,
        dag: &Dag,
        query: &Query,
        seed: &dyn Assignment,
        answer: Answer,
    ) -> Answer {
        let Answer::Sat(model) = &answer else { return answer };
        let start = self.meter.begin();
        let holds = holds(&mut self.evaluator, dag, query.constraints(), &Overlay { model, seed });
        let checked = if holds { answer } else { Answer::Unknown(Unknown::Invalid) };
        self.meter.answer(start, checked)
    }

    pub(crate) fn add_stats(&self, stats: &mut Stats) {
        stats.layers.add(&INFO, self.meter.tally());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;
    use crate::testing::{about, byte};

    #[test]
    fn a_model_that_breaks_a_constraint_is_refused_and_counted() {
        let mut dag = Dag::new();
        let (prefix, target) = ([about(&mut dag, 0, 1)], about(&mut dag, 1, 1));
        let query = Query { prefix: &prefix, target };
        // input[0] <= input[1] and input[1] < 200, where the seed has 100 everywhere.
        for (value, is_good) in [(150, true), (99, false), (250, false)] {
            let model: Model = [(byte(1), value)].into_iter().collect();
            let mut validate = Validate::default();
            let answer = validate.check(&dag, &query, &|_| 100, Answer::Sat(model.clone()));
            let expected = if is_good { Answer::Sat(model) } else { Answer::Unknown(Unknown::Invalid) };
            assert_eq!((answer, validate.meter.tally().unknown), (expected, u64::from(!is_good)), "{value}");
        }
    }

    #[test]
    fn other_answers_pass() {
        let mut dag = Dag::new();
        let query = Query { prefix: &[], target: about(&mut dag, 0, 0) };
        for answer in [Answer::Unsat, Answer::Unknown(Unknown::TimeLimit)] {
            assert_eq!(Validate::default().check(&dag, &query, &|_| 0, answer.clone()), answer);
        }
    }
}
