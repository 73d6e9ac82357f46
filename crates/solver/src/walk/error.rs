//! How far a point is from making the constraints true.

use super::point::Point;
use cairn_expr::{BinOp, CmpOp, Dag, Evaluator, ExprId, FloatCmp, Node};

/// Error of a comparison with something that is not a number: more than of any other.
const NO_NUMBER: f64 = 80.0;
/// How deep conditions are looked into.
const MAX_DEPTH: u8 = 40;

/// A condition that is no connective, and what it should be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Atom {
    pub(super) condition: ExprId,
    wanted: bool,
}

/// Judges points by the constraints of one query.
pub(super) struct Judge<'a> {
    pub(super) dag: &'a Dag,
    evaluator: &'a mut Evaluator,
    constraints: &'a [ExprId],
    evaluations_left: usize,
}

impl<'a> Judge<'a> {
    pub(super) fn new(
        dag: &'a Dag,
        evaluator: &'a mut Evaluator,
        constraints: &'a [ExprId],
        evaluations: usize,
    ) -> Judge<'a> {
        Judge { dag, evaluator, constraints, evaluations_left: evaluations }
    }

    pub(super) fn has_work_left(&self) -> bool {
        self.evaluations_left > 0
    }

    /// The sum of the constraints' errors; 0 if all hold.
    pub(super) fn error(&mut self, point: &Point) -> f64 {
        self.evaluations_left = self.evaluations_left.saturating_sub(1);
        self.evaluator.begin();
        let constraints = self.constraints;
        constraints
            .iter()
            .map(|&e| self.error_of(Atom { condition: e, wanted: true }, point, MAX_DEPTH))
            .sum()
    }

    fn value(&mut self, e: ExprId, point: &Point) -> u128 {
        self.evaluator.value(self.dag, e, point)
    }

    /// 0 if the condition is what it should be.
    fn error_of(&mut self, atom: Atom, point: &Point, depth: u8) -> f64 {
        let Atom { condition, wanted } = atom;
        if (self.value(condition, point) == 1) == wanted {
            return 0.0;
        }
        match self.dag.node(condition) {
            _ if depth == 0 => 1.0,
            Node::Binary(op, a, b) => match self.connective(op, a, b, wanted) {
                Some((is_sum, parts)) => {
                    let [a, b] = parts.map(|part| self.error_of(part, point, depth - 1));
                    if is_sum { a + b } else { a.min(b) }
                }
                None => match self.negated(op, a, b, wanted) {
                    Some(inner) => self.error_of(inner, point, depth - 1),
                    None => 1.0,
                },
            },
            Node::FloatCompare(op, a, b) => self.float_error(op, a, b, wanted, point),
            Node::Compare(op, a, b) => self.integer_error(op, a, b, point),
            _ => 1.0,
        }
    }

    /// The two conditions of a connective, and whether both are needed.
    fn connective(&self, op: BinOp, a: ExprId, b: ExprId, wanted: bool) -> Option<(bool, [Atom; 2])> {
        let is_sum = match op {
            BinOp::And => wanted,
            BinOp::Or => !wanted,
            _ => return None,
        };
        Some((is_sum, [a, b].map(|condition| Atom { condition, wanted })))
    }

    fn negated(&self, op: BinOp, a: ExprId, b: ExprId, wanted: bool) -> Option<Atom> {
        let is_not = op == BinOp::Xor && self.dag.as_constant(b) == Some(1);
        is_not.then_some(Atom { condition: a, wanted: !wanted })
    }

    /// Distances are counted in floats between the two, as a logarithm: from a million to two is as far as from one
    /// to two, and every step counts near the end.
    fn float_error(&mut self, op: FloatCmp, a: ExprId, b: ExprId, wanted: bool, point: &Point) -> f64 {
        let width = self.dag.width(a);
        let (a, b) = (self.value(a, point), self.value(b, point));
        let (Some(a), Some(b)) = (rank(width, a), rank(width, b)) else { return NO_NUMBER };
        match op {
            FloatCmp::Eq if !wanted => 1.0,
            _ => distance(a.abs_diff(b)),
        }
    }

    fn integer_error(&mut self, op: CmpOp, a: ExprId, b: ExprId, point: &Point) -> f64 {
        let width = self.dag.width(a);
        let (a, b) = (self.value(a, point), self.value(b, point));
        match op {
            CmpOp::Slt | CmpOp::Sle => distance(signed(width, a).abs_diff(signed(width, b))),
            _ => distance(a.abs_diff(b)),
        }
    }

    /// The innermost conditions that keep constraints from holding.
    pub(super) fn broken(&mut self, point: &Point) -> Vec<Atom> {
        self.evaluator.begin();
        let mut atoms = Vec::new();
        let mut open: Vec<(Atom, u8)> =
            self.constraints.iter().map(|&e| (Atom { condition: e, wanted: true }, MAX_DEPTH)).collect();
        while let Some((atom, depth)) = open.pop() {
            if (self.value(atom.condition, point) == 1) == atom.wanted {
                continue;
            }
            let parts = match self.dag.node(atom.condition) {
                Node::Binary(op, a, b) if depth > 0 => match self.connective(op, a, b, atom.wanted) {
                    Some((_, parts)) => parts.to_vec(),
                    None => self.negated(op, a, b, atom.wanted).into_iter().collect(),
                },
                _ => Vec::new(),
            };
            if parts.is_empty() && !atoms.contains(&atom) {
                atoms.push(atom);
            }
            open.extend(parts.into_iter().map(|part| (part, depth.saturating_sub(1))));
        }
        atoms
    }

    /// The difference of the two sides of a comparison; 0 for other conditions. The point is the one judged last.
    pub(super) fn gap(&mut self, atom: Atom, point: &Point) -> f64 {
        let number = |width: u8, bits: u128| match width {
            32 => f32::from_bits(bits as u32).into(),
            _ => f64::from_bits(bits as u64),
        };
        match self.dag.node(atom.condition) {
            Node::FloatCompare(_, a, b) => {
                let width = self.dag.width(a);
                number(width, self.value(a, point)) - number(width, self.value(b, point))
            }
            Node::Compare(op, a, b) => {
                let width = self.dag.width(a);
                let (a, b) = (self.value(a, point), self.value(b, point));
                match op {
                    CmpOp::Ult | CmpOp::Ule => a as f64 - b as f64,
                    _ => signed(width, a) as f64 - signed(width, b) as f64,
                }
            }
            _ => 0.0,
        }
    }
}

fn signed(width: u8, value: u128) -> i128 {
    let unused = 128 - u32::from(width);
    ((value << unused) as i128) >> unused
}

/// Where a float is among all of its width; the two zeros are one.
fn rank(width: u8, bits: u128) -> Option<i128> {
    let sign = 1u128 << (width - 1);
    let infinity = if width == 32 { 0x7f80_0000 } else { 0x7ff0_0000_0000_0000 };
    let magnitude = bits & (sign - 1);
    let rank = if bits & sign == 0 { magnitude as i128 } else { -(magnitude as i128) };
    (magnitude <= infinity).then_some(rank)
}

/// An error for a comparison whose sides are this far from each other; never 0, since it does not hold.
fn distance(steps: u128) -> f64 {
    (2.0 + steps as f64).log2()
}
