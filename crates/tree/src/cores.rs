//! Core conditions: what decisions say about single values of the input.
//!
//! S. Cha, H. Oh: Making Symbolic Execution Promising by Learning Aggressive State-Pruning Strategy, FSE 2020. A core
//! condition says that a byte of the input, or several joined to a value, equals a constant, or is a conjunction or
//! disjunction of such equalities. Equal ones have one id, wherever in the program and in whatever form they are met.
//!
//! Decisions are kept once, so this is found out once for each different one, and only if somebody asks for it.

use crate::decision::{Decision, DecisionId};
use crate::step::Flip;
use crate::tree::{SAME, Tree};
use cairn_expr::{BinOp, CmpOp, Dag, ExprId, Node};
use cairn_program::{Program, SiteKind};
use cairn_wire::event::StepKind;
use rustc_hash::FxHashMap;

/// Most equalities of one condition.
const MAX_EQUALITIES: usize = 32;
/// The place of a side, or of a decision, without a core condition.
const NONE: u32 = u32::MAX;

/// A core condition, counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CoreId(u32);

impl CoreId {
    /// The id as an index: dense, in order of discovery.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// That all of these values of the input equal these constants, or that any of them does.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Core {
    any: bool,
    equalities: Vec<(ExprId, u128)>,
}

impl Core {
    fn new(any: bool, mut equalities: Vec<(ExprId, u128)>) -> Core {
        equalities.sort_unstable();
        equalities.dedup();
        Core { any: any && equalities.len() > 1, equalities }
    }

    /// What taking a side of a decision says.
    fn of_side(dag: &Dag, program: &Program, decision: &Decision, side: u32) -> Option<Core> {
        let value = decision.value;
        match decision.kind {
            StepKind::Branch if program.site(decision.site).kind == SiteKind::Switch => {
                let sides = &program.site(decision.site).sides;
                let is_default = side as usize + 1 == sides.len();
                let values = &sides[side as usize].values;
                if is_default || values.len() > MAX_EQUALITIES {
                    return None;
                }
                let equal = values.iter().map(|n| equality(dag, value, (*n).into()));
                Some(Core::new(true, equal.collect::<Option<_>>()?))
            }
            StepKind::Branch => Core::of(dag, value, side == 1),
            StepKind::Concretization if side == SAME && dag.width(value) <= 64 => {
                Some(Core::new(false, vec![equality(dag, value, decision.constant.into())?]))
            }
            StepKind::Concretization => None,
            StepKind::Constraint => Core::of(dag, value, true),
        }
    }

    /// What it says that an expression of width 1 holds, or does not.
    fn of(dag: &Dag, expr: ExprId, holds: bool) -> Option<Core> {
        let any = match dag.node(expr) {
            Node::Binary(BinOp::And, ..) => !holds,
            Node::Binary(BinOp::Or, ..) => holds,
            _ => match negated(dag, expr) {
                Some(negated) => return Core::of(dag, negated, !holds),
                None => false,
            },
        };
        let mut equalities = Vec::new();
        collect(dag, (expr, holds), any, &mut equalities)?;
        Some(Core::new(any, equalities))
    }
}

/// Collects the equalities of a conjunction, or disjunction if `any`; none if it is more than that.
fn collect(
    dag: &Dag,
    (expr, holds): (ExprId, bool),
    any: bool,
    equalities: &mut Vec<(ExprId, u128)>,
) -> Option<()> {
    match dag.node(expr) {
        Node::Compare(CmpOp::Eq, a, b) if holds && equalities.len() < MAX_EQUALITIES => {
            let (value, constant) = match (dag.as_constant(a), dag.as_constant(b)) {
                (None, Some(constant)) => (a, constant),
                (Some(constant), None) => (b, constant),
                _ => return None,
            };
            equalities.push(equality(dag, value, constant)?);
            Some(())
        }
        Node::Binary(op @ (BinOp::And | BinOp::Or), a, b) if (op == BinOp::Or) == (holds == any) => {
            collect(dag, (a, holds), any, equalities)?;
            collect(dag, (b, holds), any, equalities)
        }
        _ => collect(dag, (negated(dag, expr)?, !holds), any, equalities),
    }
}

/// What an expression of width 1 is the negation of.
fn negated(dag: &Dag, expr: ExprId) -> Option<ExprId> {
    match dag.node(expr) {
        Node::Binary(BinOp::Xor, a, b) if dag.as_constant(b) == Some(1) => Some(a),
        Node::Binary(BinOp::Xor, a, b) if dag.as_constant(a) == Some(1) => Some(b),
        _ => None,
    }
}

/// That a value of the input, possibly extended, equals a constant.
fn equality(dag: &Dag, value: ExprId, constant: u128) -> Option<(ExprId, u128)> {
    match dag.node(value) {
        Node::ZExt(narrow) | Node::SExt(narrow) => equality(dag, narrow, constant),
        _ => is_cell(dag, value).then(|| (value, constant & u128::MAX >> (128 - dag.width(value)))),
    }
}

/// Whether an expression is a byte of the input, or several side by side.
fn is_cell(dag: &Dag, expr: ExprId) -> bool {
    match dag.node(expr) {
        Node::Input(_) => true,
        Node::Concat(high, low) => is_cell(dag, high) && is_cell(dag, low),
        _ => false,
    }
}

/// The core conditions of all decisions that were looked at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cores {
    /// By decision, where those of its sides begin.
    places: Vec<u32>,
    sides: Vec<u32>,
    ids: FxHashMap<Core, CoreId>,
}

impl Cores {
    fn intern(&mut self, core: Core) -> u32 {
        let next = CoreId(self.ids.len() as u32);
        self.ids.entry(core).or_insert(next).0
    }

    fn add(&mut self, cores: Vec<Option<Core>>) {
        if cores.iter().all(Option::is_none) {
            self.places.push(NONE);
            return;
        }
        self.places.push(self.sides.len() as u32);
        for core in cores {
            let id = core.map_or(NONE, |core| self.intern(core));
            self.sides.push(id);
        }
    }

    fn get(&self, DecisionId(decision): DecisionId, side: u32) -> Option<CoreId> {
        let place = self.places.get(decision as usize).filter(|place| **place != NONE)?;
        let id = self.sides[(place + side) as usize];
        (id != NONE).then_some(CoreId(id))
    }

    pub fn bytes(&self) -> usize {
        let ids = self.ids.capacity() * size_of::<(Core, CoreId)>();
        let equalities = self.ids.keys().map(|core| core.equalities.capacity()).sum::<usize>();
        let words = self.places.capacity() + self.sides.capacity();
        ids + equalities * size_of::<(ExprId, u128)>() + words * size_of::<u32>()
    }
}

impl Tree {
    /// Finds the core conditions of decisions that are new since it was last called.
    pub fn find_cores(&mut self, dag: &Dag, program: &Program) {
        for id in self.cores.places.len()..self.decisions.len() {
            let decision = *self.decisions.get(DecisionId(id as u32));
            // What is forced was said before.
            let sides = if decision.forced { 0 } else { self.side_count(decision.kind, decision.site) };
            let cores = (0..sides).map(|side| Core::of_side(dag, program, &decision, side)).collect();
            self.cores.add(cores);
        }
    }

    /// The core condition that taking this side means, as far as they were found.
    pub fn core(&self, side: Flip) -> Option<CoreId> {
        self.cores.get(self.nodes.get(side.node).decision(), side.side)
    }
}
