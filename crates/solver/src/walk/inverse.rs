//! Inverse operations: values of variables for which an expression has a wanted value.
//!
//! From the expression down to the variables, each operation is inverted for one operand while the others
//! keep their values (path propagation, as in propagation-based local search for bit-vectors, Niemetz et al.
//! 2016). Not every operation has an inverse, and for floats it is only near: the resulting moves are
//! proposals that the search evaluates.

mod float;
mod integer;

use super::condition::{Atom, Relation};
use super::problem::{AtomRef, Judge, Move, Problem};
use super::variable;
use cairn_expr::semantics::{ones, signed};
use cairn_expr::{Assignment, Cell, Dag, Evaluator, ExprId, InputByte, Node, Op};
use rustc_hash::FxHashMap;

/// Expressions visited for one atom; a chosen bound.
const MAX_VISITS: usize = 300;
/// Nesting of concatenations whose parts are inverted; a chosen bound.
const MAX_NESTING: usize = 32;
/// Cost of the reference evaluator per tape step.
const EVALUATOR_COST: i64 = 4;
/// Indices of a table that are tried for one value; a chosen bound.
const MAX_INDICES: usize = 6;

/// The assignment that a point stands for.
pub(super) struct PointAssignment<'a> {
    pub(super) bytes: &'a [InputByte],
    pub(super) point: &'a [u8],
}

impl Assignment for PointAssignment<'_> {
    fn byte(&self, byte: InputByte) -> u8 {
        self.bytes.binary_search(&byte).map_or(0, |found| self.point[found])
    }
}

/// Finds moves that make an atom hold.
pub(super) struct Inverter {
    evaluator: Evaluator,
    pub(super) leaves: Leaves,
}

/// The inversion of one atom.
struct Inversion<'a> {
    problem: &'a Problem<'a>,
    leaves: &'a Leaves,
    evaluator: &'a mut Evaluator,
    at: PointAssignment<'a>,
    /// Expressions with a target value, to be inverted.
    open: Vec<(ExprId, u128)>,
    visits: FxHashMap<ExprId, u8>,
    found: Vec<Vec<Move>>,
    /// Depth of the concatenations being inverted.
    nesting: usize,
    /// Cells of tables visited: their cost.
    cells: i64,
}

/// Variables by the expression that joins their bytes.
pub(super) type Leaves = FxHashMap<ExprId, usize>;

/// Returns the nodes that are variables; `nodes` are those they were recovered from.
pub(super) fn leaves(problem: &Problem, nodes: &[ExprId]) -> Leaves {
    let by_bytes: FxHashMap<&[u32], usize> =
        problem.variables.iter().enumerate().map(|(v, variable)| (&variable.bytes[..], v)).collect();
    let variable = |&e: &ExprId| {
        let positions = variable::joined(problem.dag, e, problem.bytes)?;
        by_bytes.get(&positions[..]).map(|&v| (e, v))
    };
    nodes.iter().filter_map(variable).collect()
}

impl Inverter {
    pub(super) fn new(leaves: Leaves) -> Inverter {
        Inverter { evaluator: Evaluator::new(), leaves }
    }

    /// Returns alternative moves from a point, each of which should make the atom hold.
    pub(super) fn inverses(&mut self, judge: &mut Judge, atom: AtomRef, point: &[u8]) -> Vec<Vec<Move>> {
        let problem = judge.problem;
        judge.spend(EVALUATOR_COST * problem.units[atom.unit].get(problem).cost());
        self.evaluator.begin();
        let mut inversion = Inversion {
            problem,
            leaves: &self.leaves,
            evaluator: &mut self.evaluator,
            at: PointAssignment { bytes: problem.bytes, point },
            open: Vec::new(),
            visits: FxHashMap::default(),
            found: Vec::new(),
            nesting: 0,
            cells: 0,
        };
        inversion.start(problem.atom(atom));
        inversion.run();
        let Inversion { found, cells, .. } = inversion;
        judge.spend(cells);
        found
    }
}

