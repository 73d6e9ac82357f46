//! Constraints made ready for evaluation, kept from query to query.
//!
//! The constraints of a path come back with every query about it.

use super::condition::Parts;
use crate::tape::{Allowance, Code, Evaluations, Machine, Tape};
use cairn_expr::{Dag, ExprId};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;

/// Instructions that are kept before the library starts over, to bound memory.
const MAX_INSTRUCTIONS: usize = 4 << 20;

/// What it costs to look at a constraint that takes too long to prepare: more than any search may.
const HOPELESS: i64 = 1 << 38;

/// What an evaluation costs beside its code, in steps of the simplest kind.
const OVERHEAD: i64 = 8;

/// A constraint taken apart, and the code that computes the sides of its atoms.
pub(super) struct Prepared {
    pub(super) parts: Parts,
    code: Rc<Code>,
    /// What an evaluation costs.
    pub(super) cost: i64,
}

/// What was prepared so far.
#[derive(Default)]
pub(super) struct Library {
    prepared: RefCell<Shelf>,
    machine: RefCell<Machine>,
}

#[derive(Default)]
struct Shelf {
    constraints: FxHashMap<ExprId, Rc<Prepared>>,
    instructions: usize,
    left: Allowance,
}

impl Library {
    /// To be called before every query.
    pub(super) fn begin(&mut self) {
        self.prepared.get_mut().left = Allowance::whole();
    }

    /// The constraint, prepared now if it was not before. What cannot be in time seems never to hold.
    pub(super) fn get(&self, dag: &Dag, constraint: ExprId) -> Rc<Prepared> {
        let mut shelf = self.prepared.borrow_mut();
        if let Some(known) = shelf.constraints.get(&constraint) {
            return known.clone();
        }
        let parts = Parts::new(dag, constraint);
        let Some(tape) = shelf.left.make(dag, &parts.sides, dag.inputs(constraint)) else {
            return Rc::new(self.hopeless(dag));
        };
        if shelf.instructions > MAX_INSTRUCTIONS {
            *shelf = Shelf { left: shelf.left, ..Shelf::default() };
        }
        shelf.instructions += tape.len();
        let code = self.machine.borrow_mut().code(tape);
        let cost = OVERHEAD + code.cost() as i64;
        let prepared = Rc::new(Prepared { parts, code, cost });
        shelf.constraints.insert(constraint, prepared.clone());
        prepared
    }

    fn hopeless(&self, dag: &Dag) -> Prepared {
        let code = self.machine.borrow_mut().code(Tape::new(dag, &[], &[]));
        Prepared { parts: Parts::impossible(), code, cost: HOPELESS }
    }

    /// Computes the sides of the constraint's atoms for these values of its bytes.
    pub(super) fn run(&self, prepared: &Prepared, input: &[u8], sides: &mut [u128]) {
        self.machine.borrow_mut().run(&prepared.code, input, sides);
    }

    /// What evaluating has taken so far.
    pub(super) fn evaluations(&self) -> Evaluations {
        self.machine.borrow().evaluations()
    }
}
