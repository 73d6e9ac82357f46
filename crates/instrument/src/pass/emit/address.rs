//! Labels of address computations (`getelementptr`).

use super::SlowPath;
use super::term::Term;
use crate::llvm::{Opcode, Type, TypeKind, Value};
use cairn_wire::Op;

const ADDRESS_BITS: u32 = 64;

impl SlowPath<'_, '_> {
    /// Emits the label of an address: base plus each index times its stride, in wrapping 64-bit arithmetic.
    pub(super) fn address(&self, instruction: Value) -> Value {
        let mut sum = self.terms(instruction.operand(0))[0];
        let mut ty = instruction.source_element_type();
        for (position, index) in instruction.operands().into_iter().skip(1).enumerate() {
            let stride;
            (ty, stride) = self.step(ty, position, index);
            sum = match stride {
                IndexStep::Bytes(bytes) => self.advance(sum, self.constant_term(ADDRESS_BITS, bytes)),
                IndexStep::Times(stride) => self.advance(sum, self.scaled(index, stride)),
            };
        }
        sum.label
    }

    pub(super) fn step(&self, ty: Type, position: usize, index: Value) -> (Type, IndexStep) {
        let module = self.pass.unit.module;
        match ty.kind() {
            _ if position == 0 => (ty, IndexStep::Times(module.alloc_size(ty))),
            TypeKind::LLVMStructTypeKind => {
                let field = index.as_constant().unwrap_or(0) as u32;
                (ty.fields()[field as usize], IndexStep::Bytes(module.field_offset(ty, field)))
            }
            _ => (ty.element(), IndexStep::Times(module.alloc_size(ty.element()))),
        }
    }

    fn scaled(&self, index: Value, stride: u64) -> Term {
        let index = self.terms(index)[0];
        let index = match index.width() {
            ADDRESS_BITS => index,
            width if width > ADDRESS_BITS => self.extract(index, 0, ADDRESS_BITS),
            _ => self.sign_extend(index, ADDRESS_BITS),
        };
        match stride {
            1 => index,
            _ => self.apply(Op::Mul, Opcode::LLVMMul, index, self.constant_term(ADDRESS_BITS, stride)),
        }
    }

    fn advance(&self, sum: Term, term: Term) -> Term {
        match term.bits.as_constant() {
            Some(0) => sum,
            _ => self.apply(Op::Add, Opcode::LLVMAdd, sum, term),
        }
    }
}

/// Contribution of one `getelementptr` index: a constant offset, or the index times a stride.
pub enum IndexStep {
    Bytes(u64),
    Times(u64),
}
