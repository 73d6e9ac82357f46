//! Bit-blasting: queries without floats as circuits, decided by rewriting, linear algebra and a SAT solver.
//!
//! Expressions are translated to gates once ([`translate`], over [`words`], [`products`], [`tables`] and
//! [`circuit`]) and kept for the queries to come. A query is a conjunction of some gates' outputs. What these
//! depend on is copied and reduced ([`reduce`]): known values and equal bits are replaced ([`rewrite`]), and
//! what is linear over GF(2) is eliminated exactly ([`linear`]), which alone decides checksums, shift
//! registers and hashes made of shifts and exclusive ors. What is left is searched by CaDiCaL ([`sat`]).
//!
//! All is in this process. Every part looks at the clock, CaDiCaL every few conflicts, and memory is bounded
//! by the number of gates. The search's work is counted in ticks, not in time, so that a query always has the
//! same answer.
//!
//! On 554 queries of zlib's inflate this answers all in 0.7 s of CPU, where Z3 takes 44 s with a limit of one
//! second each and leaves 59; on programs whose queries are small it takes a tenth to a third of Z3's time.

mod circuit;
mod linear;
mod matrix;
mod products;
mod reduce;
mod rewrite;
mod sat;
mod tables;
mod translate;
mod words;

use crate::bytes::ByteCollector;
use crate::stats::Meter;
use crate::z3::memory_limit;
use crate::{Answer, Layer, LayerGroup, LayerInfo, Limits, Model, Query, Solver, Stats, Unknown};
use cairn_deadline::Deadline;
use cairn_expr::{Assignment, Dag, InputByte};
use circuit::{Gate, Lit};
use reduce::{Reduced, reduce};
use rewrite::{Stopped, cone};
use rustc_hash::{FxHashMap, FxHashSet};
use sat::{Searched, search};
use translate::{Blaster, Refused, Source};

/// Memory in bytes that a gate may take, with its clauses, what is learnt from them, and its copies.
const BYTES_PER_GATE: u64 = 1 << 10;
/// CaDiCaL's ticks per millisecond of the time limit. It uses some 40,000 in a millisecond: only on a machine
/// a third as fast does the clock decide which queries have an answer.
const TICKS_PER_MILLISECOND: u128 = 13_000;

static INFO: LayerInfo =
    LayerInfo { key: "sat", name: "sat", about: "asks CaDiCaL about gates", group: Some(GROUP) };

static LINEAR_INFO: LayerInfo =
    LayerInfo { key: "linear", name: "linear", about: "reduces gates, solves GF(2)", group: Some(GROUP) };

const GROUP: LayerGroup = LayerGroup { column: "SAT", name: "bit-blasting" };

/// Decides queries about bits before the layer below is asked.
pub struct BitBlast {
    limits: Limits,
    blaster: Blaster,
    bytes: ByteCollector,
    linear: Meter,
    sat: Meter,
}

/// What the reduction leaves of a query.
enum Rest {
    Decided(Answer),
    /// To be searched.
    Open(Box<Reduced>),
    /// Not to be decided here: it has floats, or is too large for the limits.
    Refused,
}

impl BitBlast {
    /// Returns the layer without any circuits.
    pub fn new(limits: Limits) -> BitBlast {
        let (blaster, bytes, linear, sat) = Default::default();
        BitBlast { limits, blaster, bytes, linear, sat }
    }

    /// Translates and reduces a query.
    fn reduced(&mut self, task: &Task) -> Rest {
        let max_gates = (memory_limit() / BYTES_PER_GATE) as usize;
        if self.blaster.circuit.len() > max_gates / 2 {
            self.blaster = Blaster::default();
        }
        let mut roots = Vec::new();
        for e in task.query.constraints() {
            match self.blaster.condition(task.dag, e, max_gates, task.deadline) {
                Ok(root) => roots.push(root),
                Err(Refused) => return Rest::Refused,
            }
        }
        self.add_divisions(&mut roots);
        match reduce(&self.blaster.circuit, &roots, task.deadline) {
            Ok(reduced) if reduced.conjunction.roots.is_empty() => {
                Rest::Decided(self.model(task, &reduced, Vec::new()))
            }
            Ok(reduced) => Rest::Open(Box::new(reduced)),
            Err(Stopped::Contradiction) => Rest::Decided(Answer::Unsat),
            Err(Stopped::TimeOver) => Rest::Refused,
        }
    }

