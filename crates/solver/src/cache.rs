//! Answers a query that was asked before.
//!
//! The key is the set of constraints: their order and which of them was the target do not matter. Models name every
//! byte of the sliced query, so an answer holds whatever the seed. Time-outs are remembered as well, or a
//! search that comes back to a hard flip would wait again. Memory is bounded by two generations: when the
//! young one is full it becomes the old one, whose unused entries go with the next turn.

use crate::stats::Meter;
use crate::{Answer, Limits, Query, Solver, Stats, Unknown};
use cairn_deadline::Deadline;
use cairn_expr::{Assignment, Dag, ExprId};
use rustc_hash::FxHashMap;
use std::time::Instant;

/// Words (constraints in keys, bytes in models) one generation may hold: some 64 MiB.
const GENERATION_WORDS: usize = 4 << 20;
/// What an entry takes besides its words.
const ENTRY_WORDS: usize = 12;

type Answers = FxHashMap<Box<[ExprId]>, Answer>;

/// Remembers the answers of the layer below.
pub struct Cache<S> {
    inner: S,
    young: Answers,
    old: Answers,
    young_words: usize,
    generation_words: usize,
    key: Vec<ExprId>,
    meter: Meter,
}

impl<S: Solver> Cache<S> {
    /// Remembers the answers of `inner`.
    pub fn new(inner: S) -> Self {
        Cache {
            inner,
            young: Answers::default(),
            old: Answers::default(),
            young_words: 0,
            generation_words: GENERATION_WORDS,
            key: Vec::new(),
            meter: Meter::default(),
        }
    }

    fn make_key(&mut self, query: &Query) {
        self.key.clear();
        self.key.extend(query.constraints());
        self.key.sort_unstable();
        self.key.dedup();
    }

    fn look_up(&mut self) -> Option<Answer> {
        if let Some(answer) = self.young.get(&self.key[..]) {
            return Some(answer.clone());
        }
        let (key, answer) = self.old.remove_entry(&self.key[..])?;
        self.remember(key, answer.clone());
        Some(answer)
    }

    fn remember(&mut self, key: Box<[ExprId]>, answer: Answer) {
        let model_words = if let Answer::Sat(model) = &answer { model.len() * 3 } else { 0 };
        self.young_words += ENTRY_WORDS + key.len() + model_words;
        self.young.insert(key, answer);
        if self.young_words > self.generation_words {
            self.old = std::mem::take(&mut self.young);
            self.young_words = 0;
        }
    }
}

impl<S: Solver> Solver for Cache<S> {
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment, deadline: &Deadline) -> Answer {
        let start = self.meter.begin();
        self.make_key(query);
        if let Some(answer) = self.look_up() {
            return self.meter.answer(start, answer);
        }
        self.meter.spent(start);
        let answer = self.inner.solve(dag, query, seed, deadline);
        let start = Instant::now();
        if answer != Answer::Unknown(Unknown::Invalid) {
            self.remember(self.key.as_slice().into(), answer.clone());
        }
        self.meter.spent(start);
        answer
    }

    fn recall(&mut self, dag: &Dag, query: &Query, answer: &Answer) {
        self.make_key(query);
        if self.look_up().is_none() {
            self.remember(self.key.as_slice().into(), answer.clone());
            self.inner.recall(dag, query, answer);
        }
    }

    fn raise_limits(&mut self, limits: Limits) {
        for answers in [&mut self.young, &mut self.old] {
            answers.retain(|_, answer| !matches!(answer, Answer::Unknown(_)));
        }
        self.inner.raise_limits(limits);
    }

    fn forget(&mut self) {
        (self.young, self.old, self.young_words) = Default::default();
        self.inner.forget();
    }

    fn stats(&self) -> Stats {
        let mut stats = self.inner.stats();
        stats.layers.cache = self.meter.tally();
        stats
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;
    use crate::testing::{Scripted, about, byte, zeros};

    #[test]
    fn the_same_set_of_constraints_is_asked_once() {
        let mut dag = Dag::new();
        let [a, b, c] = [(0, 1), (1, 2), (2, 2)].map(|(x, y)| about(&mut dag, x, y));
        let model: Model = [(byte(0), 1)].into_iter().collect();
        let mut cache = Cache::new(Scripted::new(Answer::Sat(model.clone())));
        let mut ask = |prefix: &[ExprId], target| {
            cache.solve(&dag, &Query { prefix, target }, &zeros, &Deadline::never())
        };
        assert_eq!(ask(&[a, b], c), Answer::Sat(model.clone()));
        assert_eq!(ask(&[c, b], a), Answer::Sat(model.clone()));
        assert_eq!(ask(&[b, a, b], c), Answer::Sat(model));
        ask(&[a], c);
        assert_eq!((cache.inner.asked.len(), cache.stats().layers.cache.answered()), (2, 2));
    }

    #[test]
    fn a_refused_model_is_not_remembered_but_a_timeout_is() {
        let mut dag = Dag::new();
        let target = about(&mut dag, 0, 0);
        for (why, asked) in [(Unknown::Invalid, 2), (Unknown::TimeLimit, 1)] {
            let mut cache = Cache::new(Scripted::new(Answer::Unknown(why)));
            for _ in 0..2 {
                let answer = cache.solve(&dag, &Query { prefix: &[], target }, &zeros, &Deadline::never());
                assert_eq!(answer, Answer::Unknown(why));
            }
            assert_eq!(cache.inner.asked.len(), asked);
        }
    }

    #[test]
    fn memory_is_bounded_and_what_is_used_stays() {
        let mut dag = Dag::new();
        let mut cache = Cache::new(Scripted::new(Answer::Unsat));
        cache.generation_words = 50 * (ENTRY_WORDS + 1);
        let often = about(&mut dag, 0, 0);
        for offset in 1..500 {
            let once = about(&mut dag, offset, offset);
            for target in [often, once] {
                cache.solve(&dag, &Query { prefix: &[], target }, &zeros, &Deadline::never());
            }
            assert!(cache.young.len() + cache.old.len() <= 103);
        }
        let asked_often = cache.inner.asked.iter().filter(|query| **query == [often]).count();
        assert_eq!(asked_often, 1);
    }
}
