//! Exhaustive enumeration: decides queries over few values by trying them all, as a finite-domain constraint
//! solver.
//!
//! Queries of byte-wise parsers depend mostly on one byte, or on a word of which the path has left few
//! values. The input bytes are the variables, their domains sets of byte values. A constraint on one byte is
//! a domain, computed once (`facts`). Constraints on several bytes narrow the domains by interval arithmetic
//! (`narrow`), constraints on two bytes by arc consistency over all pairs of values (`arcs`, `relation`).
//! The rest is searched with conflict-directed backjumping (`search`). From the second attempt on, states that
//! failed are remembered: a scanner's automaton has few, however many inputs lead to each (`failed_states`). If
//! the whole product can be tried the answer is complete: a model, or a proof that there is none. A target that
//! reads a table at a symbolic index of few values is tried first for all of these (`table_index`). A hash that can be
//! computed backwards is inverted from both ends (`meet`, `chain`).
//!
//! Work is counted in tape steps, not in time, so that a query always has the same answer. How many are worth
//! their time the portfolio decides: where the product is too large to be tried, the target's own bytes often
//! decide all the same, or the slot of a hash table is hit by chance.
//!
//! On 12,657 queries of campaigns this engine answers 98.3 % (bench/RESULTS.md); without backjumping Z3 was
//! asked 5.8 % instead of 1.4 %. Dropped: arc consistency before the first search (56 to 60 ms instead of 53 on
//! the JSON parser), since most queries are decided without it.

mod arcs;
mod byteset;
mod chain;
mod facts;
mod failed_states;
mod meet;
mod narrow;
mod relation;
mod search;
mod table_index;
#[cfg(test)]
mod tests;

use crate::bytes::ByteCollector;
use crate::conjuncts::conjuncts;
use crate::tape::{Allowance, Scratch, Tape};
use crate::validate::holds;
use crate::{
    Answer, Attempt, Engine, LayerGroup, LayerInfo, Model, Overlay, Query, QueryClass, Task, Unknown,
};
use arcs::Arcs;
use byteset::ByteSet;
use cairn_deadline::{Deadline, Pace};
use cairn_expr::{Assignment, Dag, Evaluator, ExprId, InputByte};
use facts::Facts;
use search::{Check, DomainSearch, Outcome};
use std::time::Duration;

/// Steps of a first attempt, made without arc consistency: it decides most queries.
const FIRST_STEPS: u64 = 30_000;
/// Nominal time of a step; measured over the queries of bc, zlib and libpng.
const NANOS_PER_STEP: u64 = 3;

/// Cost of visiting a node of an expression, in steps.
const STEPS_PER_NODE: u64 = 10;

/// Revisions of arcs between two looks at the clock.
const REVISIONS_PER_CLOCK: u64 = 1_000;

static INFO: LayerInfo = LayerInfo {
    key: "enumerate",
    name: "enumerate",
    about: "tries all of few values",
    group: Some(LayerGroup { column: "enum", name: "enumeration" }),
};

/// Decides queries over few values.
#[derive(Default)]
pub struct Enumerate {
    bytes: ByteCollector,
    facts: Facts,
    scratch: Scratch,
    evaluator: Evaluator,
}

impl Enumerate {
    /// Looks for an answer within this many steps and this much code; returns it and the steps taken.
    fn decide(&mut self, task: &Task, is_first: bool, steps: u64, code: Allowance) -> (Answer, u64) {
        let Task { dag, query, seed, deadline } = *task;
        self.facts.begin_attempt(code);
        let mut looked = 0;
        if is_first {
            let (is_ruled_out, nodes) = table_index::is_ruled_out(&mut self.evaluator, dag, query, deadline);
            looked = nodes * STEPS_PER_NODE;
            if is_ruled_out {
                return (Answer::Unsat, looked);
            }
        }
        let bytes = self.bytes.collect(dag, query.constraints());
        let mut domains = Domains { sets: vec![ByteSet::FULL; bytes.len()], bytes, open: Vec::new() };
        let is_complete = self.narrow(dag, query, &mut domains, deadline);
        looked += query.prefix.len() as u64 * STEPS_PER_NODE;
        if domains.is_unsat() {
            return (Answer::Unsat, looked);
        }
        if !is_complete || domains.open.iter().any(|&e| self.facts.compile(dag, e).is_none()) {
            // Another attempt goes on with the code that there is now.
            let why = if code.is_greatest() { Unknown::Unsupported } else { Unknown::TimeLimit };
            return (Answer::Unknown(why), looked);
        }
        let (mut related, mut met, mut whole) = (0, 0, None);
        if !is_first {
            match self.meet(task, &domains, steps) {
                Some((Outcome::TooMuch, spent)) => met = spent,
                Some((outcome, spent)) => return (self.answer(task, domains.bytes, outcome), looked + spent),
                None => {}
            }
            let free = domains.open.iter().copied().filter(|&e| domains.is_free(dag.inputs(e)));
            related = self.facts.compute_relations(free, steps, deadline);
            whole = self.facts.code_of_all(dag, &domains.open, &domains.bytes);
        }
        let left = steps.saturating_sub(met);
        let (outcome, searched) = self.search(dag, &mut domains, whole, seed, left, deadline);
        (self.answer(task, domains.bytes, outcome), looked + met + related + searched)
    }

