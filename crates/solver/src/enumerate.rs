//! Exhaustive enumeration: decides queries over few values by trying them all, as a finite-domain constraint
//! solver.
//!
//! Queries of byte-wise parsers depend mostly on one byte, or on a word of which the path has left few
//! values. The input bytes are the variables, their domains sets of byte values. A constraint on one byte is
//! a domain, computed once (`facts`). Constraints on several bytes narrow the domains by interval arithmetic
//! (`narrow`), constraints on two bytes by arc consistency over all pairs of values (`arcs`, `relation`).
//! What is left is searched with conflict-directed backjumping (`search`). If the whole product can be tried
//! the answer is complete: a model, or a proof that there is none. A target that reads a table at a symbolic
//! index of few values is tried first for all of these (`table_index`).
//!
//! Work is counted in tape steps, not in time, so that a query always has the same answer. Few steps are
//! allowed where the product is too large to be tried, more where it is not, and many if the layers below ran
//! out of time.
//!
//! On 12,657 queries of campaigns this layer answers 98.3 % (bench/RESULTS.md); without backjumping and the
//! few tries of large products Z3 was asked 5.8 % instead of 1.4 %. Dropped: arc consistency before the first
//! search (56 to 60 ms instead of 53 on the JSON parser), since most queries are decided without it.

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
use crate::{Answer, Layer, LayerGroup, LayerInfo, Limits, Model, Overlay, Query, Solver, Stats, Unknown};
use arcs::Arcs;
use byteset::ByteSet;
use cairn_deadline::{Deadline, Pace};
use cairn_expr::{Assignment, Dag, Evaluator, ExprId, InputByte};
use facts::Facts;
use search::{Check, DomainSearch, Outcome};
use std::time::Instant;

/// Points in the product of the domains up to which it is tried as a whole; a chosen bound.
const MAX_POINTS: u64 = 1 << 22;
/// Bytes up to which a larger product is tried as well if every constraint depends on at most two of them:
/// arc consistency then decides long before all points have been tried. A chosen bound.
const MAX_PAIRED: usize = 32;
/// Steps before the layers below are asked, if the whole product can be tried: some milliseconds.
const WORK: u64 = 1_000_000;
/// Steps of a first search without arc consistency, which decides most queries.
const WORK_UNRELATED: u64 = 30_000;
/// Steps if the product is too large: often the target's own bytes decide, or another value of one byte more.
const LITTLE_WORK: u64 = 20_000;
/// Evaluations of the target that are allowed even so, however long its code is: a slot of a hash table is
/// hit by chance or not at all. With 600 an XML document has no unknowns left (bench/RESULTS.md).
const TRIES: u64 = 600;
/// Steps if the layers below have no answer, per millisecond of the time limit: a fraction of those that fit
/// into it.
const MORE_WORK: u128 = 30_000;

/// Revisions of arcs between two looks at the clock.
const REVISIONS_PER_CLOCK: u64 = 1_000;

static INFO: LayerInfo = LayerInfo {
    key: "enumerate",
    name: "enumerate",
    about: "tries all of few values",
    group: Some(LayerGroup { column: "enum", name: "enumeration" }),
};

/// Decides queries over few values before the layer below is asked.
pub struct Enumerate {
    bytes: ByteCollector,
    facts: Facts,
    scratch: Scratch,
    evaluator: Evaluator,
    meter: Meter,
    more_work: u64,
}

impl Enumerate {
    /// Returns the layer without anything known of any constraint.
    pub fn new(limits: Limits) -> Self {
        Enumerate {
            bytes: ByteCollector::default(),
            facts: Facts::default(),
            scratch: Scratch::default(),
            evaluator: Evaluator::new(),
            meter: Meter::default(),
            more_work: more_work(limits),
        }
    }

