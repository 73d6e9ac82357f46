//! Answers a query from those of other queries.
//!
//! A set of constraints that cannot hold together cannot in a larger set either, and an input that was found for one
//! query may do for the next. Unlike the cache's, these look-ups cost more than a hash: they come after the layers
//! that are as quick themselves, and look at the few answers that are likely to help. The prefix of a query holds on its
//! seed, so a part of the query that cannot hold has the target in it: impossible sets are found by their target. Models
//! are found by the target's first byte.

use crate::stats::Meter;
use crate::validate::holds;
use crate::{Answer, Limits, Model, Overlay, Query, Solver, Stats};
use cairn_deadline::Deadline;
use cairn_expr::{Assignment, Dag, Evaluator, ExprId, InputByte};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::time::Instant;

/// Answers looked at per query and kind.
const RECENT: usize = 8;
/// Words kept before all is forgotten: some 32 MiB.
const MAX_WORDS: usize = 4 << 20;

/// The last few of something.
type Recent<T> = VecDeque<T>;

/// Tries old answers before the layer below is asked.
pub struct CounterexampleCache<S> {
    inner: S,
    impossible: FxHashMap<ExprId, Recent<Box<[ExprId]>>>,
    models: FxHashMap<InputByte, Recent<Model>>,
    words: usize,
    /// Per constraint: the last query it was part of.
    asked: Vec<u32>,
    generation: u32,
    evaluator: Evaluator,
    meter: Meter,
}

impl<S: Solver> CounterexampleCache<S> {
    /// Remembers the answers of `inner`.
    pub fn new(inner: S) -> Self {
        CounterexampleCache {
            inner,
            impossible: FxHashMap::default(),
            models: FxHashMap::default(),
            words: 0,
            asked: Vec::new(),
            generation: 0,
            evaluator: Evaluator::new(),
            meter: Meter::default(),
        }
    }

    fn look_up(
        &mut self,
        dag: &Dag,
        query: &Query,
        seed: &dyn Assignment,
        deadline: &Deadline,
    ) -> Option<Answer> {
        if self.has_impossible_part(dag, query) {
            return Some(Answer::Unsat);
        }
        let place = *dag.inputs(query.target).first()?;
        let models = self.models.get(&place)?;
        let evaluator = &mut self.evaluator;
        let fits = |model: &&Model| {
            let target_first = [query.target].into_iter().chain(query.prefix.iter().copied());
            holds(evaluator, dag, target_first, &Overlay { model, seed })
        };
        let found = models.iter().take_while(|_| !deadline.is_over()).find(fits)?;
        let bytes = query.constraints().flat_map(|e| dag.inputs(e));
        let input = Overlay { model: found, seed };
        Some(Answer::Sat(bytes.map(|&byte| (byte, input.byte(byte))).collect()))
    }

    fn has_impossible_part(&mut self, dag: &Dag, query: &Query) -> bool {
        let Some(sets) = self.impossible.get(&query.target) else { return false };
        self.generation += 1;
        self.asked.resize(self.asked.len().max(dag.len()), 0);
        query.constraints().for_each(|e| self.asked[e.index()] = self.generation);
        sets.iter().any(|set| set.iter().all(|e| self.asked[e.index()] == self.generation))
    }

    fn remember(&mut self, dag: &Dag, query: &Query, answer: &Answer) {
        if self.words > MAX_WORDS {
            (self.words, self.impossible, self.models) = Default::default();
        }
        match answer {
            Answer::Unsat => {
                self.words += 8 + query.prefix.len();
                // The latest constraints are the least likely to be in another query.
                let set = query.prefix.iter().rev().copied().collect();
                push(self.impossible.entry(query.target).or_default(), set);
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

impl<S: Solver> Solver for CounterexampleCache<S> {
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment, deadline: &Deadline) -> Answer {
        let start = self.meter.begin();
        if let Some(answer) = self.look_up(dag, query, seed, deadline) {
            return self.meter.answer(start, answer);
        }
        self.meter.spent(start);
        let answer = self.inner.solve(dag, query, seed, deadline);
        let start = Instant::now();
        self.remember(dag, query, &answer);
        self.meter.spent(start);
        answer
    }

    fn recall(&mut self, dag: &Dag, query: &Query, answer: &Answer) {
        self.remember(dag, query, answer);
    }

    fn raise_limits(&mut self, limits: Limits) {
        self.inner.raise_limits(limits);
    }

    fn forget(&mut self) {
        (self.impossible, self.models, self.words) = Default::default();
        self.inner.forget();
    }

    fn stats(&self) -> Stats {
        let mut stats = self.inner.stats();
        stats.layers.reuse = self.meter.tally();
        stats
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Scripted, about, byte, zeros};
    use cairn_expr::CmpOp;

    #[test]
    fn what_cannot_hold_cannot_in_a_larger_set() {
        let mut dag = Dag::new();
        let [a, b, c, target] = [(0, 1), (1, 2), (2, 2), (0, 2)].map(|(x, y)| about(&mut dag, x, y));
        let mut layer = CounterexampleCache::new(Scripted::new(Answer::Unsat));
        for prefix in [&[a, b][..], &[c, b, a], &[a, b, c], &[a, c], &[a]] {
            assert_eq!(
                layer.solve(&dag, &Query { prefix, target }, &zeros, &Deadline::never()),
                Answer::Unsat
            );
        }
        assert_eq!(layer.inner.asked, [vec![a, b, target], vec![a, c, target], vec![a, target]]);
        // The same set with another target is another question to this layer, and the answer is the same.
        layer.solve(&dag, &Query { prefix: &[a, target], target: b }, &zeros, &Deadline::never());
        assert_eq!((layer.inner.asked.len(), layer.stats().layers.reuse.unsat), (4, 2));
    }

    #[test]
    fn a_model_is_used_again_where_it_fits_and_names_all_bytes() {
        let mut dag = Dag::new();
        let x = dag.input(byte(5));
        let [fifty, hundred] = [50, 100].map(|value| dag.constant(8, value));
        let [above_50, above_100] = [fifty, hundred].map(|bound| dag.compare(CmpOp::Ult, bound, x));
        let other = about(&mut dag, 5, 9);
        let model: Model = [(byte(5), 70)].into_iter().collect();
        let mut layer = CounterexampleCache::new(Scripted::new(Answer::Sat(model)));
        let seed = |b: InputByte| if b == byte(9) { 80 } else { 0 };
        let mut ask = |prefix: &[ExprId], target| {
            layer.solve(&dag, &Query { prefix, target }, &seed, &Deadline::never())
        };
        ask(&[], above_50);
        let again = ask(&[other], above_50);
        assert_eq!(again, Answer::Sat([(byte(5), 70), (byte(9), 80)].into_iter().collect()));
        ask(&[], above_100);
        assert_eq!((layer.inner.asked.len(), layer.stats().layers.reuse.sat), (2, 1));
    }
}
