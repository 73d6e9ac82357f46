//! A constraint as a formula over atoms (comparisons), and its error: the distance from holding.

use cairn_expr::semantics::signed;
use cairn_expr::{BinOp, CmpOp, Dag, ExprId, FloatCmp, Node};

/// Depth to which conditions are split; a chosen bound.
const MAX_DEPTH: u8 = 40;
/// Connectives that are split: there may be exponentially many paths to a shared one.
const MAX_CONNECTIVES: usize = 4_000;
/// Error of a comparison with NaN: larger than any other.
const NAN_ERROR: f64 = 40.0;

/// The relation between the sides of an atom.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Relation {
    /// The sides are equal bits.
    Equal,
    /// The sides are not.
    Different,
    /// Left below right, as unsigned numbers.
    Unsigned { or_equal: bool },
    /// Left below right, as signed numbers.
    Signed { or_equal: bool },
    /// A comparison of floats that should hold, or should not.
    Float { op: FloatCmp, wanted: bool },
    /// The left side, of one bit, is set; there is no right side.
    True,
    /// The left side, of one bit, is not set.
    False,
}

/// A condition that is no connective. Slots are the indices of its sides among the results of the
/// constraint's code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Atom {
    pub(super) relation: Relation,
    pub(super) left: ExprId,
    pub(super) right: ExprId,
    pub(super) width: u8,
    slots: [usize; 2],
}

/// A condition over atoms, without negations.
#[derive(Debug)]
pub(super) enum Condition {
    Atom(usize),
    All(Vec<Condition>),
    Any(Vec<Condition>),
}

/// A constraint: its condition, its atoms, and the expressions whose values decide it.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) condition: Condition,
    pub(super) atoms: Vec<Atom>,
    pub(super) sides: Vec<ExprId>,
}

impl Parts {
    pub(super) fn new(dag: &Dag, constraint: ExprId) -> Parts {
        let mut splitter = Splitter { dag, left: MAX_CONNECTIVES, atoms: Vec::new(), sides: Vec::new() };
        let condition = splitter.split(constraint, true, MAX_DEPTH);
        Parts { condition, atoms: splitter.atoms, sides: splitter.sides }
    }

    /// Returns a condition that never holds.
    pub(super) fn impossible() -> Parts {
        Parts { condition: Condition::Any(Vec::new()), atoms: Vec::new(), sides: Vec::new() }
    }

    /// Returns the error of the condition: 0 if it holds for these values of the sides, else how far they are
    /// from it.
    pub(super) fn error(&self, values: &[u128]) -> f64 {
        self.sum(&self.condition, &|atom| atom.error(values))
    }

    /// Returns the error of the published algorithm: distances of numbers, not scaled.
    pub(super) fn plain_error(&self, values: &[u128]) -> f64 {
        self.sum(&self.condition, &|atom| atom.plain_error(values))
    }

    fn sum(&self, condition: &Condition, error: &impl Fn(&Atom) -> f64) -> f64 {
        match condition {
            Condition::Atom(atom) => error(&self.atoms[*atom]),
            Condition::All(parts) => parts.iter().map(|part| self.sum(part, error)).sum(),
            Condition::Any(parts) => {
                parts.iter().map(|part| self.sum(part, error)).fold(f64::INFINITY, f64::min)
            }
        }
    }

    /// Pushes the atoms that keep the condition from holding.
    pub(super) fn broken(&self, values: &[u128], into: &mut Vec<usize>) {
        let mut open = vec![&self.condition];
        while let Some(condition) = open.pop() {
            match condition {
                Condition::Atom(atom) if self.atoms[*atom].error(values) > 0.0 => into.push(*atom),
                Condition::All(parts) => open.extend(parts),
                Condition::Any(parts) if self.sum(condition, &|atom| atom.error(values)) > 0.0 => {
                    open.extend(parts)
                }
                _ => {}
            }
        }
    }

    /// Returns the atom of a condition without connectives.
    pub(super) fn single(&self) -> Option<&Atom> {
        matches!(self.condition, Condition::Atom(_)).then(|| &self.atoms[0])
    }
}

/// Splits a constraint into atoms.
struct Splitter<'a> {
    dag: &'a Dag,
    /// Connectives that may still be split.
    left: usize,
    atoms: Vec<Atom>,
    sides: Vec<ExprId>,
}

