//! Answers a query that was asked before: an exact cache.
//!
//! The key is the set of constraints: their order, and which of them is the target, do not matter. Models
//! name every byte of the sliced query, so an answer holds for every seed. Unanswered queries are cached with
//! their limit: only with a higher one do they go to the layers below again. Memory is bounded
//! by two generations: when the young one is full it becomes the old one, and entries of the old one that were
//! not used in the meantime are dropped.

use crate::stats::Meter;
use crate::{Answer, Layer, LayerGroup, LayerInfo, Limits, Query, Solver, Stats, Unknown};
use cairn_deadline::Deadline;
use cairn_expr::{Assignment, Dag, ExprId};
use rustc_hash::FxHashMap;
use std::time::Instant;

/// Words (constraints in keys, bytes in models) that one generation may hold: some 64 MiB, a chosen bound.
const GENERATION_WORDS: usize = 4 << 20;
/// Words an entry takes besides its key and model.
const ENTRY_WORDS: usize = 12;

type Answers = FxHashMap<Box<[ExprId]>, Cached>;

/// An answer, and the limit under which it was found.
#[derive(Clone)]
struct Cached {
    answer: Answer,
    limits: Limits,
}

/// Words for answers from this layer and the counterexample cache together.
pub(crate) const CACHED: LayerGroup = LayerGroup { column: "cache", name: "cache hits" };

static INFO: LayerInfo =
    LayerInfo { key: "cache", name: "cache", about: "looks up earlier queries", group: Some(CACHED) };

/// Caches the answers of the layer below.
pub struct Cache {
    young: Answers,
    old: Answers,
    young_words: usize,
    generation_words: usize,
    key: Vec<ExprId>,
    limits: Limits,
    meter: Meter,
}

impl Cache {
    /// Returns an empty cache.
    pub fn new(limits: Limits) -> Cache {
        Cache {
            young: Answers::default(),
            old: Answers::default(),
            young_words: 0,
            generation_words: GENERATION_WORDS,
            key: Vec::new(),
            limits,
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
        if let Some((key, cached)) = self.old.remove_entry(&self.key[..]) {
            self.insert(key, cached);
        }
        // It is in the old generation again if it filled the young one.
        let found = self.young.get(&self.key[..]).or_else(|| self.old.get(&self.key[..]));
        let Cached { answer, limits } = found?;
        let is_final = !matches!(answer, Answer::Unknown(_)) || limits.time >= self.limits.time;
        is_final.then(|| answer.clone())
    }

    fn insert(&mut self, key: Box<[ExprId]>, cached: Cached) {
        let model_words = if let Answer::Sat(model) = &cached.answer { model.len() * 3 } else { 0 };
        self.young_words += ENTRY_WORDS + key.len() + model_words;
        self.young.insert(key, cached);
        if self.young_words > self.generation_words {
            self.old = std::mem::take(&mut self.young);
            self.young_words = 0;
        }
    }
}

impl Layer for Cache {
    fn solve(
        &mut self,
        dag: &Dag,
        query: &Query,
        seed: &dyn Assignment,
        deadline: &Deadline,
        below: &mut dyn Solver,
    ) -> Answer {
        let start = self.meter.begin();
        self.make_key(query);
        if let Some(answer) = self.look_up() {
            return self.meter.answer(start, answer);
        }
        self.meter.pause(start);
        let answer = below.solve(dag, query, seed, deadline);
        let start = Instant::now();
        if answer != Answer::Unknown(Unknown::Invalid) {
            let cached = Cached { answer: answer.clone(), limits: self.limits };
            self.insert(self.key.as_slice().into(), cached);
        }
        self.meter.pause(start);
        answer
    }

    fn replay_answer<'q>(&'q mut self, _: &Dag, query: &Query<'q>, answer: &Answer) -> Option<Query<'q>> {
        self.make_key(query);
        let is_new = self.look_up().is_none();
        if is_new {
            let cached = Cached { answer: answer.clone(), limits: self.limits };
            self.insert(self.key.as_slice().into(), cached);
        }
        is_new.then_some(*query)
    }

    fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    fn forget(&mut self) {
        (self.young, self.old, self.young_words) = Default::default();
    }

    fn add_stats(&self, stats: &mut Stats) {
        stats.layers.add(&INFO, self.meter.tally());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Model;
    use crate::testing::{Scripted, about, byte, zeros};

    #[test]
    fn the_same_set_of_constraints_is_solved_once() {
        let mut dag = Dag::new();
        let [a, b, c] = [(0, 1), (1, 2), (2, 2)].map(|(x, y)| about(&mut dag, x, y));
        let model: Model = [(byte(0), 1)].into_iter().collect();
        let mut cache = Cache::new(Limits::default()).over(Scripted::new(Answer::Sat(model.clone())));
        let mut solve = |prefix: &[ExprId], target| {
            cache.solve(&dag, &Query { prefix, target }, &zeros, &Deadline::never())
        };
        assert_eq!(solve(&[a, b], c), Answer::Sat(model.clone()));
        assert_eq!(solve(&[c, b], a), Answer::Sat(model.clone()));
        assert_eq!(solve(&[b, a, b], c), Answer::Sat(model));
        solve(&[a], c);
        assert_eq!((cache.below.asked.len(), cache.stats().layers.get("cache").answered()), (2, 2));
    }

    #[test]
    fn a_refused_model_is_not_cached_but_a_timeout_is() {
        let mut dag = Dag::new();
        let target = about(&mut dag, 0, 0);
        for (why, asked) in [(Unknown::Invalid, 2), (Unknown::TimeLimit, 1)] {
            let mut cache = Cache::new(Limits::default()).over(Scripted::new(Answer::Unknown(why)));
            for _ in 0..2 {
                let answer = cache.solve(&dag, &Query { prefix: &[], target }, &zeros, &Deadline::never());
                assert_eq!(answer, Answer::Unknown(why));
            }
            assert_eq!(cache.below.asked.len(), asked);
        }
    }

    #[test]
    fn memory_is_bounded_and_used_entries_stay() {
        let mut dag = Dag::new();
        let mut cache = Cache::new(Limits::default()).over(Scripted::new(Answer::Unsat));
        cache.layer.generation_words = 50 * (ENTRY_WORDS + 1);
        let often = about(&mut dag, 0, 0);
        for offset in 1..500 {
            let once = about(&mut dag, offset, offset);
            for target in [often, once] {
                cache.solve(&dag, &Query { prefix: &[], target }, &zeros, &Deadline::never());
            }
            assert!(cache.layer.young.len() + cache.layer.old.len() <= 103);
        }
        let asked_often = cache.below.asked.iter().filter(|query| **query == [often]).count();
        assert_eq!(asked_often, 1);
    }

    #[test]
    fn an_entry_that_fills_the_young_generation_is_found() {
        let mut dag = Dag::new();
        let mut cache = Cache::new(Limits::default()).over(Scripted::new(Answer::Unsat));
        cache.layer.generation_words = 0;
        let target = about(&mut dag, 0, 0);
        for _ in 0..3 {
            let answer = cache.solve(&dag, &Query { prefix: &[], target }, &zeros, &Deadline::never());
            assert_eq!(answer, Answer::Unsat);
        }
        assert_eq!(cache.below.asked.len(), 1);
    }
}
