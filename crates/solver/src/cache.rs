//! Answers a query that was asked before.
//!
//! The key is the set of constraints: their order and which of them was the target do not matter. Models name every
//! byte of the sliced query, so an answer holds whatever the seed. Time-outs are remembered as well, or a
//! search that comes back to a hard flip would wait again. Memory is bounded by two generations: when the
//! young one is full it becomes the old one, whose unused entries go with the next turn.

use crate::{Answer, Query, Solver, Stats, Unknown};
use cairn_expr::{Assignment, Dag, ExprId};
use rustc_hash::FxHashMap;

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
    hits: u64,
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
            hits: 0,
        }
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
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment) -> Answer {
        self.key.clear();
        self.key.extend(query.constraints());
        self.key.sort_unstable();
        self.key.dedup();
        if let Some(answer) = self.look_up() {
            self.hits += 1;
            return answer;
        }
        let answer = self.inner.solve(dag, query, seed);
        if answer != Answer::Unknown(Unknown::Invalid) {
            self.remember(self.key.as_slice().into(), answer.clone());
        }
        answer
    }

    fn stats(&self) -> Stats {
        Stats { cached: self.hits, ..self.inner.stats() }
    }
}