impl Splitter<'_> {
    fn split(&mut self, e: ExprId, wanted: bool, depth: u8) -> Condition {
        let is_one = |e| self.dag.as_constant(e) == Some(1);
        self.left = self.left.saturating_sub(1);
        match self.dag.node(e) {
            _ if depth == 0 || self.left == 0 => self.truth(e, wanted),
            Node::Binary(BinOp::Xor, a, b) if is_one(b) => self.split(a, !wanted, depth - 1),
            Node::Binary(BinOp::And, a, b) => self.connective([a, b], wanted, wanted, depth),
            Node::Binary(BinOp::Or, a, b) => self.connective([a, b], wanted, !wanted, depth),
            Node::Ite(c, t, f) => {
                let taken =
                    Condition::All(vec![self.split(c, true, depth - 1), self.split(t, wanted, depth - 1)]);
                let other =
                    Condition::All(vec![self.split(c, false, depth - 1), self.split(f, wanted, depth - 1)]);
                Condition::Any(vec![taken, other])
            }
            Node::Compare(op, a, b) => self.comparison(op, a, b, wanted),
            Node::FloatCompare(op, a, b) => self.atom(Relation::Float { op, wanted }, a, b),
            _ => self.truth(e, wanted),
        }
    }

    fn connective(&mut self, parts: [ExprId; 2], wanted: bool, needs_all: bool, depth: u8) -> Condition {
        let parts = parts.map(|part| self.split(part, wanted, depth - 1)).into();
        if needs_all { Condition::All(parts) } else { Condition::Any(parts) }
    }

    /// Adds a comparison: "not less" is "less or equal" with the sides exchanged.
    fn comparison(&mut self, op: CmpOp, a: ExprId, b: ExprId, wanted: bool) -> Condition {
        let (a, b) = if wanted || op == CmpOp::Eq { (a, b) } else { (b, a) };
        let relation = match op {
            CmpOp::Eq if wanted => Relation::Equal,
            CmpOp::Eq => Relation::Different,
            CmpOp::Ult => Relation::Unsigned { or_equal: !wanted },
            CmpOp::Ule => Relation::Unsigned { or_equal: wanted },
            CmpOp::Slt => Relation::Signed { or_equal: !wanted },
            _ => Relation::Signed { or_equal: wanted },
        };
        self.atom(relation, a, b)
    }

    fn truth(&mut self, e: ExprId, wanted: bool) -> Condition {
        self.atom(if wanted { Relation::True } else { Relation::False }, e, e)
    }

    fn atom(&mut self, relation: Relation, left: ExprId, right: ExprId) -> Condition {
        let slots = [left, right].map(|side| self.slot(side));
        self.atoms.push(Atom { relation, left, right, width: self.dag.width(left), slots });
        Condition::Atom(self.atoms.len() - 1)
    }

    fn slot(&mut self, side: ExprId) -> usize {
        self.sides.iter().position(|&known| known == side).unwrap_or_else(|| {
            self.sides.push(side);
            self.sides.len() - 1
        })
    }
}

impl Atom {
    /// Returns the values of both sides.
    pub(super) fn values(&self, values: &[u128]) -> [u128; 2] {
        self.slots.map(|slot| values[slot])
    }

    /// Returns 0 if the atom holds, else 1 or more: the distance of the sides on a logarithmic scale, so that
    /// no constraint outweighs the others.
    pub(super) fn error(&self, values: &[u128]) -> f64 {
        let [a, b] = self.values(values);
        let (sa, sb) = (signed(self.width, a), signed(self.width, b));
        match self.relation {
            Relation::Equal if a == b => 0.0,
            Relation::Equal => integer_error(a.abs_diff(b).min(sa.abs_diff(sb))),
            Relation::Different => f64::from(a == b),
            Relation::Unsigned { or_equal } if a < b || or_equal && a == b => 0.0,
            Relation::Unsigned { .. } => integer_error(a - b),
            Relation::Signed { or_equal } if sa < sb || or_equal && sa == sb => 0.0,
            Relation::Signed { .. } => integer_error(sa.abs_diff(sb)),
            Relation::Float { op, wanted } => float_error(op, wanted, self.floats([a, b])),
            Relation::True => f64::from(a == 0),
            Relation::False => f64::from(a != 0),
        }
    }

    /// Returns the published error of an atom: the distance of the sides, plus 1 where equality is not
    /// enough.
    pub(super) fn plain_error(&self, values: &[u128]) -> f64 {
        if self.error(values) == 0.0 {
            return 0.0;
        }
        let distance = self.gap(values).abs();
        match self.relation {
            _ if distance.is_nan() => f64::MAX / 8.0,
            _ if self.is_equality() => distance,
            _ => distance + 1.0,
        }
    }

    /// Returns left minus right, as numbers.
    pub(super) fn gap(&self, values: &[u128]) -> f64 {
        let [a, b] = self.values(values);
        match self.relation {
            Relation::Float { .. } => {
                let [a, b] = self.floats([a, b]);
                a - b
            }
            Relation::Unsigned { .. } if a >= b => (a - b) as f64,
            Relation::Unsigned { .. } => -((b - a) as f64),
            Relation::True | Relation::False => 0.0,
            _ => signed(self.width, a) as f64 - signed(self.width, b) as f64,
        }
    }

    /// True if the sides are floats.
    pub(super) fn is_float(&self) -> bool {
        matches!(self.relation, Relation::Float { .. })
    }

    /// True if the atom is a single bit, without a distance.
    pub(super) fn is_truth(&self) -> bool {
        matches!(self.relation, Relation::True | Relation::False)
    }

    /// True if only equal sides make it hold.
    pub(super) fn is_equality(&self) -> bool {
        matches!(self.relation, Relation::Equal | Relation::Float { op: FloatCmp::Eq, wanted: true })
    }

    fn floats(&self, sides: [u128; 2]) -> [f64; 2] {
        sides.map(|bits| float(self.width, bits))
    }
}

/// Returns the float with these bits.
pub(super) fn float(width: u8, bits: u128) -> f64 {
    if width == 32 { f32::from_bits(bits as u32).into() } else { f64::from_bits(bits as u64) }
}

fn integer_error(distance: u128) -> f64 {
    1.0 + (1.0 + distance as f64).log2() / 2.0
}

/// Returns the error of a float comparison: the exponent of the distance, from the smallest subnormal
/// (2^-1074) up to 2^1024, scaled to 1..34.
fn float_error(op: FloatCmp, wanted: bool, [a, b]: [f64; 2]) -> f64 {
    let holds = match op {
        FloatCmp::Eq => a == b,
        FloatCmp::Lt => a < b,
        FloatCmp::Le => a <= b,
    };
    if holds == wanted {
        return 0.0;
    }
    if op == FloatCmp::Eq && !wanted {
        return 1.0;
    }
    let distance = (a - b).abs();
    if distance.is_nan() {
        return NAN_ERROR;
    }
    1.0 + (distance.max(f64::from_bits(1)).log2().min(1024.0) + 1075.0) / 64.0
}
