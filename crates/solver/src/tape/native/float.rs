//! Emits operations on floats.
//!
//! The machine's instructions have the reference semantics also for NaN results: that of the first NaN
//! operand, quieted, or the default NaN, with the sign set.

use super::emit::{Emitter, Made, float_type};
use crate::tape::step::Reg;
use cairn_expr::{Conversion, FloatCmp, FloatOp, Math};
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};

impl Emitter<'_> {
    pub(super) fn float(&mut self, i: usize, op: FloatOp, width: u8, a: Reg, b: Reg) -> Made {
        if op == FloatOp::Rem {
            return Made::Bits(self.call(i));
        }
        let (a, b) = (self.number(a, width), self.number(b, width));
        Made::Number(match op {
            FloatOp::Add => self.ins().fadd(a, b),
            FloatOp::Sub => self.ins().fsub(a, b),
            FloatOp::Mul => self.ins().fmul(a, b),
            _ => self.ins().fdiv(a, b),
        })
    }

    pub(super) fn float_compare(&mut self, op: FloatCmp, width: u8, a: Reg, b: Reg) -> Value {
        let (a, b) = (self.number(a, width), self.number(b, width));
        let condition = match op {
            FloatCmp::Eq => FloatCC::Equal,
            FloatCmp::Lt => FloatCC::LessThan,
            FloatCmp::Le => FloatCC::LessThanOrEqual,
        };
        self.ins().fcmp(condition, a, b)
    }

    pub(super) fn convert(&mut self, i: usize, how: Conversion, from: u8, to: u8, of: Reg) -> Made {
        let ty = float_type(to);
        match how {
            Conversion::FloatToFloat if from == to => Made::Number(self.number(of, from)),
            Conversion::FloatToFloat => {
                let number = self.number(of, from);
                Made::Number(match to {
                    32 => self.ins().fdemote(ty, number),
                    _ => self.ins().fpromote(ty, number),
                })
            }
            Conversion::SignedToFloat if from <= 64 => {
                let value = self.signed_as(of, from, I64);
                Made::Number(self.ins().fcvt_from_sint(ty, value))
            }
            // With room for a sign it is the same, and takes one instruction.
            Conversion::UnsignedToFloat if from < 64 => {
                let value = self.bits(of, I64);
                Made::Number(self.ins().fcvt_from_sint(ty, value))
            }
            Conversion::UnsignedToFloat if from == 64 => {
                let value = self.bits(of, I64);
                Made::Number(self.ins().fcvt_from_uint(ty, value))
            }
            _ => Made::Bits(self.call(i)),
        }
    }

    pub(super) fn math(&mut self, i: usize, function: Math, width: u8, of: Reg) -> Made {
        if !matches!(function, Math::Sqrt | Math::Floor | Math::Ceil | Math::Trunc | Math::RoundEven) {
            return Made::Bits(self.call(i));
        }
        let x = self.number(of, width);
        Made::Number(match function {
            Math::Sqrt => self.ins().sqrt(x),
            Math::Floor => self.ins().floor(x),
            Math::Ceil => self.ins().ceil(x),
            Math::Trunc => self.ins().trunc(x),
            _ => self.ins().nearest(x),
        })
    }
}
