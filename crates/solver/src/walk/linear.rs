//! The linear part of a query, and points inside its polytope.
//!
//! An atom is linear if its sides are sums of variables with constant factors, as integers that do not
//! overflow or as reals. A linear program finds a point. It is only a start for the search, which evaluates
//! the constraints with the machine's arithmetic, rounding and overflow included; so nothing here has to be
//! exact.

use super::condition::{Atom, Relation, float};
use super::inverse::Leaves;
use super::problem::Problem;
use cairn_expr::semantics::signed;
use cairn_expr::{BinOp, Conversion, Dag, ExprId, FloatCmp, FloatOp, Node};
use microlp::{ComparisonOp, OptimizationDirection, SolveOptions};
use rustc_hash::FxHashMap;
use std::time::Duration;

/// Nodes of a side that are visited; a chosen bound.
const MAX_NODES: usize = 200;
/// Nodes of the branch-and-bound search for integers; a chosen bound.
const MAX_BRANCHES: u64 = 200;
/// Time for a linear program, which only its own clock can end: far more than one of this size takes as a
/// rule.
const MAX_TIME: Duration = Duration::from_secs(1);
/// Rows of a linear program that is still solved; a chosen bound.
const MAX_ROWS: usize = 300;

/// A linear expression: variables with factors, and a constant.
#[derive(Clone, Default, Debug)]
pub(super) struct Sum {
    pub(super) factors: FxHashMap<usize, f64>,
    pub(super) constant: f64,
}

impl Sum {
    fn add(mut self, other: &Sum, factor: f64) -> Sum {
        for (&v, &f) in &other.factors {
            *self.factors.entry(v).or_default() += factor * f;
        }
        self.constant += factor * other.constant;
        self
    }

    fn scaled(&self, factor: f64) -> Sum {
        Sum::default().add(self, factor)
    }

    fn as_constant(&self) -> Option<f64> {
        self.factors.is_empty().then_some(self.constant)
    }
}

/// The comparison of a sum with 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sign {
    Zero,
    NotZero,
    Negative,
    NotPositive,
}

/// A linear condition.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) sum: Sum,
    pub(super) sign: Sign,
    is_integer: bool,
}

/// Returns the atom as a linear condition, if it is one.
pub(super) fn row(dag: &Dag, leaves: &Leaves, atom: &Atom) -> Option<Row> {
    let mut reader = LinearReader {
        dag,
        leaves,
        nodes: 0,
        is_signed: !matches!(atom.relation, Relation::Unsigned { .. }),
    };
    let (left, right) = (reader.sum(atom.left)?, reader.sum(atom.right)?);
    let (sum, sign) = match atom.relation {
        Relation::Equal | Relation::Float { op: FloatCmp::Eq, wanted: true } => {
            (left.add(&right, -1.0), Sign::Zero)
        }
        Relation::Different | Relation::Float { op: FloatCmp::Eq, wanted: false } => {
            (left.add(&right, -1.0), Sign::NotZero)
        }
        Relation::Unsigned { or_equal } | Relation::Signed { or_equal } => {
            (left.add(&right, -1.0), if or_equal { Sign::NotPositive } else { Sign::Negative })
        }
        Relation::Float { op, wanted } => {
            let is_strict = (op == FloatCmp::Lt) == wanted;
            let sum = if wanted { left.add(&right, -1.0) } else { right.add(&left, -1.0) };
            (sum, if is_strict { Sign::Negative } else { Sign::NotPositive })
        }
        Relation::True | Relation::False => return None,
    };
    Some(Row { sum, sign, is_integer: !atom.is_float() })
}

/// Converts expressions to linear ones.
struct LinearReader<'a> {
    dag: &'a Dag,
    leaves: &'a Leaves,
    nodes: usize,
    is_signed: bool,
}

