//! Decides queries about few values by trying them all.
//!
//! What byte-wise parsers ask is mostly about one byte, or about a word of which the path has left few values. A
//! constraint on one byte is a set of values, computed once; what constraints on several bytes say about each is found
//! by intervals (`narrow`), and where that is not enough by all pairs of values (`arcs`); what is left is tried, constraint by
//! constraint (`search`). Where all of it can be tried the answer is complete: a model, or that there is none.
//!
//! Work is counted in steps of code, not in time: the same query has the same answer. Few steps are made where there is
//! too much to try it all, more where there is not, and many if the layers below ran out of time.

mod arcs;
mod byteset;
mod facts;
mod narrow;
mod relation;
mod search;
mod table_index;

use crate::bytes::ByteCollector;
use crate::stats::Meter;
use crate::tape::Scratch;
use crate::validate::holds;
use crate::{Answer, Limits, Model, Overlay, Query, Solver, Stats, Unknown};
use arcs::Arcs;
use byteset::ByteSet;
use cairn_deadline::{Deadline, Pace};
use cairn_expr::{Assignment, Dag, Evaluator, ExprId, InputByte};
use facts::Facts;
use search::{Check, Outcome, Search};
use std::time::Instant;

/// Inputs that may be left to try.
const MAX_POINTS: u64 = 1 << 22;
/// Bytes that may be left to try if every constraint is about two of them: then there is a way through, or there is none,
/// long before all inputs have been tried.
const MAX_PAIRED: usize = 32;
/// Steps made before others are asked, if all can be tried: some milliseconds.
const WORK: u64 = 1_000_000;
/// Steps made before it is found out what constraints on two bytes allow.
const WORK_UNRELATED: u64 = 30_000;
/// Steps made if there is more: often the target's own bytes decide, or another value of one byte more.
const LITTLE_WORK: u64 = 20_000;
/// For that, a target is tried so often at least, however long it is: a place of a hash table is hit by chance or not at all.
const TRIES: u64 = 600;
/// Steps made when nobody else has an answer, per millisecond of the time limit: a fraction of what can be made in it.
const MORE_WORK: u128 = 30_000;

/// Pairs of bytes that are looked at between two looks at the clock.
const LOOKS_PER_CLOCK: u64 = 1_000;

/// Tries all values before the layer below is asked.
pub struct Enumerate<S> {
    inner: S,
    bytes: ByteCollector,
    facts: Facts,
    scratch: Scratch,
    evaluator: Evaluator,
    meter: Meter,
    more_work: u64,
}

impl<S: Solver> Enumerate<S> {
    /// Answers what it can, and leaves the rest to `inner`.
    pub fn new(inner: S, limits: Limits) -> Self {
        Enumerate {
            inner,
            bytes: ByteCollector::default(),
            facts: Facts::default(),
            scratch: Scratch::default(),
            evaluator: Evaluator::new(),
            meter: Meter::default(),
            more_work: more_work(limits),
        }
    }

    /// The answer, unless it takes too many steps.
    fn decide(
        &mut self,
        dag: &Dag,
        query: &Query,
        seed: &dyn Assignment,
        work: u64,
        deadline: &Deadline,
    ) -> Option<Answer> {
        if table_index::is_ruled_out(&mut self.evaluator, dag, query, deadline) {
            return Some(Answer::Unsat);
        }
        let bytes = self.bytes.collect(dag, query.constraints());
        let mut rest = Rest { sets: vec![ByteSet::FULL; bytes.len()], bytes, open: Vec::new() };
        let is_all = self.narrow(dag, query, &mut rest, deadline);
        if rest.is_impossible() {
            return Some(Answer::Unsat);
        }
        if !is_all || rest.open.iter().any(|&e| self.facts.compile(dag, e).is_none()) || deadline.is_over() {
            return None;
        }
        let work = if self.can_be_tried(dag, &rest) { work } else { work.min(self.little_work(&rest)) };
        let mut outcome = self.attempt(dag, &mut rest, seed, work.min(WORK_UNRELATED), deadline);
        if outcome == Outcome::TooMuch && work > WORK_UNRELATED {
            let free = rest.open.iter().copied().filter(|&e| rest.is_free(dag.inputs(e)));
            self.facts.relate(free, work, deadline);
            outcome = self.attempt(dag, &mut rest, seed, work, deadline);
        }
        match outcome {
            Outcome::Found(input) => {
                self.checked(dag, query, seed, rest.bytes.into_iter().zip(input).collect())
            }
            Outcome::Nothing => Some(Answer::Unsat),
            Outcome::TooMuch => None,
        }
    }

    /// The model as an answer, if the reference evaluator says so too.
    fn checked(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment, model: Model) -> Option<Answer> {
        let input = Overlay { model: &model, seed };
        holds(&mut self.evaluator, dag, query.constraints(), &input).then_some(Answer::Sat(model))
    }

