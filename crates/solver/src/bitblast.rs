//! Bit-blasting: queries without floats as circuits, decided by rewriting, linear algebra and a SAT solver.
//!
//! Expressions are translated to gates once ([`translate`], over [`words`], [`products`], [`tables`] and
//! [`circuit`]) and kept for the queries to come. A query is a conjunction of some gates' outputs. What these
//! depend on is copied and reduced ([`reduce`]): known values and equal bits are replaced ([`rewrite`]), and
//! what is linear over GF(2) is eliminated exactly ([`linear`]), which alone decides checksums, shift
//! registers and hashes made of shifts and exclusive ors. What is left is searched by CaDiCaL ([`sat`]).
//!
//! The engine runs in the driver's process. Work is counted, not timed, so that a query always has the same
//! answer: gates and words of matrices as nominal time ([`budget`]), the search in CaDiCaL's ticks. Every part looks at the clock
//! as well, and memory is bounded by the number of gates.
//!
//! On 554 queries of zlib's inflate this answers all in 0.7 s of CPU, where Z3 takes 44 s with a limit of one
//! second each and leaves 59; on programs whose queries are small it takes a tenth to a third of Z3's time.

mod budget;
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
use crate::z3::memory_limit;
use crate::{Answer, Attempt, Engine, LayerGroup, LayerInfo, Model, QueryClass, Task, Unknown};
use budget::{Budget, UsedUp, Work};
use cairn_expr::{ExprId, InputByte};
use circuit::{Gate, Lit};
use reduce::{Reduced, reduce};
use rewrite::{Conjunction, Stopped, cone};
use rustc_hash::{FxHashMap, FxHashSet};
use sat::{SatSearch, Searched};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;
use translate::{Blaster, Refused, Source};

/// Memory in bytes that a gate may take, with its clauses, what is learnt from them, and its copies.
const BYTES_PER_GATE: u64 = 1 << 10;
/// Effort of a first attempt at a reduction; those of large circuits take several, each of which goes on with
/// the gates of the one before.
const REDUCTION: Duration = Duration::from_millis(2);
/// Effort of a first search: some hundred conflicts.
const FIRST_SEARCH: Duration = Duration::from_millis(8);

static INFO: LayerInfo =
    LayerInfo { key: "sat", name: "sat", about: "asks CaDiCaL about gates", group: Some(GROUP) };

static LINEAR_INFO: LayerInfo =
    LayerInfo { key: "linear", name: "linear", about: "reduces gates, solves GF(2)", group: Some(GROUP) };

const GROUP: LayerGroup = LayerGroup { column: "SAT", name: "bit-blasting" };

/// The engines of bit-blasting: the reduction alone, which is cheap and often enough, and the search.
pub fn bit_blasting() -> [Box<dyn Engine>; 2] {
    let shared = Rc::new(RefCell::new(BitBlast::default()));
    [Box::new(Reduction(shared.clone())), Box::new(Search(shared))]
}

/// Decides what rewriting and linear algebra decide.
struct Reduction(Rc<RefCell<BitBlast>>);

/// Searches what they leave with CaDiCaL.
struct Search(Rc<RefCell<BitBlast>>);

/// Circuits of expressions, and the last query that was reduced.
#[derive(Default)]
struct BitBlast {
    blaster: Blaster,
    bytes: ByteCollector,
    last: Option<(Vec<ExprId>, Rc<Reduced>)>,
    /// Search for the last query, if it has begun.
    begun: Option<SatSearch>,
}

/// Result of reducing a query.
enum Rest {
    Decided(Answer),
    /// To be searched.
    Open(Rc<Reduced>),
    /// Not to be decided here: it has floats, or is too large.
    Refused,
    /// The effort was used up before the circuit was built and reduced.
    UsedUp,
}

impl BitBlast {
    /// Reduces a query, and continues with what is left of it.
    fn attempt(
        &mut self,
        task: &Task,
        effort: Duration,
        go_on: impl FnOnce(&mut BitBlast, &Reduced, &mut Budget) -> Answer,
    ) -> Attempt {
        let mut budget = Budget::new(effort, task.deadline);
        let answer = match self.reduced(task, &mut budget) {
            Rest::Open(reduced) => go_on(self, &reduced, &mut budget),
            Rest::Decided(answer) => answer,
            Rest::Refused => Answer::Unknown(Unknown::Unsupported),
            Rest::UsedUp => Answer::Unknown(Unknown::TimeLimit),
        };
        Attempt { answer, spent: budget.spent() }
    }

    /// Translates and reduces a query, unless it is the last one.
    fn reduced(&mut self, task: &Task, budget: &mut Budget) -> Rest {
        let constraints: Vec<ExprId> = task.query.constraints().collect();
        if let Some((last, reduced)) = &self.last
            && *last == constraints
        {
            return Rest::Open(reduced.clone());
        }
        let rest = self.reduce(task, budget);
        self.begun = None;
        self.last = match &rest {
            Rest::Open(reduced) => Some((constraints, reduced.clone())),
            _ => None,
        };
        rest
    }

