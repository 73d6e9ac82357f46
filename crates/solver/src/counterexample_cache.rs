//! Answers a query from the answers to other queries (after KLEE's counterexample cache, Cadar et al., OSDI
//! 2008).
//!
//! A superset of an unsatisfiable set of constraints is unsatisfiable, and the model of one query may satisfy
//! the next. KLEE finds subsets and supersets with a trie over the constraints; here each query tries only
//! the few answers that are likely to help. The prefix of a query holds on its seed, so an unsatisfiable
//! subset contains the target: such sets are indexed by their target, and models by the target's first byte.
//! A look-up still costs more than a hash and an evaluation: the portfolio learns for which queries it pays.

use crate::cache::CACHED;
use crate::validate::holds;
use crate::{Answer, Attempt, Engine, LayerInfo, Model, Overlay, Query, QueryClass, Task, Unknown};
use cairn_deadline::Deadline;
use cairn_expr::{Assignment, Dag, Evaluator, ExprId, InputByte};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::time::Duration;

/// Unsatisfiable sets, and models, tried per query: the most recent ones; a chosen bound.
const RECENT: usize = 8;
/// Words kept before the cache is emptied: some 32 MiB, a chosen bound.
const MAX_WORDS: usize = 4 << 20;

/// Nominal time of a look-up, and of each model that is tried: measured over the queries of bc and zlib.
const LOOK_UP: Duration = Duration::from_micros(1);
const MODEL: Duration = Duration::from_micros(3);

/// The most recent items, newest first.
type Recent<T> = VecDeque<T>;

static INFO: LayerInfo = LayerInfo {
    key: "reuse",
    name: "reuse",
    about: "tries earlier models and unsatisfiable sets",
    group: Some(CACHED),
};

/// Tries earlier models and unsatisfiable sets.
#[derive(Default)]
pub struct CounterexampleCache {
    /// Unsatisfiable sets without their target, by target.
    unsat_sets: FxHashMap<ExprId, Recent<Box<[ExprId]>>>,
    /// Models by the first byte of the target they were found for.
    models: FxHashMap<InputByte, Recent<Model>>,
    words: usize,
    /// Per constraint: the generation, hence query, that it was last part of.
    in_query: Vec<u32>,
    generation: u32,
    evaluator: Evaluator,
}

impl CounterexampleCache {
    fn look_up(
        &mut self,
        dag: &Dag,
        query: &Query,
        seed: &dyn Assignment,
        deadline: &Deadline,
        spent: &mut Duration,
    ) -> Option<Answer> {
        if self.has_unsat_subset(dag, query) {
            return Some(Answer::Unsat);
        }
        let first = dag.inputs(query.target).first()?;
        let models = self.models.get(first)?;
        let evaluator = &mut self.evaluator;
        let fits = |model: &&Model| {
            *spent += MODEL;
            let target_first = [query.target].into_iter().chain(query.prefix.iter().copied());
            holds(evaluator, dag, target_first, &Overlay { model, seed })
        };
        let found = models.iter().take_while(|_| !deadline.is_over()).find(fits)?;
        let bytes = query.constraints().flat_map(|e| dag.inputs(e));
        let input = Overlay { model: found, seed };
        Some(Answer::Sat(bytes.map(|&byte| (byte, input.byte(byte))).collect()))
    }

    fn has_unsat_subset(&mut self, dag: &Dag, query: &Query) -> bool {
        let Some(sets) = self.unsat_sets.get(&query.target) else { return false };
        self.generation += 1;
        self.in_query.resize(self.in_query.len().max(dag.len()), 0);
        query.constraints().for_each(|e| self.in_query[e.index()] = self.generation);
        sets.iter().any(|set| set.iter().all(|e| self.in_query[e.index()] == self.generation))
    }

    fn insert(&mut self, dag: &Dag, query: &Query, answer: &Answer) {
        if self.words > MAX_WORDS {
            (self.words, self.unsat_sets, self.models) = Default::default();
        }
        match answer {
            Answer::Unsat => {
                self.words += 8 + query.prefix.len();
                // The latest constraints are the least likely to be in another query.
                let set = query.prefix.iter().rev().copied().collect();
                push(self.unsat_sets.entry(query.target).or_default(), set);
            }
            Answer::Sat(model) => {
                let Some(&first) = dag.inputs(query.target).first() else { return };
                self.words += 8 + model.len() * 3;
                push(self.models.entry(first).or_default(), model.clone());
            }
            Answer::Unknown(_) => {}
        }
    }
}