impl LinearReader<'_> {
    /// Converts an expression. Recursive as deep as the number of nodes it may visit.
    fn sum(&mut self, e: ExprId) -> Option<Sum> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return None;
        }
        if let Some(&v) = self.leaves.get(&e) {
            return Some(Sum { factors: [(v, 1.0)].into_iter().collect(), constant: 0.0 });
        }
        let width = self.dag.width(e);
        match self.dag.node(e) {
            Node::Const(value) => {
                let number = if self.is_signed { signed(width, value) as f64 } else { value as f64 };
                Some(Sum { constant: number, ..Sum::default() })
            }
            Node::ZExt(a) | Node::SExt(a) => self.sum(a),
            Node::Binary(op, a, b) => self.integer(op, a, b),
            Node::Float(op, a, b) => self.float(op, a, b),
            Node::Convert(Conversion::SignedToFloat | Conversion::UnsignedToFloat, a) => self.sum(a),
            Node::Convert(Conversion::FloatToFloat, a) => self.float_side(a),
            _ => None,
        }
    }

    fn integer(&mut self, op: BinOp, a: ExprId, b: ExprId) -> Option<Sum> {
        let (a, b) = (self.sum(a)?, self.sum(b)?);
        match op {
            BinOp::Add => Some(a.add(&b, 1.0)),
            BinOp::Sub => Some(a.add(&b, -1.0)),
            BinOp::Mul => {
                b.as_constant().map(|c| a.scaled(c)).or_else(|| a.as_constant().map(|c| b.scaled(c)))
            }
            BinOp::Shl => b.as_constant().map(|shift| a.scaled(shift.exp2())),
            _ => None,
        }
    }

    /// Converts an operand of an operation on floats: a constant is a float's bits.
    fn float_side(&mut self, e: ExprId) -> Option<Sum> {
        match self.dag.as_constant(e) {
            Some(bits) => Some(Sum { constant: float(self.dag.width(e), bits), ..Sum::default() }),
            None => self.sum(e),
        }
    }

    fn float(&mut self, op: FloatOp, a: ExprId, b: ExprId) -> Option<Sum> {
        let (a, b) = (self.float_side(a)?, self.float_side(b)?);
        match op {
            FloatOp::Add => Some(a.add(&b, 1.0)),
            FloatOp::Sub => Some(a.add(&b, -1.0)),
            FloatOp::Mul => {
                b.as_constant().map(|c| a.scaled(c)).or_else(|| a.as_constant().map(|c| b.scaled(c)))
            }
            FloatOp::Div => b.as_constant().map(|c| a.scaled(1.0 / c)),
            FloatOp::Rem => None,
        }
    }
}

/// Returns a point that satisfies the rows, if one is found: a number for each variable in a row, reals
/// within `real` and integers within `integer` of 0, as far from the bounds of the rows as possible, up to a
/// distance of 1.
pub(super) fn start(
    problem: &Problem,
    rows: &[Row],
    real: (f64, f64),
    integer: f64,
    time_left: Duration,
) -> Option<FxHashMap<usize, f64>> {
    if rows.len() > MAX_ROWS || rows.iter().any(|row| !row.sum.constant.is_finite()) {
        return None;
    }
    let mut program = microlp::Problem::new(OptimizationDirection::Maximize);
    let mut columns = FxHashMap::default();
    for &v in rows.iter().flat_map(|row| row.sum.factors.keys()) {
        columns.entry(v).or_insert_with(|| {
            let variable = &problem.variables[v];
            if variable.is_float() {
                return program.add_var(0.0, real);
            }
            let (lowest, highest) = variable.range();
            let within = |number: f64| number.clamp(-integer, integer) as i32;
            program.add_integer_var(0.0, (within(lowest), within(highest)))
        });
    }
    let slack = program.add_var(1.0, (0.0, 1.0));
    for row in rows {
        let mut terms: Vec<_> = row.sum.factors.iter().map(|(v, &factor)| (columns[v], factor)).collect();
        let rest = -row.sum.constant;
        match row.sign {
            Sign::Zero => program.add_constraint(&terms, ComparisonOp::Eq, rest),
            Sign::NotZero => continue,
            Sign::Negative if row.is_integer => program.add_constraint(&terms, ComparisonOp::Le, rest - 1.0),
            Sign::NotPositive if row.is_integer => program.add_constraint(&terms, ComparisonOp::Le, rest),
            Sign::Negative | Sign::NotPositive => {
                terms.push((slack, 1.0));
                program.add_constraint(&terms, ComparisonOp::Le, rest);
            }
        }
    }
    let mut options = SolveOptions::default();
    options.node_limit = Some(MAX_BRANCHES);
    options.time_limit = Some(time_left.min(MAX_TIME));
    let solution = program.solve_with(options).ok()?.into_solution().ok()?;
    Some(columns.into_iter().map(|(v, column)| (v, solution.var_value(column))).collect())
}
