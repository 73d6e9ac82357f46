//! Terms: scalars with their labels, and the runtime calls that combine them.

use super::SlowPath;
use crate::llvm::{Opcode, Predicate, TypeKind, Value};
use crate::pass::sites::SiteRef;
use crate::pass::types::scalar_width;
use cairn_wire::Op;

/// Widest value that is passed in one register.
const WORD: u32 = 64;

/// A scalar: its label, and its value as an integer.
#[derive(Clone, Copy)]
pub struct Term {
    /// Label, 0 at run time if the scalar is concrete.
    pub label: Value,
    /// The concrete value.
    pub bits: Value,
}

impl Term {
    /// Returns the width in bits.
    pub fn width(&self) -> u32 {
        self.bits.ty().int_width()
    }
}

/// An operation as encoded in a runtime call; for a comparison the width is that of the operands.
#[derive(Clone, Copy)]
pub struct EncodedOp {
    op: Op,
    width: u32,
    aux: u32,
}

impl EncodedOp {
    /// Returns an operation with `aux` 0.
    pub fn new(op: Op, width: u32) -> EncodedOp {
        EncodedOp { op, width, aux: 0 }
    }

    /// Returns the operation with this `aux`.
    pub fn aux(self, aux: u32) -> EncodedOp {
        EncodedOp { aux, ..self }
    }

    fn word(self) -> u64 {
        u64::from(self.op as u32 | self.width << 8 | self.aux << 16)
    }
}

impl SlowPath<'_, '_> {
    /// Returns the scalars of a value, as integers with their labels.
    pub(super) fn terms(&self, value: Value) -> Vec<Term> {
        let parts = self.parts(self.value(value));
        let labels = self.labels(value);
        parts.into_iter().zip(labels).map(|(part, label)| Term { label, bits: self.bits(part) }).collect()
    }

    /// Returns the scalars of a value.
    pub(super) fn parts(&self, value: Value) -> Vec<Value> {
        let builder = &self.pass.builder;
        let ty = value.ty();
        match ty.kind() {
            TypeKind::LLVMVectorTypeKind => {
                let element = |i: u32| builder.extract_element(value, self.constant(32, i.into()));
                (0..ty.vector_len()).map(element).collect()
            }
            TypeKind::LLVMStructTypeKind | TypeKind::LLVMArrayTypeKind => {
                let count = match ty.kind() {
                    TypeKind::LLVMStructTypeKind => ty.fields().len() as u32,
                    _ => ty.array().1 as u32,
                };
                (0..count).flat_map(|i| self.parts(builder.extract_value(value, i))).collect()
            }
            _ => vec![value],
        }
    }

    /// Returns a scalar as an integer of its width.
    pub(super) fn bits(&self, value: Value) -> Value {
        let (module, builder) = (self.pass.unit.module, &self.pass.builder);
        match value.ty().kind() {
            TypeKind::LLVMPointerTypeKind => builder.ptr_to_int(value, module.int(64)),
            TypeKind::LLVMFloatTypeKind => builder.bitcast(value, module.int(32)),
            TypeKind::LLVMDoubleTypeKind => builder.bitcast(value, module.int(64)),
            _ => value,
        }
    }

    /// Returns a constant term.
    pub(super) fn constant_term(&self, width: u32, value: u64) -> Term {
        Term { label: self.concrete(), bits: self.constant(width, value) }
    }

    /// Returns the low 64 bits, and the rest.
    pub(super) fn halves(&self, bits: Value) -> [Value; 2] {
        let builder = &self.pass.builder;
        let word = self.pass.unit.abi.word;
        let width = bits.ty().int_width();
        if width <= WORD {
            return [builder.zext(bits, word), self.constant(WORD, 0)];
        }
        let high = builder.binary(Opcode::LLVMLShr, bits, self.constant(width, WORD.into()));
        let high = builder.trunc(high, self.pass.unit.module.int(width - WORD));
        [builder.trunc(bits, word), builder.zext(high, word)]
    }

    /// Emits the validation of labels that came from another function against the value's type.
    pub(super) fn validate(&self, value: Value) -> Vec<Value> {
        let abi = self.pass.unit.abi;
        let validated = |term: Term| match scalar_width(term.bits.ty()) {
            Some(width) if !self.is_concrete(term.label) => {
                let [low, high] = self.halves(term.bits);
                let width = self.constant(32, width.into());
                self.pass.builder.call(abi.validate, &[width, term.label, low, high])
            }
            _ => self.concrete(),
        };
        self.terms(value).into_iter().map(validated).collect()
    }

    /// Emits the label of an operation on two values of the operation's width.
    pub(super) fn binary(&self, code: EncodedOp, a: Term, b: Term, result: Value) -> Value {
        if self.is_concrete(a.label) && self.is_concrete(b.label) {
            return self.concrete();
        }
        if code.width > WORD {
            return self.operate(code, &[a, b], result);
        }
        let abi = self.pass.unit.abi;
        let [av, bv, rv] = [a.bits, b.bits, result].map(|bits| self.halves(bits)[0]);
        let code = self.constant(32, code.word());
        self.pass.builder.call(abi.binary, &[code, a.label, b.label, av, bv, rv])
    }