    fn answer(&mut self, task: &Task, bytes: Vec<InputByte>, outcome: Outcome) -> Answer {
        match outcome {
            Outcome::Found(input) => {
                self.checked(task.dag, task.query, task.seed, bytes.into_iter().zip(input).collect())
            }
            Outcome::Nothing => Answer::Unsat,
            Outcome::TooMuch => Answer::Unknown(Unknown::TimeLimit),
        }
    }

    /// Inverts a hash that must come out as given; None if there is none, or if that takes more steps.
    fn meet(&mut self, task: &Task, domains: &Domains, steps: u64) -> Option<(Outcome, u64)> {
        let Task { dag, query, seed, deadline } = *task;
        let Enumerate { facts, evaluator, .. } = self;
        let input = domains.nearest(seed);
        let holds = |values: &[u8]| {
            let model: Model = domains.bytes.iter().copied().zip(values.iter().copied()).collect();
            holds(evaluator, dag, query.constraints(), &Overlay { model: &model, seed })
        };
        meet::decide(dag, domains, facts, &input, steps, deadline, holds)
    }

    /// Returns the model as an answer if the reference evaluator confirms it.
    fn checked(&mut self, dag: &Dag, query: &Query, seed: &dyn Assignment, model: Model) -> Answer {
        let input = Overlay { model: &model, seed };
        match holds(&mut self.evaluator, dag, query.constraints(), &input) {
            true => Answer::Sat(model),
            false => Answer::Unknown(Unknown::Invalid),
        }
    }

    /// Removes from the domains what single constraints forbid, and collects in `open` the constraints that
    /// are not equivalent to their domains. Returns false if there is too much to look at; the domains are
    /// valid even so.
    fn narrow(&mut self, dag: &Dag, query: &Query, domains: &mut Domains, deadline: &Deadline) -> bool {
        let mut pace = Pace::new(deadline, 100);
        for constraint in conjuncts(dag, query.constraints()) {
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
    fn search(
        &mut self,
        dag: &Dag,
        domains: &mut Domains,
        whole: Option<Tape>,
        seed: &dyn Assignment,
        steps: u64,
        deadline: &Deadline,
    ) -> (Outcome, u64) {
        let arcs = arcs(&self.facts, dag, domains);
        match arcs.make_consistent(&mut domains.sets, &mut Pace::new(deadline, REVISIONS_PER_CLOCK)) {
            Some(true) => {}
            Some(false) => return (Outcome::Nothing, 0),
            None => return (Outcome::TooMuch, steps),
        }
        let check = |&e: &ExprId| {
            let positions = dag.inputs(e).iter().map(|byte| domains.position(byte) as u32);
            let is_related = self.facts.relation(e).is_some();
            Check { code: self.facts.code(e), positions: positions.collect(), is_related }
        };
        let checks = domains.open.iter().map(check).collect();
        let input = domains.nearest(seed);
        let search = DomainSearch::new(checks, whole, arcs, &domains.sets, input, &mut self.scratch);
        search.map_or((Outcome::TooMuch, steps), |search| search.run(steps, deadline))
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

    /// Returns the allowed values that are nearest to the seed's.
    fn nearest(&self, seed: &dyn Assignment) -> Vec<u8> {
        let nearest = |(set, &byte): (&ByteSet, &InputByte)| set.nearest_first(seed.byte(byte)).next();
        self.sets.iter().zip(&self.bytes).filter_map(nearest).collect()
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

impl Engine for Enumerate {
    fn info(&self) -> &'static LayerInfo {
        &INFO
    }

    fn first_effort(&self, _: QueryClass) -> Option<Duration> {
        Some(Duration::from_nanos(FIRST_STEPS * NANOS_PER_STEP))
    }

    fn attempt(&mut self, task: &Task, number: u32, effort: Duration) -> Attempt {
        let steps = effort.as_nanos() as u64 / NANOS_PER_STEP;
        let (answer, spent) = self.decide(task, number == 0, steps, Allowance::of(effort));
        let searching = Duration::from_nanos(spent * NANOS_PER_STEP);
        Attempt { answer, spent: self.facts.time_spent() + searching }
    }

    fn forget(&mut self) {
        self.facts = Facts::default();
    }
}