impl Inversion<'_> {
    fn dag(&self) -> &Dag {
        self.problem.dag
    }

    fn value(&mut self, e: ExprId) -> u128 {
        self.evaluator.value(self.problem.dag, e, &self.at)
    }

    /// Sets targets for both sides, each with the other as it is.
    fn start(&mut self, atom: &Atom) {
        let (left, right, width) = (atom.left, atom.right, atom.width);
        let (a, b) = (self.value(left), self.value(right));
        let max = ones(width);
        let plus = |value: u128, step: i128| value.wrapping_add(step as u128) & max;
        let top = signed(width, max >> 1);
        match atom.relation {
            Relation::True => self.open.push((left, 1)),
            Relation::False => self.open.push((left, 0)),
            Relation::Equal => self.open.extend([(left, b), (right, a)]),
            Relation::Different => {
                self.open.extend([
                    (left, plus(b, 1)),
                    (left, plus(b, -1)),
                    (right, plus(a, 1)),
                    (right, plus(a, -1)),
                ]);
            }
            Relation::Unsigned { or_equal } => {
                let step = i128::from(!or_equal);
                if b != 0 || or_equal {
                    self.open.extend([(left, plus(b, -step)), (left, b / 2)]);
                }
                if a != max || or_equal {
                    self.open.extend([(right, plus(a, step)), (right, plus(a, ((max - a) / 2) as i128 + 1))]);
                }
            }
            Relation::Signed { or_equal } => {
                let step = i128::from(!or_equal);
                if signed(width, b) != -top - 1 || or_equal {
                    self.open.push((left, plus(b, -step)));
                }
                if signed(width, a) != top || or_equal {
                    self.open.push((right, plus(a, step)));
                }
            }
            Relation::Float { op, wanted } => {
                let wanted = float::sides(op, wanted, width, a, b);
                self.open.extend(
                    wanted.into_iter().map(|(is_left, bits)| (if is_left { left } else { right }, bits)),
                );
            }
        }
        self.open.reverse();
    }

    fn run(&mut self) {
        let mut visits = 0;
        while let Some((e, wanted)) = self.open.pop() {
            visits += 1;
            let times = self.visits.entry(e).or_default();
            *times += 1;
            if visits > MAX_VISITS {
                return;
            }
            // An expression may be reached on several paths with other targets; a few of them are enough.
            if *times <= 3 && self.value(e) != wanted {
                self.invert(e, wanted);
            }
        }
    }

    fn invert(&mut self, e: ExprId, wanted: u128) {
        if let Some(&v) = self.leaves.get(&e) {
            self.found.push(vec![(v, self.problem.variables[v].position_of(wanted))]);
            return;
        }
        match self.dag().node(e) {
            Node::Const(_) | Node::Input(_) => {}
            Node::Concat(high, low) => self.target_both(high, low, wanted),
            Node::Ite(c, t, f) => self.target_choice(c, t, f, wanted),
            Node::Read(snapshot, index) => self.target_read(e, snapshot, index, wanted),
            Node::Compare(op, a, b) => {
                let sides = [self.value(a), self.value(b)];
                let targets = integer::comparison(op, self.dag().width(a), sides, wanted == 1);
                self.open
                    .extend(targets.into_iter().map(|(is_left, bits)| (if is_left { a } else { b }, bits)));
            }
            Node::FloatCompare(op, a, b) => {
                let [left, right] = [self.value(a), self.value(b)];
                let targets = float::sides(op, wanted == 1, self.dag().width(a), left, right);
                self.open
                    .extend(targets.into_iter().map(|(is_left, bits)| (if is_left { a } else { b }, bits)));
            }
            _ => self.target_operands(e, wanted),
        }
    }

    /// Inverts an operation whose inverse depends on the operands' values only.
    fn target_operands(&mut self, e: ExprId, wanted: u128) {
        let children: Vec<ExprId> = self.dag().children(e).collect();
        let values: Vec<u128> = children.iter().map(|&child| self.value(child)).collect();
        let widths: Vec<u8> = children.iter().map(|&child| self.dag().width(child)).collect();
        let (width, is_constant) = (self.dag().width(e), |i: usize| self.dag().op(children[i]) == Op::Const);
        let mut targets = Vec::new();
        match self.dag().node(e) {
            Node::Float(..) | Node::Convert(..) | Node::Math(_) => {
                float::inverses(self.dag().node(e), width, &widths, &values, wanted, &mut targets);
            }
            node => integer::inverses(node, width, &widths, &values, wanted, &mut targets),
        }
        targets.retain(|&(operand, _)| !is_constant(operand));
        self.open.extend(targets.into_iter().rev().map(|(operand, bits)| (children[operand], bits)));
    }

    /// Inverts a concatenation: both parts have to change at once.
    fn target_both(&mut self, high: ExprId, low: ExprId, wanted: u128) {
        let low_width = self.dag().width(low);
        let parts = [(low, wanted & ones(low_width)), (high, wanted >> low_width)];
        let mut joint: Vec<Vec<Move>> = vec![Vec::new()];
        for (part, bits) in parts {
            if self.value(part) == bits {
                continue;
            }
            let found = self.nested(part, bits);
            let Some(first) = found.into_iter().next() else { return };
            joint[0].extend(first);
        }
        self.found.append(&mut joint);
    }

    /// Returns the moves for one expression alone; none if the nesting is too deep for the stack: an
    /// expression may be as deep as a path is long.
    fn nested(&mut self, e: ExprId, wanted: u128) -> Vec<Vec<Move>> {
        if self.nesting == MAX_NESTING {
            return Vec::new();
        }
        self.nesting += 1;
        let outer_open = std::mem::take(&mut self.open);
        let outer_found = std::mem::take(&mut self.found);
        self.open.push((e, wanted));
        self.run();
        self.nesting -= 1;
        self.open = outer_open;
        std::mem::replace(&mut self.found, outer_found)
    }

    /// Inverts an if-then-else: the chosen operand gets the value, or the condition changes if the other one
    /// has it.
    fn target_choice(&mut self, c: ExprId, t: ExprId, f: ExprId, wanted: u128) {
        let choice = self.value(c);
        let (chosen, other) = if choice == 1 { (t, f) } else { (f, t) };
        if self.value(other) == wanted {
            self.open.push((c, 1 - choice));
        }
        self.open.push((chosen, wanted));
    }

    /// Inverts a read: another index that holds the value, or another value at this index.
    fn target_read(&mut self, e: ExprId, snapshot: cairn_expr::SnapshotId, index: ExprId, wanted: u128) {
        let bytes = u32::from(self.dag().width(e)) / 8;
        let present = self.value(index);
        let snapshots = self.problem.dag.snapshots();
        if bytes == 1
            && let Some(Cell::Part(part)) = snapshots.cells(snapshot, present, 1).next()
        {
            self.open.push((part, wanted));
        }
        let holds = |index: u128| {
            let cells = snapshots.cells(snapshot, index, bytes as u8);
            cells
                .enumerate()
                .all(|(i, cell)| matches!(cell, Cell::Known(byte) if byte == (wanted >> (8 * i)) as u8))
        };
        self.cells += snapshots.len(snapshot) as i64;
        let indices = (0..snapshots.len(snapshot) as u128).filter(|&index| holds(index));
        let mut indices: Vec<u128> = indices.collect();
        indices.sort_by_key(|&other| other.abs_diff(present));
        indices.truncate(MAX_INDICES);
        self.open.extend(indices.into_iter().rev().map(|value| (index, value)));
    }
}
