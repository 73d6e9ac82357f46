//! Labels of vectors: one per lane.

use super::SlowPath;
use super::term::Term;
use crate::llvm::{Opcode, Predicate, Value};
use crate::pass::semantics::Reduction;
use crate::pass::types::lanes;
use cairn_wire::{Math, Op};

impl SlowPath<'_, '_> {
    /// Emits the label of an element; a variable index becomes a chain of selects.
    pub(super) fn extract_element(&self, instruction: Value) -> Value {
        let labels = self.labels(instruction.operand(0));
        let index = instruction.operand(1);
        match index.as_constant() {
            Some(index) => labels.get(index as usize).copied().unwrap_or(self.concrete()),
            None => {
                let chosen = |otherwise, (i, label): (usize, &Value)| {
                    self.pass.builder.select(self.is_at(index, i), *label, otherwise)
                };
                labels.iter().enumerate().fold(self.concrete(), chosen)
            }
        }
    }

    /// Emits the labels of a vector with one element replaced.
    pub(super) fn insert_element(&self, instruction: Value) -> Vec<Value> {
        let new = self.label(instruction.operand(1));
        let index = instruction.operand(2);
        let label = |(i, old): (usize, Value)| match index.as_constant() {
            Some(index) if index as usize == i => new,
            Some(_) => old,
            None => self.pass.builder.select(self.is_at(index, i), new, old),
        };
        self.labels(instruction.operand(0)).into_iter().enumerate().map(label).collect()
    }

    fn is_at(&self, index: Value, position: usize) -> Value {
        let position = self.constant(index.ty().int_width(), position as u64);
        self.pass.builder.compare(Predicate::LLVMIntEQ, self.value(index), position)
    }

    /// Emits the labels of a `shufflevector`.
    pub(super) fn shuffle(&self, instruction: Value) -> Vec<Value> {
        let mut from = self.labels(instruction.operand(0));
        from.extend(self.labels(instruction.operand(1)));
        let label = |place: Option<usize>| place.map_or(self.concrete(), |place| from[place]);
        instruction.shuffle_mask().into_iter().map(label).collect()
    }

    /// Emits the labels of the same bits in lanes of another width; the first lane is lowest.
    pub(super) fn reinterpret(&self, instruction: Value) -> Vec<Value> {
        let operand = instruction.operand(0);
        let (Some((old, _)), Some((new, count))) = (lanes(operand.ty()), lanes(instruction.ty())) else {
            return vec![self.concrete(); self.pass.scalars(instruction)];
        };
        let is_bitcast = instruction.opcode() == Opcode::LLVMBitCast;
        if old == new {
            return self.labels(operand);
        }
        let terms = self.terms(operand);
        let label = |i: u32| match (is_bitcast, old < new) {
            (false, true) => self.zero_extend(terms[i as usize], new).label,
            (false, false) => self.extract(terms[i as usize], 0, new).label,
            (true, true) => {
                let parts = &terms[(i * (new / old)) as usize..][..(new / old) as usize];
                self.concat_all(parts).label
            }
            (true, false) => {
                let position = i % (old / new);
                self.extract(terms[(i / (old / new)) as usize], position * new, new).label
            }
        };
        (0..count).map(label).collect()
    }

    /// Concatenates terms, the lowest first, as a balanced tree: the operands of a wide concatenation are
    /// words then.
    fn concat_all(&self, parts: &[Term]) -> Term {
        match parts {
            [one] => *one,
            _ => {
                let (low, high) = parts.split_at(parts.len() / 2);
                self.concat(self.concat_all(high), self.concat_all(low))
            }
        }
    }

    /// Emits the label of a reduction over all lanes.
    pub(super) fn reduce(&self, fold: Reduction, instruction: Value) -> Value {
        let arguments = instruction.arguments();
        let terms = arguments.iter().flat_map(|argument| self.terms(*argument));
        let one = terms.reduce(|a, b| self.folded(fold, a, b));
        one.map_or(self.concrete(), |term| term.label)
    }

    /// Emits the label of the lanes' sign bits as one integer (`movmsk`).
    pub(super) fn sign_mask(&self, instruction: Value) -> Value {
        let sign = |term: &Term| self.extract(*term, term.width() - 1, 1);
        let signs: Vec<Term> = self.terms(instruction.operand(0)).iter().map(sign).collect();
        self.zero_extend(self.concat_all(&signs), instruction.ty().int_width()).label
    }

    fn folded(&self, fold: Reduction, a: Term, b: Term) -> Term {
        match fold {
            Reduction::MinMax(op) => self.min_max(op, a, b),
            Reduction::Math(function) => {
                let name = if function == Math::Max { "maxnum" } else { "minnum" };
                let bits = self.call_intrinsic(name, &[a, b]);
                Term { label: self.math(function, &[a, b], bits), bits }
            }
            Reduction::Binary(op) => match op {
                Op::FAdd => self.apply_float(op, Opcode::LLVMFAdd, a, b),
                Op::FMul => self.apply_float(op, Opcode::LLVMFMul, a, b),
                Op::Mul => self.apply(op, Opcode::LLVMMul, a, b),
                Op::And => self.apply(op, Opcode::LLVMAnd, a, b),
                Op::Or => self.apply(op, Opcode::LLVMOr, a, b),
                Op::Xor => self.apply(op, Opcode::LLVMXor, a, b),
                _ => self.apply(op, Opcode::LLVMAdd, a, b),
            },
        }
    }
}