fn push<T>(recent: &mut Recent<T>, item: T) {
    recent.truncate(RECENT - 1);
    recent.push_front(item);
}

impl Engine for CounterexampleCache {
    fn info(&self) -> &'static LayerInfo {
        &INFO
    }

    fn first_effort(&self, _: QueryClass) -> Option<Duration> {
        Some(LOOK_UP)
    }

    fn max_attempts(&self) -> u32 {
        1
    }

    fn attempt(&mut self, task: &Task, _: u32, _: Duration) -> Attempt {
        let mut spent = LOOK_UP;
        let found = self.look_up(task.dag, task.query, task.seed, task.deadline, &mut spent);
        Attempt { answer: found.unwrap_or(Answer::Unknown(Unknown::Unsupported)), spent }
    }

    fn learn(&mut self, dag: &Dag, query: &Query, answer: &Answer) {
        self.insert(dag, query, answer);
    }

    fn forget(&mut self) {
        (self.unsat_sets, self.models, self.words) = Default::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{about, byte, zeros};
    use cairn_expr::CmpOp;

    /// The cache, and the queries that it could not answer: they are all answered the same.
    struct Asked {
        cache: CounterexampleCache,
        answer: Answer,
        others: Vec<Vec<ExprId>>,
    }

    impl Asked {
        fn of(answer: Answer) -> Asked {
            Asked { cache: CounterexampleCache::default(), answer, others: Vec::new() }
        }

        fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment) -> Answer {
            let task = Task { dag, query, seed, deadline: &Deadline::never() };
            let found = self.cache.attempt(&task, 0, LOOK_UP).answer;
            if !matches!(found, Answer::Unknown(_)) {
                return found;
            }
            self.others.push(query.constraints().collect());
            self.cache.learn(dag, query, &self.answer);
            self.answer.clone()
        }
    }

    #[test]
    fn a_superset_of_an_unsatisfiable_set_is_unsatisfiable() {
        let mut dag = Dag::new();
        let [a, b, c, target] = [(0, 1), (1, 2), (2, 2), (0, 2)].map(|(x, y)| about(&mut dag, x, y));
        let mut asked = Asked::of(Answer::Unsat);
        for prefix in [&[a, b][..], &[c, b, a], &[a, b, c], &[a, c], &[a]] {
            assert_eq!(asked.solve(&dag, &Query { prefix, target }, &zeros), Answer::Unsat);
        }
        assert_eq!(asked.others, [vec![a, b, target], vec![a, c, target], vec![a, target]]);
        // The same set with another target is another query to this cache, and the answer is the same.
        asked.solve(&dag, &Query { prefix: &[a, target], target: b }, &zeros);
        assert_eq!(asked.others.len(), 4);
    }

    #[test]
    fn a_model_is_used_again_where_it_fits_and_names_all_bytes() {
        let mut dag = Dag::new();
        let x = dag.input(byte(5));
        let [fifty, hundred] = [50, 100].map(|value| dag.constant(8, value));
        let [above_50, above_100] = [fifty, hundred].map(|bound| dag.compare(CmpOp::Ult, bound, x));
        let other = about(&mut dag, 5, 9);
        let mut asked = Asked::of(Answer::Sat([(byte(5), 70)].into_iter().collect()));
        let seed = |b: InputByte| if b == byte(9) { 80 } else { 0 };
        asked.solve(&dag, &Query { prefix: &[], target: above_50 }, &seed);
        let again = asked.solve(&dag, &Query { prefix: &[other], target: above_50 }, &seed);
        assert_eq!(again, Answer::Sat([(byte(5), 70), (byte(9), 80)].into_iter().collect()));
        asked.solve(&dag, &Query { prefix: &[], target: above_100 }, &seed);
        assert_eq!(asked.others.len(), 2);
    }
}
