//! The path constraint: the condition on the deciding value that taking a side implies.

use crate::decision::{Decision, DecisionId};
use crate::step::SAME_VALUE;
use cairn_expr::{BinOp, CmpOp, Dag, ExprId};
use cairn_program::{Program, Site, SiteId, SiteKind};
use cairn_wire::event::StepKind;
use rustc_hash::FxHashMap;

/// Returns the condition, of width 1, under which `value` takes this side of a site.
pub fn side_condition(dag: &mut Dag, program: &Program, site: SiteId, value: ExprId, side: u32) -> ExprId {
    let site = program.site(site);
    match site.kind {
        SiteKind::Branch | SiteKind::Select if side == 1 => value,
        SiteKind::Branch | SiteKind::Select => dag.not(value),
        SiteKind::Switch => switch_condition(dag, site, value, side as usize),
        SiteKind::Concretization | SiteKind::UninstrumentedCall | SiteKind::Producer => dag.constant(1, 1),
    }
}

/// Returns the condition, of width 1, that a concretized value equals the constant it was used as.
pub fn concretization_condition(dag: &mut Dag, value: ExprId, constant: u64) -> ExprId {
    // Traces hold the low 64 bits of concretized values.
    let value = if dag.width(value) > 64 { dag.extract(value, 0, 64) } else { value };
    let constant = dag.constant(dag.width(value), constant.into());
    dag.compare(CmpOp::Eq, value, constant)
}

/// Returns the condition of one side of a switch. The default is taken by all values that no other side
/// lists; it may list values itself.
fn switch_condition(dag: &mut Dag, site: &Site, value: ExprId, side: usize) -> ExprId {
    let default = site.sides.len() - 1;
    if side < default {
        return any_of(dag, value, site.sides[side].values.clone());
    }
    let listed = site.sides[..default].iter().flat_map(|side| &side.values).copied().collect();
    let elsewhere = any_of(dag, value, listed);
    dag.not(elsewhere)
}

/// Returns the condition that `value` is one of `values`. Neighbours become one range, and the ranges a
/// balanced disjunction, since a switch may have thousands of cases.
fn any_of(dag: &mut Dag, value: ExprId, mut values: Vec<u64>) -> ExprId {
    values.sort_unstable();
    values.dedup();
    let ranges = values.chunk_by(|a, b| a.checked_add(1) == Some(*b));
    let mut terms: Vec<_> =
        ranges.map(|range| in_range(dag, value, range[0], range[range.len() - 1])).collect();
    while terms.len() > 1 {
        let pairs = terms.chunks(2);
        terms = pairs.map(|pair| pair.iter().copied().reduce(|a, b| or(dag, a, b)).unwrap()).collect();
    }
    terms.pop().unwrap_or_else(|| dag.constant(1, 0))
}

fn or(dag: &mut Dag, a: ExprId, b: ExprId) -> ExprId {
    dag.binary(BinOp::Or, a, b)
}

fn in_range(dag: &mut Dag, value: ExprId, low: u64, high: u64) -> ExprId {
    let width = dag.width(value);
    let (low_end, high_end) = (dag.constant(width, low.into()), dag.constant(width, high.into()));
    if low == high {
        return dag.compare(CmpOp::Eq, value, low_end);
    }
    let above = dag.compare(CmpOp::Ule, low_end, value);
    let below = dag.compare(CmpOp::Ule, value, high_end);
    dag.binary(BinOp::And, above, below)
}

/// Cache of conditions: the query of every flip needs those of all nodes before it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Conditions {
    /// By decision: condition of the side that its first run took.
    of_first: Vec<Option<ExprId>>,
    /// Conditions of other sides.
    of_others: FxHashMap<(DecisionId, u32), ExprId>,
}

impl Conditions {
    /// Returns the condition of a side, if it is known; `first` is the side that the first run took.
    pub fn get(&self, (id, side): (DecisionId, u32), first: u32) -> Option<ExprId> {
        match side == first {
            true => *self.of_first.get(id.0 as usize)?,
            false => self.of_others.get(&(id, side)).copied(),
        }
    }

    /// Keeps the condition of a side.
    pub fn set(&mut self, (id, side): (DecisionId, u32), first: u32, condition: ExprId) {
        if side != first {
            self.of_others.insert((id, side), condition);
            return;
        }
        let index = id.0 as usize;
        if index >= self.of_first.len() {
            self.of_first.resize(index + 1, None);
        }
        self.of_first[index] = Some(condition);
    }

    pub fn bytes(&self) -> usize {
        let others = self.of_others.capacity() * size_of::<((DecisionId, u32), ExprId)>();
        self.of_first.capacity() * size_of::<Option<ExprId>>() + others
    }
}

/// Returns the condition that taking this side of a decision implies.
pub(crate) fn make_condition(dag: &mut Dag, program: &Program, decision: &Decision, side: u32) -> ExprId {
    let Decision { kind, site, value, constant, .. } = *decision;
    match kind {
        StepKind::Branch => side_condition(dag, program, site, value, side),
        StepKind::Concretization => {
            let same = concretization_condition(dag, value, constant);
            if side == SAME_VALUE { same } else { dag.not(same) }
        }
        StepKind::Constraint => value,
    }
}
