//! Writes every distinct query as an SMT-LIB script with seed and answer, for `--dump-queries`.
//!
//! The layer lies directly below slicing, where queries are small and come back. Each is written once, or a
//! second time under the same number when a query that had no answer is answered with more effort.

use crate::{Answer, Layer, Query, Solver};
use cairn_deadline::Deadline;
use cairn_expr::smtlib::{self, Conjunction, Status};
use cairn_expr::{Assignment, Dag, ExprId};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Receives a script, and the number of the one that it replaces; returns its number, or none if it takes no
/// more.
pub type QuerySink = Box<dyn FnMut(Option<u64>, &str) -> Option<u64>>;

/// Passes distinct queries to a sink, with the answers of the layer below.
pub struct Dump {
    sink: QuerySink,
    is_full: bool,
    /// Sets of constraints that were written, by hash: the number of those without an answer.
    seen: FxHashMap<u64, Option<u64>>,
}

impl Dump {
    /// Returns a layer that writes to `sink`.
    pub fn new(sink: QuerySink) -> Self {
        Dump { sink, is_full: false, seen: FxHashMap::default() }
    }

    /// Passes a query to the sink, if it is new or was without an answer before.
    fn write(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment, answer: &Answer) {
        let is_answered = !matches!(answer, Answer::Unknown(_));
        let key = key(dag, query);
        let replaced = match self.seen.get(&key) {
            None if self.is_full => return,
            None => None,
            Some(Some(number)) if is_answered => Some(*number),
            Some(_) => return,
        };
        let status = match answer {
            Answer::Sat(_) => Status::Sat,
            Answer::Unsat => Status::Unsat,
            Answer::Unknown(_) => Status::Unknown,
        };
        let constraints: Vec<ExprId> = query.constraints().collect();
        let conjunction = Conjunction { constraints: &constraints, seed: Some(seed), status: Some(status) };
        let number = (self.sink)(replaced, &smtlib::full_script(dag, &conjunction));
        self.is_full |= number.is_none();
        self.seen.insert(key, number.filter(|_| !is_answered));
    }
}

/// Returns the hash of the set of constraints.
fn key(dag: &Dag, query: &Query) -> u64 {
    let mut key: Vec<ExprId> = query.constraints().collect();
    key.sort_unstable();
    let mut hasher = FxHasher::default();
    (dag.identity(), key).hash(&mut hasher);
    hasher.finish()
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
        self.write(dag, query, seed, &answer);
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unknown;
    use crate::testing::{Scripted, about, zeros};
    use std::cell::RefCell;
    use std::rc::Rc;

    #[test]
    fn each_set_of_constraints_is_written_once_until_the_sink_is_full() {
        let mut dag = Dag::new();
        let [a, b, c] = [(0, 1), (1, 2), (2, 2)].map(|(x, y)| about(&mut dag, x, y));
        let kept = Rc::new(RefCell::new(Vec::new()));
        let scripts = kept.clone();
        let dump = Dump::new(Box::new(move |_, script| {
            scripts.borrow_mut().push(script.to_owned());
            Some(scripts.borrow().len() as u64).filter(|count| *count < 2)
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

    #[test]
    fn an_answer_replaces_the_script_without_one() {
        let mut dag = Dag::new();
        let target = about(&mut dag, 0, 1);
        let written = Rc::new(RefCell::new(Vec::new()));
        let calls = written.clone();
        let dump = Dump::new(Box::new(move |replaced, script| {
            calls.borrow_mut().push((replaced, script.contains("(set-info :status unsat)")));
            Some(replaced.unwrap_or(7))
        }));
        let mut layer = dump.over(Scripted::new(Answer::Unknown(Unknown::TimeLimit)));
        for answer in [Answer::Unknown(Unknown::TimeLimit), Answer::Unsat, Answer::Unsat] {
            layer.solve(&dag, &Query { prefix: &[], target }, &zeros, &Deadline::never());
            layer.below.answer = answer;
        }
        layer.solve(&dag, &Query { prefix: &[], target }, &zeros, &Deadline::never());
        assert_eq!(*written.borrow(), [(None, false), (Some(7), true)]);
    }
}
