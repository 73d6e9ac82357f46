//! Cache of prepared constraints: the constraints of a path come back with every query about it.

use super::condition::Parts;
use crate::tape::{Allowance, Code, Evaluations, Machine, Tape};
use cairn_expr::{Dag, ExprId};
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// Steps cached before the library is emptied, to bound memory; a chosen bound.
const MAX_INSTRUCTIONS: usize = 4 << 20;

/// Cost of evaluating a constraint that could not be prepared: more than any search has.
const UNPREPARED_COST: i64 = 1 << 38;

/// Cost of an evaluation beside its code, in steps.
const OVERHEAD: i64 = 8;

/// A constraint split into atoms, and the code that computes their sides.
pub(super) struct Prepared {
    pub(super) parts: Parts,
    code: Rc<Code>,
    /// Cost of an evaluation, in steps.
    pub(super) cost: i64,
}

/// The constraints prepared so far, and the machine that runs their code.
#[derive(Default)]
pub(super) struct Library {
    prepared: RefCell<Shelf>,
    machine: RefCell<Machine>,
}

#[derive(Default)]
/// The cached constraints.
struct Shelf {
    constraints: FxHashMap<ExprId, Rc<Prepared>>,
    instructions: usize,
    left: Allowance,
}

impl Library {
    /// Sets the allowance of code. To be called before every attempt.
    pub(super) fn begin(&mut self, allowance: Allowance) {
        self.prepared.get_mut().left = allowance;
    }

    /// Returns the nominal time of the code built in the attempt.
    pub(super) fn time_spent(&self) -> Duration {
        self.prepared.borrow().left.time_spent()
    }

    /// Returns the constraint, prepared now if it was not before. One that exceeds the allowance seems never
    /// to hold.
    pub(super) fn get(&self, dag: &Dag, constraint: ExprId) -> Rc<Prepared> {
        let mut shelf = self.prepared.borrow_mut();
        if let Some(known) = shelf.constraints.get(&constraint) {
            return known.clone();
        }
        if shelf.left.is_used_up() {
            return Rc::new(self.unprepared(dag));
        }
        let parts = Parts::new(dag, constraint);
        let Some(tape) = shelf.left.make(dag, &parts.sides, dag.inputs(constraint)) else {
            return Rc::new(self.unprepared(dag));
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

    fn unprepared(&self, dag: &Dag) -> Prepared {
        let code = self.machine.borrow_mut().code(Tape::new(dag, &[], &[]));
        Prepared { parts: Parts::impossible(), code, cost: UNPREPARED_COST }
    }

    /// Computes the sides of the constraint's atoms for these values of its bytes.
    pub(super) fn run(&self, prepared: &Prepared, input: &[u8], sides: &mut [u128]) {
        self.machine.borrow_mut().run(&prepared.code, input, sides);
    }

    /// Returns the number of evaluations so far.
    pub(super) fn evaluations(&self) -> Evaluations {
        self.machine.borrow().evaluations()
    }
}