    /// Adds the conditions on the divisions that the roots depend on.
    fn add_divisions(&self, roots: &mut Vec<Lit>) {
        if !self.blaster.has_divisions() {
            return;
        }
        let mut known = FxHashSet::default();
        let mut added = 0;
        while added < roots.len() {
            let new = cone(&self.blaster.circuit, &roots[added..]);
            added = roots.len();
            for gate in new {
                if let Gate::Variable(number) = self.blaster.circuit.gate(gate)
                    && let Source::Division(division) = self.blaster.source(number)
                    && known.insert(division)
                {
                    roots.push(self.blaster.division(division));
                }
            }
        }
    }

    /// Searches what is left of a query.
    fn search(&mut self, task: &Task, reduced: &Reduced) -> Answer {
        // The layers below have as much time.
        let time = self.limits.time / 2;
        let own = task.deadline.within(time);
        let ticks = time.as_millis().saturating_mul(TICKS_PER_MILLISECOND);
        let ticks = i32::try_from(ticks).unwrap_or(i32::MAX);
        let found = search(&reduced.conjunction.circuit, &reduced.conjunction.roots, ticks, &own);
        match found {
            Searched::Sat(values) => self.model(task, reduced, values),
            Searched::Unsat => Answer::Unsat,
            Searched::TooLong => Answer::Unknown(Unknown::TimeLimit),
        }
    }

    /// Returns the model that values of the variables that are left stand for.
    fn model(&mut self, task: &Task, reduced: &Reduced, values: Vec<(u32, bool)>) -> Answer {
        let mut values: FxHashMap<u32, bool> = values.into_iter().collect();
        reduced.complete(&mut values, |number| match self.blaster.source(number) {
            Source::Input(byte, bit) => task.seed.byte(byte) >> bit & 1 == 1,
            Source::Division(_) => false,
        });
        let all = self.bytes.collect(task.dag, task.query.constraints());
        let mut bytes: FxHashMap<InputByte, u8> =
            all.into_iter().map(|byte| (byte, task.seed.byte(byte))).collect();
        for (number, value) in values {
            if let Source::Input(byte, bit) = self.blaster.source(number) {
                let bits = bytes.entry(byte).or_insert_with(|| task.seed.byte(byte));
                *bits = *bits & !(1 << bit) | u8::from(value) << bit;
            }
        }
        Answer::Sat(bytes.into_iter().collect::<Model>())
    }
}

/// A query with all that belongs to it.
struct Task<'a> {
    dag: &'a Dag,
    query: &'a Query<'a>,
    seed: &'a dyn Assignment,
    deadline: &'a Deadline,
}

impl Layer for BitBlast {
    fn solve(
        &mut self,
        dag: &Dag,
        query: &Query,
        seed: &dyn Assignment,
        deadline: &Deadline,
        below: &mut dyn Solver,
    ) -> Answer {
        let start = self.linear.begin();
        let task = Task { dag, query, seed, deadline };
        let reduced = match self.reduced(&task) {
            Rest::Decided(answer) => return self.linear.answer(start, answer),
            Rest::Open(reduced) => reduced,
            Rest::Refused => {
                self.linear.pause(start);
                return below.solve(dag, query, seed, deadline);
            }
        };
        self.linear.pause(start);
        let start = self.sat.begin();
        match self.search(&task, &reduced) {
            Answer::Unknown(_) => self.sat.pause(start),
            answer => return self.sat.answer(start, answer),
        }
        drop(reduced);
        below.solve(dag, query, seed, deadline)
    }

    fn raise_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    fn forget(&mut self) {
        self.blaster = Blaster::default();
    }

    fn add_stats(&self, stats: &mut Stats) {
        stats.layers.add(&INFO, self.sat.tally());
        stats.layers.add(&LINEAR_INFO, self.linear.tally());
    }
}