    /// Translates and reduces a query.
    fn reduce(&mut self, task: &Task, budget: &mut Budget) -> Rest {
        let max_gates = (memory_limit() / BYTES_PER_GATE) as usize;
        if self.blaster.circuit.len() > max_gates / 2 {
            self.blaster = Blaster::default();
        }
        let mut roots = Vec::new();
        for e in task.query.constraints() {
            match self.blaster.condition(task.dag, e, max_gates, budget) {
                Ok(root) => roots.push(root),
                Err(Refused::Never) => return Rest::Refused,
                Err(Refused::UsedUp) => return Rest::UsedUp,
            }
        }
        if self.add_divisions(&mut roots, budget).is_err() {
            return Rest::UsedUp;
        }
        match reduce(&self.blaster.circuit, &roots, budget) {
            Ok(reduced) if reduced.conjunction.roots.is_empty() => {
                Rest::Decided(self.model(task, &reduced, Vec::new()))
            }
            Ok(reduced) => Rest::Open(Rc::new(reduced)),
            Err(Stopped::Contradiction) => Rest::Decided(Answer::Unsat),
            Err(Stopped::UsedUp) => Rest::UsedUp,
        }
    }

    /// Adds the conditions on the divisions that the roots depend on.
    fn add_divisions(&self, roots: &mut Vec<Lit>, budget: &mut Budget) -> Result<(), UsedUp> {
        if !self.blaster.has_divisions() {
            return Ok(());
        }
        let mut known = FxHashSet::default();
        let mut added = 0;
        while added < roots.len() {
            let new = cone(&self.blaster.circuit, &roots[added..]);
            added = roots.len();
            budget.spend(Work::Visit, new.len())?;
            for gate in new {
                if let Gate::Variable(number) = self.blaster.circuit.gate(gate)
                    && let Source::Division(division) = self.blaster.source(number)
                    && known.insert(division)
                {
                    roots.push(self.blaster.division(division));
                }
            }
        }
        Ok(())
    }

    /// Searches what is left of a query.
    fn search(&mut self, task: &Task, reduced: &Reduced, budget: &mut Budget) -> Answer {
        let found = match self.continue_search(task, reduced, budget) {
            Ok(found) => found,
            Err(UsedUp) => Searched::TooLong,
        };
        match found {
            Searched::Sat(values) => self.model(task, reduced, values),
            Searched::Unsat => Answer::Unsat,
            Searched::TooLong => Answer::Unknown(Unknown::TimeLimit),
        }
    }

    /// Begins the search for the last query, or goes on with it.
    fn continue_search(
        &mut self,
        task: &Task,
        reduced: &Reduced,
        budget: &mut Budget,
    ) -> Result<Searched, UsedUp> {
        let search = match &mut self.begun {
            Some(search) => search,
            begun @ None => {
                let Conjunction { circuit, roots } = &reduced.conjunction;
                begun.insert(SatSearch::new(circuit, roots, budget)?)
            }
        };
        let ticks = budget.left().as_nanos() as u64 / Work::Tick as u64;
        let (found, ticks) = search.search(i32::try_from(ticks).unwrap_or(i32::MAX).max(1), task.deadline);
        let is_over = budget.spend(Work::Tick, ticks as usize);
        match found {
            Searched::TooLong => is_over.map(|()| found),
            decided => Ok(decided),
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

/// True for queries that can be translated.
fn is_about_bits(class: QueryClass) -> bool {
    !class.has_floats && !class.has_functions
}

impl Engine for Reduction {
    fn info(&self) -> &'static LayerInfo {
        &LINEAR_INFO
    }

    fn first_effort(&self, class: QueryClass) -> Option<Duration> {
        is_about_bits(class).then_some(REDUCTION)
    }

    fn needs_validation(&self) -> bool {
        true
    }

    fn attempt(&mut self, task: &Task, _: u32, effort: Duration) -> Attempt {
        self.0.borrow_mut().attempt(task, effort, |_, _, _| Answer::Unknown(Unknown::Unsupported))
    }

    fn forget(&mut self) {
        *self.0.borrow_mut() = BitBlast::default();
    }
}

impl Engine for Search {
    fn info(&self) -> &'static LayerInfo {
        &INFO
    }

    fn first_effort(&self, class: QueryClass) -> Option<Duration> {
        is_about_bits(class).then_some(FIRST_SEARCH)
    }

    fn needs_validation(&self) -> bool {
        true
    }

    fn attempt(&mut self, task: &Task, _: u32, effort: Duration) -> Attempt {
        self.0
            .borrow_mut()
            .attempt(task, effort, |shared, reduced, budget| shared.search(task, reduced, budget))
    }

    fn forget(&mut self) {
        *self.0.borrow_mut() = BitBlast::default();
    }
}
