//! What inputs would have to be for an expression to have a wanted value.
//!
//! From the expression down, each operation is turned round for one operand while the others keep their values. Not
//! every operation can be, and for floats only nearly: a wish is a good guess, which is tried and not believed.

mod float;
mod integer;

use super::condition::{Atom, Relation};
use super::problem::{Judge, Move, Place, Problem};
use super::variable;
use cairn_expr::semantics::{ones, signed};
use cairn_expr::{Assignment, Cell, Dag, Evaluator, ExprId, InputByte, Node, Op};
use rustc_hash::FxHashMap;

/// Expressions that are looked at for one wish.
const MAX_VISITS: usize = 300;
/// Concatenations in concatenations whose parts are wished for.
const MAX_NESTING: usize = 32;
/// What the reference evaluator takes for what a step of code does.
const EVALUATOR_COST: i64 = 4;
/// Places of a table that are wished for at a time.
const MAX_PLACES: usize = 6;

/// Input bytes as a point has them.
pub(super) struct At<'a> {
    pub(super) bytes: &'a [InputByte],
    pub(super) point: &'a [u8],
}

impl Assignment for At<'_> {
    fn byte(&self, byte: InputByte) -> u8 {
        self.bytes.binary_search(&byte).map_or(0, |found| self.point[found])
    }
}

/// Finds moves that make an atom hold.
pub(super) struct Inverter {
    evaluator: Evaluator,
    pub(super) leaves: Leaves,
}

/// One search for wishes.
struct Round<'a> {
    problem: &'a Problem<'a>,
    leaves: &'a Leaves,
    evaluator: &'a mut Evaluator,
    at: At<'a>,
    open: Vec<(ExprId, u128)>,
    visits: FxHashMap<ExprId, u8>,
    found: Vec<Vec<Move>>,
    /// Concatenations whose parts are wished for at present, each inside the one before.
    nesting: usize,
    /// Cells of tables that were looked at.
    cells: i64,
}

/// Expressions that are variables.
pub(super) type Leaves = FxHashMap<ExprId, usize>;

/// The variables among the nodes, which are those they were recovered from.
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

    /// Moves that should make the atom hold, starting from a point; each is one way.
    pub(super) fn wishes(&mut self, judge: &mut Judge, place: Place, point: &[u8]) -> Vec<Vec<Move>> {
        let problem = judge.problem;
        judge.spend(EVALUATOR_COST * problem.units[place.unit].get(problem).cost());
        self.evaluator.begin();
        let mut round = Round {
            problem,
            leaves: &self.leaves,
            evaluator: &mut self.evaluator,
            at: At { bytes: problem.bytes, point },
            open: Vec::new(),
            visits: FxHashMap::default(),
            found: Vec::new(),
            nesting: 0,
            cells: 0,
        };
        round.start(problem.atom(place));
        round.run();
        let Round { found, cells, .. } = round;
        judge.spend(cells);
        found
    }
}

