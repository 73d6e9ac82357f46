//! Classes of queries, and the work each is worth.
//!
//! Amounts of work are chosen so that Z3 gets what it does well: little search for integers, more for floats,
//! most for library functions.

use crate::Limits;
use cairn_expr::{Dag, ExprId, Op};
use std::time::Duration;

/// Class of a query: with floats, or with functions that an SMT backend does not interpret.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct QueryShape {
    has_floats: bool,
    has_functions: bool,
}

impl QueryShape {
    /// Returns the steps for a search that moves only the target's variables.
    pub(super) fn quick_work(self) -> i64 {
        if self.has_floats { 500_000 } else { 40_000 }
    }

    /// Returns the steps for a search over all variables before the SMT backend is asked; 0 where that does
    /// well.
    pub(super) fn work_before_smt(self) -> i64 {
        match self {
            QueryShape { has_functions: true, .. } => 4_000_000,
            QueryShape { has_floats: true, .. } => 1_000_000,
            _ => 0,
        }
    }

    /// Returns the most steps for a last search after the SMT backend gave up.
    pub(super) fn work_after_smt(self) -> i64 {
        match self {
            QueryShape { has_functions: true, .. } => 100_000_000,
            QueryShape { has_floats: true, .. } => 20_000_000,
            _ => 2_000_000,
        }
    }
}

/// Budget for last searches, without which queries that have no answer would take all the time of those that
/// have. Every query adds a little, a last search spends some of it.
pub(super) struct Savings {
    left: i64,
    /// After limits were raised: last searches get their request times this factor, without a budget.
    factor: Option<i64>,
}

impl Default for Savings {
    fn default() -> Savings {
        Savings { left: Self::MAX, factor: None }
    }
}

impl Savings {
    const MAX: i64 = 300_000_000;
    const PER_QUERY: i64 = 1_000_000;

    /// Time that the request of a last search takes, about.
    const USUAL_TIME: Duration = Duration::from_secs(1);

    /// Returns a budget that grants every last search as much as the limits allow.
    pub(super) fn within(limits: Limits) -> Savings {
        let times = limits.time.as_secs_f64() / Self::USUAL_TIME.as_secs_f64();
        Savings { factor: Some((times as i64).max(1)), ..Savings::default() }
    }

    pub(super) fn save(&mut self) {
        self.left = (self.left + Self::PER_QUERY).min(Self::MAX);
    }

    /// Returns the work granted of a request: at most half of the budget.
    pub(super) fn spend(&mut self, requested: i64) -> i64 {
        if let Some(times) = self.factor {
            return requested.saturating_mul(times);
        }
        let granted = requested.min(self.left / 2);
        self.left -= granted;
        granted
    }
}

/// Exponential backoff for the SMT backend, per class of queries: what it could not answer lately it is asked
/// ever more rarely, since its time limit is long compared with a search. Without floats it is always asked.
#[derive(Default)]
pub(super) struct Trust {
    floats: Backoff,
    functions: Backoff,
}

#[derive(Default)]
struct Backoff {
    failures: u32,
    to_skip: u32,
}

impl Trust {
    /// Each failure quadruples the number of skipped queries, up to this power of two.
    const MAX_EXPONENT: u32 = 5;

    /// True if a query of this class is passed on now.
    pub(super) fn asks(&mut self, shape: QueryShape) -> bool {
        let Some(backoff) = self.backoff(shape) else { return true };
        let asks = backoff.to_skip == 0;
        backoff.to_skip = backoff.to_skip.saturating_sub(1);
        asks
    }

    /// Records whether there was an answer.
    pub(super) fn learn(&mut self, shape: QueryShape, is_answered: bool) {
        let Some(backoff) = self.backoff(shape) else { return };
        if is_answered {
            backoff.failures = 0;
            return;
        }
        backoff.failures += 1;
        backoff.to_skip = (1 << (2 * backoff.failures).min(Self::MAX_EXPONENT)) - 1;
    }

    fn backoff(&mut self, shape: QueryShape) -> Option<&mut Backoff> {
        match shape {
            QueryShape { has_functions: true, .. } => Some(&mut self.functions),
            QueryShape { has_floats: true, .. } => Some(&mut self.floats),
            _ => None,
        }
    }
}

/// Classes of all expressions of a DAG, computed once each.
#[derive(Default)]
pub(super) struct Shapes(Vec<QueryShape>);

impl Shapes {
    /// Returns the class of a conjunction.
    pub(super) fn of(&mut self, dag: &Dag, constraints: &[ExprId]) -> QueryShape {
        for e in dag.expressions_from(self.0.len()) {
            let shape = self.together(dag.children(e));
            let has_floats = shape.has_floats || is_about_floats(dag.op(e));
            self.0
                .push(QueryShape { has_floats, has_functions: shape.has_functions || dag.op(e) == Op::Math });
        }
        self.together(constraints.iter().copied())
    }

    fn together(&self, expressions: impl Iterator<Item = ExprId>) -> QueryShape {
        expressions.map(|e| self.0[e.index()]).fold(QueryShape::default(), |all, one| QueryShape {
            has_floats: all.has_floats || one.has_floats,
            has_functions: all.has_functions || one.has_functions,
        })
    }
}

fn is_about_floats(op: Op) -> bool {
    use Op::*;
    matches!(op, FAdd | FSub | FMul | FDiv | FRem | FEq | FLt | FLe | FToS | FToU | SToF | UToF | FToF | Math)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backend_that_never_answers_is_asked_ever_more_rarely_but_not_never() {
        let floats = QueryShape { has_floats: true, has_functions: false };
        let mut trust = Trust::default();
        let asked = |answers: bool, trust: &mut Trust| {
            let asks = (0..100).filter(|_| {
                trust.asks(floats) && {
                    trust.learn(floats, answers);
                    true
                }
            });
            asks.count()
        };
        let failing = asked(false, &mut trust);
        assert!((4..12).contains(&failing), "{failing}");
        while !trust.asks(floats) {}
        trust.learn(floats, true);
        assert_eq!(asked(true, &mut trust), 100);
        assert!((0..100).all(|_| trust.asks(QueryShape::default())));
    }
}
