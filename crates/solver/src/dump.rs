//! Hands every distinct query to somebody who keeps it, as an SMT-LIB script with seed and answer.
//!
//! Below slicing, where queries are small and come back; each is handed out once.

use crate::{Answer, Limits, Query, Solver, Stats};
use cairn_deadline::Deadline;
use cairn_expr::smtlib::{self, Conjunction, Status};
use cairn_expr::{Assignment, Dag, ExprId};
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// Takes a script; false if that was the last one it wants.
pub type QuerySink = Box<dyn FnMut(&str) -> bool>;

/// Hands the queries of the layer below to a keeper.
pub struct Dump<S> {
    inner: S,
    keeper: QuerySink,
    is_full: bool,
    /// Hashes of the sets of constraints that were handed out.
    seen: FxHashSet<u64>,
}

impl<S: Solver> Dump<S> {
    /// Hands the queries of `inner` to `keeper`.
    pub fn new(inner: S, keeper: QuerySink) -> Self {
        Dump { inner, keeper, is_full: false, seen: FxHashSet::default() }
    }

    /// Whether the query is to be kept: it is not when it was before.
    fn wants(&mut self, query: &Query) -> bool {
        if self.is_full {
            return false;
        }
        let mut key: Vec<ExprId> = query.constraints().collect();
        key.sort_unstable();
        let mut hasher = FxHasher::default();
        key.hash(&mut hasher);
        self.seen.insert(hasher.finish())
    }
}

impl<S: Solver> Solver for Dump<S> {
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment, deadline: &Deadline) -> Answer {
        let answer = self.inner.solve(dag, query, seed, deadline);
        if self.wants(query) {
            let status = match answer {
                Answer::Sat(_) => Status::Sat,
                Answer::Unsat => Status::Unsat,
                Answer::Unknown(_) => Status::Unknown,
            };
            let constraints: Vec<ExprId> = query.constraints().collect();
            let conjunction =
                Conjunction { constraints: &constraints, seed: Some(seed), status: Some(status) };
            let script = smtlib::full_script(dag, &conjunction);
            self.is_full = !(self.keeper)(&script);
        }
        answer
    }

    fn recall(&mut self, dag: &Dag, query: &Query, answer: &Answer) {
        self.inner.recall(dag, query, answer);
    }

    fn raise_limits(&mut self, limits: Limits) {
        self.inner.raise_limits(limits);
    }

    fn forget(&mut self) {
        self.inner.forget();
    }

    fn stats(&self) -> Stats {
        self.inner.stats()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scripted, about, zeros};
    use std::cell::RefCell;
    use std::rc::Rc;

    #[test]
    fn each_set_of_constraints_is_handed_out_once_until_enough_is_enough() {
        let mut dag = Dag::new();
        let [a, b, c] = [(0, 1), (1, 2), (2, 2)].map(|(x, y)| about(&mut dag, x, y));
        let kept = Rc::new(RefCell::new(Vec::new()));
        let keeper = kept.clone();
        let mut layer = Dump::new(
            Scripted::new(Answer::Unsat),
            Box::new(move |script| {
                keeper.borrow_mut().push(script.to_owned());
                keeper.borrow().len() < 2
            }),
        );
        for (prefix, target) in [([a, b], c), ([c, b], a), ([a, a], b), ([b, b], c)] {
            assert_eq!(
                layer.solve(&dag, &Query { prefix: &prefix, target }, &zeros, &Deadline::never()),
                Answer::Unsat
            );
        }
        assert_eq!((layer.inner.asked.len(), kept.borrow().len()), (4, 2));
        let mut again = Dag::new();
        let check = &smtlib::read(&mut again, &kept.borrow()[0]).expect("it can be read")[0];
        assert_eq!((check.assertions.len(), check.status), (3, Some(Status::Unsat)));
        assert_eq!(check.seed.len(), 3);
    }
}
