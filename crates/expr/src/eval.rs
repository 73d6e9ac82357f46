//! The reference evaluator: what an expression is worth under an input.
//!
//! Not recursive, since paths are deep; a memo stamped with a generation makes many roots under one
//! input cost each shared node once, and nothing is cleared or allocated between inputs once warm.

use crate::dag::Dag;
use crate::inputs::InputByte;
use crate::node::{ExprId, Node};
use crate::semantics;

/// Values of all input bytes; a byte nobody knows is 0.
pub trait Assignment {
    /// The value of one byte.
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
    /// An evaluator that knows nothing yet.
    pub fn new() -> Evaluator {
        Evaluator::default()
    }

    /// The value of one expression under an input: [`Self::begin`] and [`Self::value`] in one.
    pub fn eval(&mut self, dag: &Dag, e: ExprId, input: &dyn Assignment) -> u128 {
        self.begin();
        self.value(dag, e, input)
    }

    /// Forgets all values: what follows is under another input, or another DAG.
    pub fn begin(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.memo.clear();
            self.generation = 1;
        }
    }

    /// The value of one more expression under the same input as all since [`Self::begin`].
    pub fn value(&mut self, dag: &Dag, e: ExprId, input: &dyn Assignment) -> u128 {
        if self.memo.len() < dag.len() {
            self.memo.resize(dag.len(), Memo { value: 0, generation: 0 });
        }
        if self.generation == 0 {
            self.begin();
        }
        self.stack.push(e);
        while let Some(&top) = self.stack.last() {
            let waiting = self.stack.len();
            if !self.is_known(top) {
                for child in dag.children(top) {
                    if !self.is_known(child) {
                        self.stack.push(child);
                    }
                }
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

    fn is_known(&self, e: ExprId) -> bool {
        self.memo[e.index()].generation == self.generation
    }

    fn known(&self, e: ExprId) -> u128 {
        self.memo[e.index()].value
    }

    /// The value of a node whose children are known.
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
        }
    }
}