    /// Returns the answer, unless it takes more than `work` steps.
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
        let mut domains = Domains { sets: vec![ByteSet::FULL; bytes.len()], bytes, open: Vec::new() };
        let is_complete = self.narrow(dag, query, &mut domains, deadline);
        if domains.is_unsat() {
            return Some(Answer::Unsat);
        }
        if !is_complete
            || domains.open.iter().any(|&e| self.facts.compile(dag, e).is_none())
            || deadline.is_over()
        {
            return None;
        }
        let work = if self.is_small(dag, &domains) { work } else { work.min(self.work_on_large(&domains)) };
        let mut outcome = self.attempt(dag, &mut domains, seed, work.min(WORK_UNRELATED), deadline);
        if outcome == Outcome::TooMuch && work > WORK_UNRELATED {
            let free = domains.open.iter().copied().filter(|&e| domains.is_free(dag.inputs(e)));
            self.facts.compute_relations(free, work, deadline);
            outcome = self.attempt(dag, &mut domains, seed, work, deadline);
        }
        match outcome {
            Outcome::Found(input) => {
                self.checked(dag, query, seed, domains.bytes.into_iter().zip(input).collect())
            }
            Outcome::Nothing => Some(Answer::Unsat),
            Outcome::TooMuch => None,
        }
    }

    /// Returns the model as an answer if the reference evaluator confirms it.
    fn checked(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment, model: Model) -> Option<Answer> {
        let input = Overlay { model: &model, seed };
        holds(&mut self.evaluator, dag, query.constraints(), &input).then_some(Answer::Sat(model))
    }

    /// Removes from the domains what single constraints forbid, and collects in `open` the constraints that
    /// are not equivalent to their domains. Returns false if there is too much to look at; the domains are
    /// valid even so.
    fn narrow(&mut self, dag: &Dag, query: &Query, domains: &mut Domains, deadline: &Deadline) -> bool {
        self.facts.begin_query();
        let mut pace = Pace::new(deadline, 100);
        for constraint in query.constraints() {
            let Some(fact) = self.facts.of(dag, constraint) else { return false };
            if pace.is_over_after(1) {
                return false;
            }
            for (byte, set) in &fact.sets {
                let i = domains.position(byte);
                domains.sets[i] = domains.sets[i].and(set);
            }
            if !fact.is_complete {
                domains.open.push(constraint);
            }
        }
        true
    }

    /// Makes the domains arc consistent, as far as relations are known, and searches what is left.
    fn attempt(
        &mut self,
        dag: &Dag,
        domains: &mut Domains,
        seed: &dyn Assignment,
        work: u64,
        deadline: &Deadline,
    ) -> Outcome {
        let arcs = arcs(&self.facts, dag, domains);
        match arcs.make_consistent(&mut domains.sets, &mut Pace::new(deadline, REVISIONS_PER_CLOCK)) {
            Some(true) => {}
            Some(false) => return Outcome::Nothing,
            None => return Outcome::TooMuch,
        }
        let check = |&e: &ExprId| {
            let positions = dag.inputs(e).iter().map(|byte| domains.position(byte) as u32);
            let is_related = self.facts.relation(e).is_some();
            Check { code: self.facts.code(e), positions: positions.collect(), is_related }
        };
        let checks = domains.open.iter().map(check).collect();
        let nearest = |(set, &byte): (&ByteSet, &InputByte)| set.nearest_first(seed.byte(byte)).next();
        let input = domains.sets.iter().zip(&domains.bytes).filter_map(nearest).collect();
        let search = DomainSearch::new(checks, arcs, &domains.sets, input, &mut self.scratch);
        search.map_or(Outcome::TooMuch, |search| search.run(work, deadline))
    }

    fn work_on_large(&self, domains: &Domains) -> u64 {
        let target = domains.open.last().map_or(0, |&e| self.facts.code(e).len());
        LITTLE_WORK.max(TRIES * target as u64)
    }

    /// True if the product of the domains is small enough to be tried as a whole.
    fn is_small(&mut self, dag: &Dag, domains: &Domains) -> bool {
        let choices = |byte: &InputByte| u64::from(domains.sets[domains.position(byte)].len());
        let tried = self.bytes.collect(dag, domains.open.iter().copied());
        if tried.iter().map(choices).fold(1, u64::saturating_mul) <= MAX_POINTS {
            return true;
        }
        let free = |bytes: &[InputByte]| bytes.iter().filter(|byte| choices(byte) > 1).count();
        free(&tried) <= MAX_PAIRED && domains.open.iter().all(|&e| free(dag.inputs(e)) <= 2)
    }
}

/// A query as variables, domains and constraints.
struct Domains {
    /// The query's bytes, sorted: the variables.
    bytes: Vec<InputByte>,
    /// Per byte: the values it may still have.
    sets: Vec<ByteSet>,
    /// The constraints that have to be evaluated, the target's last.
    open: Vec<ExprId>,
}

impl Domains {
    fn is_unsat(&self) -> bool {
        self.sets.iter().any(ByteSet::is_empty)
    }

    /// True if none of these bytes has only one value left.
    fn is_free(&self, bytes: &[InputByte]) -> bool {
        bytes.iter().all(|byte| self.sets[self.position(byte)].len() > 1)
    }

    /// Returns the index of a byte.
    fn position(&self, byte: &InputByte) -> usize {
        self.bytes.binary_search(byte).expect("a byte of the query")
    }
}

/// Returns the open constraints on two bytes whose relation is known.
fn arcs<'f>(facts: &'f Facts, dag: &Dag, domains: &Domains) -> Arcs<'f> {
    let mut arcs = Arcs::default();
    for &e in &domains.open {
        if let Some(relation) = facts.relation(e) {
            let inputs = dag.inputs(e);
            arcs.add([0, 1].map(|i| domains.position(&inputs[i])), relation);
        }
    }
    arcs
}

/// Returns the steps for a last search within these limits.
fn more_work(limits: Limits) -> u64 {
    limits.time.as_millis().saturating_mul(MORE_WORK).try_into().unwrap_or(u64::MAX)
}

impl Layer for Enumerate {
    fn solve(
        &mut self,
        dag: &Dag,
        query: &Query,
        seed: &dyn Assignment,
        deadline: &Deadline,
        below: &mut dyn Solver,
    ) -> Answer {
        let start = self.meter.begin();
        if let Some(answer) = self.decide(dag, query, seed, WORK, deadline) {
            return self.meter.answer(start, answer);
        }
        self.meter.pause(start);
        let from_below = below.solve(dag, query, seed, deadline);
        if from_below != Answer::Unknown(Unknown::TimeLimit) {
            return from_below;
        }
        let start = Instant::now();
        match self.decide(dag, query, seed, self.more_work, deadline) {
            Some(answer) => self.meter.answer(start, answer),
            None => {
                self.meter.pause(start);
                from_below
            }
        }
    }

    fn raise_limits(&mut self, limits: Limits) {
        self.more_work = more_work(limits);
    }

    fn forget(&mut self) {
        self.facts = Facts::default();
    }

    fn add_stats(&self, stats: &mut Stats) {
        stats.layers.add(&INFO, self.meter.tally());
    }
}