    /// Takes from the sets what single constraints forbid, and notes those that are not done with thereby. False if there is
    /// too much to look at: what is gone from the sets by then is gone all the same.
    fn narrow(&mut self, dag: &Dag, query: &Query, rest: &mut Rest, deadline: &Deadline) -> bool {
        self.facts.tidy();
        let mut pace = Pace::new(deadline, 100);
        for constraint in query.constraints() {
            let Some(fact) = self.facts.of(dag, constraint) else { return false };
            if pace.is_over_after(1) {
                return false;
            }
            for (byte, set) in &fact.sets {
                let place = rest.place(byte);
                rest.sets[place] = rest.sets[place].and(set);
            }
            if !fact.is_all {
                rest.open.push(constraint);
            }
        }
        true
    }

    /// Tries what is left, after what is known of two bytes at a time.
    fn attempt(
        &mut self,
        dag: &Dag,
        rest: &mut Rest,
        seed: &dyn Assignment,
        work: u64,
        deadline: &Deadline,
    ) -> Outcome {
        let arcs = arcs(&self.facts, dag, rest);
        match arcs.tidy(&mut rest.sets, &mut Pace::new(deadline, LOOKS_PER_CLOCK)) {
            Some(true) => {}
            Some(false) => return Outcome::Nothing,
            None => return Outcome::TooMuch,
        }
        let check = |&e: &ExprId| {
            let places = dag.inputs(e).iter().map(|byte| rest.place(byte) as u32);
            let is_known = self.facts.relation(e).is_some();
            Check { code: self.facts.code(e), places: places.collect(), is_known }
        };
        let checks = rest.open.iter().map(check).collect();
        let wanted = |(set, &byte): (&ByteSet, &InputByte)| set.nearest_first(seed.byte(byte)).next();
        let input = rest.sets.iter().zip(&rest.bytes).filter_map(wanted).collect();
        let search = Search::new(checks, arcs, &rest.sets, input, &mut self.scratch);
        search.map_or(Outcome::TooMuch, |search| search.run(work, deadline))
    }

    fn little_work(&self, rest: &Rest) -> u64 {
        let target = rest.open.last().map_or(0, |&e| self.facts.code(e).len());
        LITTLE_WORK.max(TRIES * target as u64)
    }

    /// Whether it makes sense to try what is left.
    fn can_be_tried(&mut self, dag: &Dag, rest: &Rest) -> bool {
        let choices = |byte: &InputByte| u64::from(rest.sets[rest.place(byte)].len());
        let tried = self.bytes.collect(dag, rest.open.iter().copied());
        if tried.iter().map(choices).fold(1, u64::saturating_mul) <= MAX_POINTS {
            return true;
        }
        let free = |bytes: &[InputByte]| bytes.iter().filter(|byte| choices(byte) > 1).count();
        free(&tried) <= MAX_PAIRED && rest.open.iter().all(|&e| free(dag.inputs(e)) <= 2)
    }
}

/// What is left of a query.
struct Rest {
    /// Its bytes, sorted.
    bytes: Vec<InputByte>,
    /// The values that each may have.
    sets: Vec<ByteSet>,
    /// The constraints that have to be tried, the target's last.
    open: Vec<ExprId>,
}

impl Rest {
    fn is_impossible(&self) -> bool {
        self.sets.iter().any(ByteSet::is_empty)
    }

    /// Whether all of these bytes have a choice.
    fn is_free(&self, bytes: &[InputByte]) -> bool {
        bytes.iter().all(|byte| self.sets[self.place(byte)].len() > 1)
    }

    /// Where a byte is.
    fn place(&self, byte: &InputByte) -> usize {
        self.bytes.binary_search(byte).expect("a byte of the query")
    }
}

/// What is known of two bytes at a time.
fn arcs<'f>(facts: &'f Facts, dag: &Dag, rest: &Rest) -> Arcs<'f> {
    let mut arcs = Arcs::default();
    for &e in &rest.open {
        if let Some(relation) = facts.relation(e) {
            let inputs = dag.inputs(e);
            arcs.add([0, 1].map(|i| rest.place(&inputs[i])), relation);
        }
    }
    arcs
}

fn more_work(limits: Limits) -> u64 {
    limits.time.as_millis().saturating_mul(MORE_WORK).try_into().unwrap_or(u64::MAX)
}

impl<S: Solver> Solver for Enumerate<S> {
    fn solve(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment, deadline: &Deadline) -> Answer {
        let start = self.meter.begin();
        if let Some(answer) = self.decide(dag, query, seed, WORK, deadline) {
            return self.meter.answer(start, answer);
        }
        self.meter.spent(start);
        let below = self.inner.solve(dag, query, seed, deadline);
        if below != Answer::Unknown(Unknown::TimeLimit) {
            return below;
        }
        let start = Instant::now();
        match self.decide(dag, query, seed, self.more_work, deadline) {
            Some(answer) => self.meter.answer(start, answer),
            None => {
                self.meter.spent(start);
                below
            }
        }
    }

    fn recall(&mut self, dag: &Dag, query: &Query, answer: &Answer) {
        self.inner.recall(dag, query, answer);
    }

    fn raise_limits(&mut self, limits: Limits) {
        self.more_work = more_work(limits);
        self.inner.raise_limits(limits);
    }

    fn forget(&mut self) {
        self.facts = Facts::default();
        self.inner.forget();
    }

    fn stats(&self) -> Stats {
        let mut stats = self.inner.stats();
        stats.layers.enumerate = self.meter.tally();
        stats
    }
}