    /// Emits a decision on a comparison as one call, with the comparison's result in the operation word.
    pub(super) fn fused_decision(&self, site: SiteRef, op: Op, comparison: Value) {
        const RESULT: u64 = 31;
        let (abi, builder) = (self.pass.unit.abi, &self.pass.builder);
        let [a, b] = [0, 1].map(|index| self.terms(comparison.operand(index))[0]);
        if self.is_concrete(a.label) && self.is_concrete(b.label) {
            return;
        }
        let result = builder.zext(self.value(comparison), abi.label);
        let result = builder.binary(Opcode::LLVMShl, result, self.constant(32, RESULT));
        let code = self.constant(32, EncodedOp::new(op, a.width()).word());
        let code = builder.binary(Opcode::LLVMOr, result, code);
        let [av, bv] = [a.bits, b.bits].map(|bits| self.halves(bits)[0]);
        builder.call(abi.decide, &[self.pass.record(site), code, a.label, b.label, av, bv]);
    }

    /// Emits the label of an operation on one value.
    pub(super) fn unary(&self, code: EncodedOp, a: Term, result: Value) -> Value {
        if self.is_concrete(a.label) {
            return self.concrete();
        }
        if code.width > WORD {
            return self.operate(code, &[a], result);
        }
        let arguments = [self.constant(32, code.word()), a.label, self.halves(result)[0]];
        self.pass.builder.call(self.pass.unit.abi.cast, &arguments)
    }

    /// Emits the label of an operation on up to three values of any width: constants among them get labels of
    /// their own.
    pub(super) fn operate(&self, code: EncodedOp, operands: &[Term], result: Value) -> Value {
        let builder = &self.pass.builder;
        let any = operands.iter().map(|o| o.label).filter(|l| !self.is_concrete(*l));
        let Some(any) = any.reduce(|a, b| builder.binary(Opcode::LLVMOr, a, b)) else {
            return self.concrete();
        };
        let mut labels = [self.concrete(); 3];
        for (label, operand) in labels.iter_mut().zip(operands) {
            *label = self.materialized_label(operand, any);
        }
        let [low, high] = self.halves(result);
        let arguments = [self.constant(32, code.word()), labels[0], labels[1], labels[2], low, high];
        builder.call(self.pass.unit.abi.operate, &arguments)
    }

    /// Emits a label for an operand that has none, provided that `any` operand has one at run time.
    fn materialized_label(&self, operand: &Term, any: Value) -> Value {
        if operand.label == any {
            return any;
        }
        let [low, high] = self.halves(operand.bits);
        let width = self.constant(32, operand.width().into());
        self.pass.builder.call(self.pass.unit.abi.constant, &[width, operand.label, any, low, high])
    }

    /// Emits an arithmetic operation on two terms, both value and label.
    pub(super) fn apply(&self, op: Op, opcode: Opcode, a: Term, b: Term) -> Term {
        let bits = self.pass.builder.binary(opcode, a.bits, b.bits);
        Term { label: self.binary(EncodedOp::new(op, a.width()), a, b, bits), bits }
    }

    /// Emits a comparison of two terms.
    pub(super) fn compare(&self, op: Op, predicate: Predicate, a: Term, b: Term) -> Term {
        let bits = self.pass.builder.compare(predicate, a.bits, b.bits);
        Term { label: self.binary(EncodedOp::new(op, a.width()), a, b, bits), bits }
    }

    /// Emits an if-then-else of two terms. It is no decision of the program, so it stays an `Ite` in the
    /// expression.
    pub(super) fn ite(&self, condition: Term, yes: Term, no: Term) -> Term {
        let bits = self.pass.builder.select(condition.bits, yes.bits, no.bits);
        let code = EncodedOp::new(Op::Ite, yes.width());
        Term { label: self.operate(code, &[condition, yes, no], bits), bits }
    }

    /// Emits a zero extension.
    pub(super) fn zero_extend(&self, a: Term, width: u32) -> Term {
        let bits = self.pass.builder.zext(a.bits, self.pass.unit.module.int(width));
        Term { label: self.unary(EncodedOp::new(Op::ZExt, width), a, bits), bits }
    }

    /// Emits a sign extension.
    pub(super) fn sign_extend(&self, a: Term, width: u32) -> Term {
        let bits = self.pass.builder.sext(a.bits, self.pass.unit.module.int(width));
        Term { label: self.unary(EncodedOp::new(Op::SExt, width), a, bits), bits }
    }

    /// Emits the extraction of `width` bits from bit `low` on.
    pub(super) fn extract(&self, a: Term, low: u32, width: u32) -> Term {
        let builder = &self.pass.builder;
        let moved = builder.binary(Opcode::LLVMLShr, a.bits, self.constant(a.width(), low.into()));
        let bits = builder.trunc(moved, self.pass.unit.module.int(width));
        if width == a.width() {
            return a;
        }
        Term { label: self.unary(EncodedOp::new(Op::Extract, width).aux(low), a, bits), bits }
    }

    /// Emits the concatenation of two terms.
    pub(super) fn concat(&self, high: Term, low: Term) -> Term {
        let builder = &self.pass.builder;
        let width = high.width() + low.width();
        let ty = self.pass.unit.module.int(width);
        let moved = builder.zext(high.bits, ty);
        let moved = builder.binary(Opcode::LLVMShl, moved, self.constant(width, low.width().into()));
        let bits = builder.binary(Opcode::LLVMOr, moved, builder.zext(low.bits, ty));
        Term { label: self.binary(EncodedOp::new(Op::Concat, width), high, low, bits), bits }
    }
}
