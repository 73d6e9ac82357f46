//! What kind of query it is, and how much work it is worth.

use crate::Limits;
use cairn_expr::{Dag, ExprId, Op};
use std::time::Duration;

/// Whether a query has floats, or functions that an SMT backend does not know.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Shape {
    has_floats: bool,
    has_functions: bool,
}

impl Shape {
    /// Instructions for a search that moves only what the target depends on.
    pub(super) fn quick_work(self) -> i64 {
        if self.has_floats { 500_000 } else { 40_000 }
    }

    /// Instructions for a search of everything before the SMT backend is asked. What that backend does well is left to it.
    pub(super) fn work_before_smt(self) -> i64 {
        match self {
            Shape { has_functions: true, .. } => 4_000_000,
            Shape { has_floats: true, .. } => 1_000_000,
            _ => 0,
        }
    }

    /// Instructions for a last search when the SMT backend did not know, at most.
    pub(super) fn work_after_smt(self) -> i64 {
        match self {
            Shape { has_functions: true, .. } => 100_000_000,
            Shape { has_floats: true, .. } => 20_000_000,
            _ => 2_000_000,
        }
    }
}

/// Work saved for last searches: queries that cannot be answered would take all the time of those that can. Every query saves
/// a little, a last search spends some of it.
pub(super) struct Savings {
    left: i64,
    /// Last searches may take so many times what they wish for, and there is no need to save.
    generosity: Option<i64>,
}

impl Default for Savings {
    fn default() -> Savings {
        Savings { left: Self::MOST, generosity: None }
    }
}

impl Savings {
    const MOST: i64 = 300_000_000;
    const PER_QUERY: i64 = 1_000_000;

    /// Last searches wish for what takes about so long.
    const WISH: Duration = Duration::from_secs(1);

    /// As much for every last search as the limits allow.
    pub(super) fn within(limits: Limits) -> Savings {
        let times = limits.time.as_secs_f64() / Self::WISH.as_secs_f64();
        Savings { generosity: Some((times as i64).max(1)), ..Savings::default() }
    }

    pub(super) fn save(&mut self) {
        self.left = (self.left + Self::PER_QUERY).min(Self::MOST);
    }

    /// What may be spent of the work that is wished for: never more than a part of what is there.
    pub(super) fn spend(&mut self, wished: i64) -> i64 {
        if let Some(times) = self.generosity {
            return wished.saturating_mul(times);
        }
        let granted = wished.min(self.left / 2);
        self.left -= granted;
        granted
    }
}

/// Whether the SMT backend is worth asking about a shape of queries: what it could not answer lately it is asked ever more
/// rarely, as its time limit is long against a search. Without floats it is always asked.
#[derive(Default)]
pub(super) struct Trust {
    floats: Patience,
    functions: Patience,
}

#[derive(Default)]
struct Patience {
    failures: u32,
    to_skip: u32,
}

impl Trust {
    /// After each failure four times as many queries are skipped as before, but never more than this power of two.
    const RAREST: u32 = 5;

    /// Whether a query of this shape shall be asked.
    pub(super) fn asks(&mut self, shape: Shape) -> bool {
        let Some(patience) = self.patience(shape) else { return true };
        let asks = patience.to_skip == 0;
        patience.to_skip = patience.to_skip.saturating_sub(1);
        asks
    }

    /// Learns whether there was an answer.
    pub(super) fn learn(&mut self, shape: Shape, is_answered: bool) {
        let Some(patience) = self.patience(shape) else { return };
        if is_answered {
            patience.failures = 0;
            return;
        }
        patience.failures += 1;
        patience.to_skip = (1 << (2 * patience.failures).min(Self::RAREST)) - 1;
    }

    fn patience(&mut self, shape: Shape) -> Option<&mut Patience> {
        match shape {
            Shape { has_functions: true, .. } => Some(&mut self.functions),
            Shape { has_floats: true, .. } => Some(&mut self.floats),
            _ => None,
        }
    }
}

/// Shapes of all expressions of a DAG, worked out once for each.
#[derive(Default)]
pub(super) struct Shapes(Vec<Shape>);

impl Shapes {
    /// The shape of a conjunction.
    pub(super) fn of(&mut self, dag: &Dag, constraints: &[ExprId]) -> Shape {
        for e in dag.expressions_from(self.0.len()) {
            let shape = self.together(dag.children(e));
            let has_floats = shape.has_floats || is_about_floats(dag.op(e));
            self.0.push(Shape { has_floats, has_functions: shape.has_functions || dag.op(e) == Op::Math });
        }
        self.together(constraints.iter().copied())
    }

    fn together(&self, expressions: impl Iterator<Item = ExprId>) -> Shape {
        expressions.map(|e| self.0[e.index()]).fold(Shape::default(), |all, one| Shape {
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
    fn who_never_answers_is_asked_ever_more_rarely_but_not_never() {
        let floats = Shape { has_floats: true, has_functions: false };
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
        assert!((0..100).all(|_| trust.asks(Shape::default())));
    }
}
