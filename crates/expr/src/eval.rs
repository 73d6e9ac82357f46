//! The reference evaluator: computes the value of an expression under an input.
//!
//! Not recursive, since expressions are as deep as paths are long. A memo with generations evaluates shared
//! nodes of many roots once per input, and nothing is cleared or allocated between inputs.

use crate::dag::Dag;
use crate::inputs::InputByte;
use crate::node::SnapshotId;
use crate::node::{ExprId, Math, Node};
use crate::semantics;
use crate::snapshot::Cell;

/// Values of all input bytes; a byte that the input lacks is 0.
pub trait Assignment {
    /// Returns the value of a byte.
    fn byte(&self, byte: InputByte) -> u8;
}

impl<F: Fn(InputByte) -> u8> Assignment for F {
    fn byte(&self, byte: InputByte) -> u8 {
        self(byte)
    }
}

#[derive(Clone, Copy)]
struct Memo {
    value: u128,
    generation: u32,
}

/// Evaluates expressions; keep one and reuse it.
#[derive(Default)]
pub struct Evaluator {
    memo: Vec<Memo>,
    stack: Vec<ExprId>,
    generation: u32,
}

impl Evaluator {
    /// Returns an evaluator with an empty memo.
    pub fn new() -> Evaluator {
        Evaluator::default()
    }

    /// Evaluates one expression under an input: [`Self::begin`] and [`Self::value`] in one.
    pub fn eval(&mut self, dag: &Dag, e: ExprId, input: &dyn Assignment) -> u128 {
        self.begin();
        self.value(dag, e, input)
    }

    /// Invalidates all values, before another input or another DAG.
    pub fn begin(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.memo.clear();
            self.generation = 1;
        }
    }

    /// Sets the value of an expression until the next [`Self::begin`], whatever its operands are.
    pub fn assume(&mut self, dag: &Dag, e: ExprId, value: u128) {
        self.make_room(dag);
        self.memo[e.index()] = Memo { value, generation: self.generation };
    }

    /// True if the value of an expression was computed or assumed since [`Self::begin`].
    pub fn knows(&self, e: ExprId) -> bool {
        self.memo.get(e.index()).is_some_and(|memo| memo.generation == self.generation)
    }

    fn make_room(&mut self, dag: &Dag) {
        if self.memo.len() < dag.len() {
            self.memo.resize(dag.len(), Memo { value: 0, generation: 0 });
        }
        if self.generation == 0 {
            self.begin();
        }
    }

    /// Evaluates an expression under the same input as all since [`Self::begin`].
    pub fn value(&mut self, dag: &Dag, e: ExprId, input: &dyn Assignment) -> u128 {
        self.make_room(dag);
        self.stack.push(e);
        while let Some(&top) = self.stack.last() {
            let waiting = self.stack.len();
            if !self.is_known(top) {
                self.push_unknown(dag, top);
                if self.stack.len() > waiting {
                    continue;
                }
                let value = self.compute(dag, top, input);
                self.memo[top.index()] = Memo { value, generation: self.generation };
            }
            self.stack.pop();
        }
        self.known(e)
    }

    /// Pushes the operands that have no value yet; of a snapshot only the bytes that are read.
    fn push_unknown(&mut self, dag: &Dag, e: ExprId) {
        let Node::Read(snapshot, index) = dag.node(e) else {
            return self.push_all_unknown(dag.children(e));
        };
        if !self.is_known(index) {
            return self.stack.push(index);
        }
        let cells = dag.snapshots().cells(snapshot, self.known(index), dag.width(e) / 8);
        self.push_all_unknown(cells.filter_map(Cell::expression));
    }

    fn push_all_unknown(&mut self, expressions: impl Iterator<Item = ExprId>) {
        for e in expressions {
            if !self.is_known(e) {
                self.stack.push(e);
            }
        }
    }

    fn is_known(&self, e: ExprId) -> bool {
        self.memo[e.index()].generation == self.generation
    }

    fn known(&self, e: ExprId) -> u128 {
        self.memo[e.index()].value
    }

    /// Computes a node whose operands have values.
    fn compute(&self, dag: &Dag, e: ExprId, input: &dyn Assignment) -> u128 {
        let width = dag.width(e);
        match dag.node(e) {
            Node::Const(value) => value,
            Node::Input(byte) => input.byte(byte).into(),
            Node::Binary(op, a, b) => semantics::binary(op, width, self.known(a), self.known(b)),
            Node::Compare(op, a, b) => {
                semantics::compare(op, dag.width(a), self.known(a), self.known(b)).into()
            }
            Node::ZExt(a) => self.known(a),
            Node::SExt(a) => semantics::sign_extend(dag.width(a), width, self.known(a)),
            Node::Extract(a, low) => semantics::extract(low, width, self.known(a)),
            Node::Concat(a, b) => semantics::concat(dag.width(b), self.known(a), self.known(b)),
            Node::Ite(c, t, e) => self.known(if self.known(c) == 1 { t } else { e }),
            Node::Float(op, a, b) => semantics::float(op, width, self.known(a), self.known(b)),
            Node::FloatCompare(op, a, b) => {
                semantics::float_compare(op, dag.width(a), self.known(a), self.known(b)).into()
            }
            Node::Convert(how, a) => semantics::convert(how, dag.width(a), width, self.known(a)),
            Node::Math(function) => self.math(dag, e, function),
            Node::BitCount(what, a) => semantics::count(what, width, self.known(a)),
            Node::Read(snapshot, index) => self.read(dag, snapshot, self.known(index), width),
        }
    }

    fn math(&self, dag: &Dag, e: ExprId, function: Math) -> u128 {
        let mut operands = [0; 3];
        for (operand, child) in operands.iter_mut().zip(dag.children(e)) {
            *operand = self.known(child);
        }
        semantics::math(function, dag.width(e), operands)
    }

    fn read(&self, dag: &Dag, snapshot: SnapshotId, place: u128, width: u8) -> u128 {
        let cells = dag.snapshots().cells(snapshot, place, width / 8);
        cells.rev().fold(0, |value, cell| {
            let byte = match cell {
                Cell::Known(byte) => byte.into(),
                Cell::Part(e) => self.known(e),
            };
            value << 8 | byte
        })
    }
}
