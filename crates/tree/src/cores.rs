//! Core conditions: equalities that decisions imply about single values of the input.
//!
//! S. Cha, H. Oh: Making Symbolic Execution Promising by Learning Aggressive State-Pruning Strategy, FSE
//! 2020. A core condition states that a byte of the input, or several joined to a value, equals a constant,
//! or is a conjunction or disjunction of such equalities. Equal conditions share one id, wherever in the
//! program and in whatever form they occur.
//!
//! Decisions are interned, so core conditions are computed once per distinct decision, and only for
//! strategies that use them.

use crate::decision::{Decision, DecisionId};
use crate::step::SAME_VALUE;
use cairn_expr::{BinOp, CmpOp, Dag, ExprId, Node};
use cairn_program::{Program, SiteKind};
use cairn_wire::event::StepKind;
use rustc_hash::FxHashMap;

/// Maximum number of equalities in one condition; a chosen bound.
const MAX_EQUALITIES: usize = 32;
/// Entry of a side, or of a decision, without a core condition.
const NONE: u32 = u32::MAX;

/// Index of a core condition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CoreId(u32);

impl CoreId {
    /// The id as an index: dense, in order of discovery.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A condition: all of these input values equal these constants, or, if `any`, at least one does.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct CoreCondition {
    any: bool,
    equalities: Vec<(ExprId, u128)>,
}

impl CoreCondition {
    fn new(any: bool, mut equalities: Vec<(ExprId, u128)>) -> CoreCondition {
        equalities.sort_unstable();
        equalities.dedup();
        CoreCondition { any: any && equalities.len() > 1, equalities }
    }

    /// Returns the core condition implied by taking a side of a decision.
    pub fn of_side(dag: &Dag, program: &Program, decision: &Decision, side: u32) -> Option<CoreCondition> {
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
                Some(CoreCondition::new(true, equal.collect::<Option<_>>()?))
            }
            StepKind::Branch => CoreCondition::of(dag, value, side == 1),
            StepKind::Concretization if side == SAME_VALUE && dag.width(value) <= 64 => {
                Some(CoreCondition::new(false, vec![equality(dag, value, decision.constant.into())?]))
            }
            StepKind::Concretization => None,
            StepKind::Constraint => CoreCondition::of(dag, value, true),
        }
    }

    /// Returns the core condition of an expression of width 1 being true, or false.
    fn of(dag: &Dag, expr: ExprId, holds: bool) -> Option<CoreCondition> {
        let any = match dag.node(expr) {
            Node::Binary(BinOp::And, ..) => !holds,
            Node::Binary(BinOp::Or, ..) => holds,
            _ => match negated(dag, expr) {
                Some(negated) => return CoreCondition::of(dag, negated, !holds),
                None => false,
            },
        };
        let mut equalities = Vec::new();
        collect(dag, (expr, holds), any, &mut equalities)?;
        Some(CoreCondition::new(any, equalities))
    }
}

/// Collects the equalities of a conjunction, or of a disjunction if `any`; `None` if the expression is
/// anything else.
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

/// Returns the expression of width 1 that `expr` negates.
fn negated(dag: &Dag, expr: ExprId) -> Option<ExprId> {
    match dag.node(expr) {
        Node::Binary(BinOp::Xor, a, b) if dag.as_constant(b) == Some(1) => Some(a),
        Node::Binary(BinOp::Xor, a, b) if dag.as_constant(a) == Some(1) => Some(b),
        _ => None,
    }
}

/// Returns the equality of an input value, possibly extended, with a constant.
fn equality(dag: &Dag, value: ExprId, constant: u128) -> Option<(ExprId, u128)> {
    match dag.node(value) {
        Node::ZExt(narrow) | Node::SExt(narrow) => equality(dag, narrow, constant),
        _ => is_input_value(dag, value).then(|| (value, constant & u128::MAX >> (128 - dag.width(value)))),
    }
}

/// True if an expression is a byte of the input, or a concatenation of several.
fn is_input_value(dag: &Dag, expr: ExprId) -> bool {
    match dag.node(expr) {
        Node::Input(_) => true,
        Node::Concat(high, low) => is_input_value(dag, high) && is_input_value(dag, low),
        _ => false,
    }
}

/// The core conditions of all decisions processed so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cores {
    /// By decision: offset of its sides' entries in `sides`.
    offsets: Vec<u32>,
    sides: Vec<u32>,
    ids: FxHashMap<CoreCondition, CoreId>,
}

impl Cores {
    fn intern(&mut self, core: CoreCondition) -> u32 {
        let next = CoreId(self.ids.len() as u32);
        self.ids.entry(core).or_insert(next).0
    }

    /// Returns the number of decisions processed so far.
    pub fn decisions(&self) -> usize {
        self.offsets.len()
    }

    /// Adds the core conditions of the sides of the next decision.
    pub fn add(&mut self, cores: Vec<Option<CoreCondition>>) {
        if cores.iter().all(Option::is_none) {
            self.offsets.push(NONE);
            return;
        }
        self.offsets.push(self.sides.len() as u32);
        for core in cores {
            let id = core.map_or(NONE, |core| self.intern(core));
            self.sides.push(id);
        }
    }

    /// Returns the core condition of a side.
    pub fn get(&self, DecisionId(decision): DecisionId, side: u32) -> Option<CoreId> {
        let offset = self.offsets.get(decision as usize).filter(|offset| **offset != NONE)?;
        let id = self.sides[(offset + side) as usize];
        (id != NONE).then_some(CoreId(id))
    }

    pub fn bytes(&self) -> usize {
        let ids = self.ids.capacity() * size_of::<(CoreCondition, CoreId)>();
        let equalities = self.ids.keys().map(|core| core.equalities.capacity()).sum::<usize>();
        let words = self.offsets.capacity() + self.sides.capacity();
        ids + equalities * size_of::<(ExprId, u128)>() + words * size_of::<u32>()
    }
}