impl Round<'_> {
    fn dag(&self) -> &Dag {
        self.problem.dag
    }

    fn value(&mut self, e: ExprId) -> u128 {
        self.evaluator.value(self.problem.dag, e, &self.at)
    }

    /// Wishes for both sides, each with the other as it is.
    fn start(&mut self, atom: &Atom) {
        let (left, right, width) = (atom.left, atom.right, atom.width);
        let (a, b) = (self.value(left), self.value(right));
        let most = ones(width);
        let plus = |value: u128, step: i128| value.wrapping_add(step as u128) & most;
        let top = signed(width, most >> 1);
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
                if a != most || or_equal {
                    self.open
                        .extend([(right, plus(a, step)), (right, plus(a, ((most - a) / 2) as i128 + 1))]);
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
            // An expression may be reached on several ways with other wishes; a few of them are enough.
            if *times <= 3 && self.value(e) != wanted {
                self.turn_round(e, wanted);
            }
        }
    }

    fn turn_round(&mut self, e: ExprId, wanted: u128) {
        if let Some(&v) = self.leaves.get(&e) {
            self.found.push(vec![(v, self.problem.variables[v].position_of(wanted))]);
            return;
        }
        match self.dag().node(e) {
            Node::Const(_) | Node::Input(_) => {}
            Node::Concat(high, low) => self.wish_both(high, low, wanted),
            Node::Ite(c, t, f) => self.wish_choice(c, t, f, wanted),
            Node::Read(snapshot, index) => self.wish_read(e, snapshot, index, wanted),
            Node::Compare(op, a, b) => {
                let sides = [self.value(a), self.value(b)];
                let wishes = integer::comparison(op, self.dag().width(a), sides, wanted == 1);
                self.open
                    .extend(wishes.into_iter().map(|(is_left, bits)| (if is_left { a } else { b }, bits)));
            }
            Node::FloatCompare(op, a, b) => {
                let [left, right] = [self.value(a), self.value(b)];
                let wishes = float::sides(op, wanted == 1, self.dag().width(a), left, right);
                self.open
                    .extend(wishes.into_iter().map(|(is_left, bits)| (if is_left { a } else { b }, bits)));
            }
            _ => self.wish_operands(e, wanted),
        }
    }

    /// An operation with operands whose inverse depends on values only.
    fn wish_operands(&mut self, e: ExprId, wanted: u128) {
        let children: Vec<ExprId> = self.dag().children(e).collect();
        let values: Vec<u128> = children.iter().map(|&child| self.value(child)).collect();
        let widths: Vec<u8> = children.iter().map(|&child| self.dag().width(child)).collect();
        let (width, is_constant) = (self.dag().width(e), |i: usize| self.dag().op(children[i]) == Op::Const);
        let mut wishes = Vec::new();
        match self.dag().node(e) {
            Node::Float(..) | Node::Convert(..) | Node::Math(_) => {
                float::inverses(self.dag().node(e), width, &widths, &values, wanted, &mut wishes);
            }
            node => integer::inverses(node, width, &widths, &values, wanted, &mut wishes),
        }
        wishes.retain(|&(operand, _)| !is_constant(operand));
        self.open.extend(wishes.into_iter().rev().map(|(operand, bits)| (children[operand], bits)));
    }

    /// Both parts of a concatenation have to change at once.
    fn wish_both(&mut self, high: ExprId, low: ExprId, wanted: u128) {
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

    /// The wishes for one expression alone; none if that is inside of too many others: an expression may be as deep as a
    /// path is long, and the stack is not.
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

    /// What is chosen becomes the wanted value, or the choice is the other.
    fn wish_choice(&mut self, c: ExprId, t: ExprId, f: ExprId, wanted: u128) {
        let choice = self.value(c);
        let (chosen, other) = if choice == 1 { (t, f) } else { (f, t) };
        if self.value(other) == wanted {
            self.open.push((c, 1 - choice));
        }
        self.open.push((chosen, wanted));
    }

    /// Another place of the table that holds the wanted value, or another value at this place.
    fn wish_read(&mut self, e: ExprId, snapshot: cairn_expr::SnapshotId, index: ExprId, wanted: u128) {
        let bytes = u32::from(self.dag().width(e)) / 8;
        let place = self.value(index);
        let snapshots = self.problem.dag.snapshots();
        if bytes == 1
            && let Some(Cell::Part(part)) = snapshots.cells(snapshot, place, 1).next()
        {
            self.open.push((part, wanted));
        }
        let holds = |place: u128| {
            let cells = snapshots.cells(snapshot, place, bytes as u8);
            cells
                .enumerate()
                .all(|(i, cell)| matches!(cell, Cell::Known(byte) if byte == (wanted >> (8 * i)) as u8))
        };
        self.cells += snapshots.len(snapshot) as i64;
        let places = (0..snapshots.len(snapshot) as u128).filter(|&place| holds(place));
        let mut places: Vec<u128> = places.collect();
        places.sort_by_key(|&other| other.abs_diff(place));
        places.truncate(MAX_PLACES);
        self.open.extend(places.into_iter().rev().map(|place| (index, place)));
    }
}
