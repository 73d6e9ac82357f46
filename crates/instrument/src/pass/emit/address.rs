//! Labels of computed addresses.

use super::Slow;
use super::term::Term;
use crate::llvm::{Opcode, Type, TypeKind, Value};
use cairn_wire::Op;

const ADDRESS_BITS: u32 = 64;

impl Slow<'_, '_> {
    /// An address: base plus every index times its stride, as the machine adds them up.
    pub(super) fn address(&self, instruction: Value) -> Value {
        let mut sum = self.terms(instruction.operand(0))[0];
        let mut ty = instruction.source_element_type();
        for (position, index) in instruction.operands().into_iter().skip(1).enumerate() {
            let stride;
            (ty, stride) = self.step(ty, position, index);
            sum = match stride {
                Step::Bytes(bytes) => self.advance(sum, self.known(ADDRESS_BITS, bytes)),
                Step::Times(stride) => self.advance(sum, self.scaled(index, stride)),
            };
        }
        sum.label
    }

    pub(super) fn step(&self, ty: Type, position: usize, index: Value) -> (Type, Step) {
        let module = self.pass.unit.module;
        match ty.kind() {
            _ if position == 0 => (ty, Step::Times(module.alloc_size(ty))),
            TypeKind::LLVMStructTypeKind => {
                let field = index.as_constant().unwrap_or(0) as u32;
                (ty.fields()[field as usize], Step::Bytes(module.field_offset(ty, field)))
            }
            _ => (ty.element(), Step::Times(module.alloc_size(ty.element()))),
        }
    }

    fn scaled(&self, index: Value, stride: u64) -> Term {
        let index = self.terms(index)[0];
        let index = match index.width() {
            ADDRESS_BITS => index,
            width if width > ADDRESS_BITS => self.slice(index, 0, ADDRESS_BITS),
            _ => self.extend_sign(index, ADDRESS_BITS),
        };
        match stride {
            1 => index,
            _ => self.apply(Op::Mul, Opcode::LLVMMul, index, self.known(ADDRESS_BITS, stride)),
        }
    }

    fn advance(&self, sum: Term, term: Term) -> Term {
        match term.bits.as_constant() {
            Some(0) => sum,
            _ => self.apply(Op::Add, Opcode::LLVMAdd, sum, term),
        }
    }
}

/// What one index of an address adds.
pub enum Step {
    Bytes(u64),
    Times(u64),
}
