//! Writes every distinct query as an SMT-LIB script with seed and answer, for `--dump-queries`.
//!
//! The layer lies directly below slicing, where queries are small and come back; each is written once.

use crate::{Answer, Layer, Query, Solver};
use cairn_deadline::Deadline;
use cairn_expr::smtlib::{self, Conjunction, Status};
use cairn_expr::{Assignment, Dag, ExprId};
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

/// Receives a script; returns false if it takes no more.
pub type QuerySink = Box<dyn FnMut(&str) -> bool>;

/// Passes distinct queries to a sink, with the answers of the layer below.
pub struct Dump {
    sink: QuerySink,
    is_full: bool,
    /// Hashes of the sets of constraints that were written.
    seen: FxHashSet<u64>,
}

impl Dump {
    /// Returns a layer that writes to `sink`.
    pub fn new(sink: QuerySink) -> Self {
        Dump { sink, is_full: false, seen: FxHashSet::default() }
    }

    /// True if the sink takes more and this query was not written before.
    fn is_new(&mut self, dag: &Dag, query: &Query) -> bool {
        if self.is_full {
            return false;
        }
        let mut key: Vec<ExprId> = query.constraints().collect();
        key.sort_unstable();
        let mut hasher = FxHasher::default();
        (dag.identity(), key).hash(&mut hasher);
        self.seen.insert(hasher.finish())
    }
}

impl Layer for Dump {
    fn solve(
        &mut self,
        dag: &Dag,
        query: &Query,
        seed: &dyn Assignment,
        deadline: &Deadline,
        below: &mut dyn Solver,
    ) -> Answer {
        let answer = below.solve(dag, query, seed, deadline);
        if self.is_new(dag, query) {
            let status = match answer {
                Answer::Sat(_) => Status::Sat,
                Answer::Unsat => Status::Unsat,
                Answer::Unknown(_) => Status::Unknown,
            };
            let constraints: Vec<ExprId> = query.constraints().collect();
            let conjunction =
                Conjunction { constraints: &constraints, seed: Some(seed), status: Some(status) };
            let script = smtlib::full_script(dag, &conjunction);
            self.is_full = !(self.sink)(&script);
        }
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scripted, about, zeros};
    use std::cell::RefCell;
    use std::rc::Rc;

    #[test]
    fn each_set_of_constraints_is_written_once_until_the_sink_is_full() {
        let mut dag = Dag::new();
        let [a, b, c] = [(0, 1), (1, 2), (2, 2)].map(|(x, y)| about(&mut dag, x, y));
        let kept = Rc::new(RefCell::new(Vec::new()));
        let scripts = kept.clone();
        let dump = Dump::new(Box::new(move |script| {
            scripts.borrow_mut().push(script.to_owned());
            scripts.borrow().len() < 2
        }));
        let mut layer = dump.over(Scripted::new(Answer::Unsat));
        for (prefix, target) in [([a, b], c), ([c, b], a), ([a, a], b), ([b, b], c)] {
            assert_eq!(
                layer.solve(&dag, &Query { prefix: &prefix, target }, &zeros, &Deadline::never()),
                Answer::Unsat
            );
        }
        assert_eq!((layer.below.asked.len(), kept.borrow().len()), (4, 2));
        let mut again = Dag::new();
        let check = &smtlib::read(&mut again, &kept.borrow()[0]).expect("it can be read")[0];
        assert_eq!((check.assertions.len(), check.status), (3, Some(Status::Unsat)));
        assert_eq!(check.seed.len(), 3);
    }
}
