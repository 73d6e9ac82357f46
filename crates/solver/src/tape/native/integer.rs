//! Operations on integers.

use super::emit::{Emitter, holder};
use crate::tape::step::Reg;
use cairn_expr::semantics::ones;
use cairn_expr::{BinOp, BitCount, CmpOp};
use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I8, I32, I64, I128};
use cranelift_codegen::ir::{InstBuilder, Type, Value};

impl Emitter<'_> {
    pub(super) fn shifted_left(&mut self, value: Value, bits: u8) -> Value {
        let bits = self.constant(I8, bits.into());
        self.ins().ishl(value, bits)
    }

    pub(super) fn shifted_right(&mut self, value: Value, bits: u8) -> Value {
        let bits = self.constant(I8, bits.into());
        self.ins().ushr(value, bits)
    }

    /// Returns a register's value of this width, sign-extended to the type it has.
    pub(super) fn signed(&mut self, register: Reg, width: u8) -> Value {
        let ty = holder(width);
        let value = self.bits(register, ty);
        let unused = ty.bits() as u8 - width;
        if unused == 0 {
            return value;
        }
        let top = self.shifted_left(value, unused);
        let unused = self.constant(I8, unused.into());
        self.ins().sshr(top, unused)
    }

    /// Returns a register's value sign-extended to this type, which is not smaller.
    pub(super) fn signed_as(&mut self, register: Reg, width: u8, ty: Type) -> Value {
        let value = self.signed(register, width);
        if self.type_of(value) == ty { value } else { self.ins().sextend(ty, value) }
    }

    /// Emits a binary operation; `None` if it is left to a helper.
    pub(super) fn binary(&mut self, op: BinOp, width: u8, a: Reg, b: Reg) -> Option<Value> {
        let ty = holder(width);
        match op {
            BinOp::UDiv | BinOp::URem if width <= 64 => return Some(self.unsigned_division(op, width, a, b)),
            BinOp::SDiv | BinOp::SRem if width <= 32 => return Some(self.signed_division(op, width, a, b)),
            BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem => return None,
            BinOp::Shl | BinOp::LShr | BinOp::AShr => return self.shift(op, width, a, b),
            _ => {}
        }
        let (a, b) = (self.bits(a, ty), self.bits(b, ty));
        let result = match op {
            BinOp::Add => self.ins().iadd(a, b),
            BinOp::Sub => self.ins().isub(a, b),
            BinOp::Mul => self.ins().imul(a, b),
            BinOp::And => return Some(self.ins().band(a, b)),
            BinOp::Or => return Some(self.ins().bor(a, b)),
            _ => return Some(self.ins().bxor(a, b)),
        };
        Some(self.masked(result, width))
    }

    /// Returns the divisor, with 1 instead of 0, at which the machine would trap; and the condition that it
    /// is 0.
    fn divisor(&mut self, b: Value) -> (Value, Value) {
        let ty = self.type_of(b);
        let (zero, one) = (self.constant(ty, 0), self.constant(ty, 1));
        let is_zero = self.ins().icmp(IntCC::Equal, b, zero);
        (self.ins().select(is_zero, one, b), is_zero)
    }

    fn unsigned_division(&mut self, op: BinOp, width: u8, a: Reg, b: Reg) -> Value {
        let ty = if width <= 32 { I32 } else { I64 };
        let (a, b) = (self.bits(a, ty), self.bits(b, ty));
        let (divisor, is_zero) = self.divisor(b);
        let (result, by_zero) = match op {
            BinOp::UDiv => (self.ins().udiv(a, divisor), self.constant(ty, ones(width))),
            _ => (self.ins().urem(a, divisor), a),
        };
        let result = self.ins().select(is_zero, by_zero, result);
        self.resized(result, holder(width))
    }

    /// Emits a signed division, of 32 bits or fewer in 64 bits, where no quotient overflows.
    fn signed_division(&mut self, op: BinOp, width: u8, a: Reg, b: Reg) -> Value {
        let (a, b) = (self.signed_as(a, width, I64), self.signed_as(b, width, I64));
        let (divisor, is_zero) = self.divisor(b);
        let (result, by_zero) = if op == BinOp::SDiv {
            let (zero, one, all) =
                (self.constant(I64, 0), self.constant(I64, 1), self.constant(I64, u128::MAX));
            let is_negative = self.ins().icmp(IntCC::SignedLessThan, a, zero);
            (self.ins().sdiv(a, divisor), self.ins().select(is_negative, one, all))
        } else {
            (self.ins().srem(a, divisor), a)
        };
        let result = self.ins().select(is_zero, by_zero, result);
        let result = self.resized(result, holder(width));
        self.masked(result, width)
    }

    fn shift(&mut self, op: BinOp, width: u8, a: Reg, b: Reg) -> Option<Value> {
        let amount = self.shift_amount(width, b)?;
        let ty = holder(width);
        let result = match op {
            BinOp::Shl => {
                let a = self.bits(a, ty);
                self.ins().ishl(a, amount)
            }
            BinOp::LShr => {
                let a = self.bits(a, ty);
                return Some(self.ins().ushr(a, amount));
            }
            _ => {
                let a = self.signed(a, width);
                self.ins().sshr(a, amount)
            }
        };
        Some(self.masked(result, width))
    }

    /// Returns the shift amount modulo the width; not reduced where that is the type's width, by which the
    /// machine reduces.
    fn shift_amount(&mut self, width: u8, b: Reg) -> Option<Value> {
        let ty = holder(width);
        if let Some(amount) = self.as_constant(b) {
            return Some(self.constant(I8, amount % u128::from(width)));
        }
        if u32::from(width) == ty.bits() {
            return Some(self.bits(b, if ty == I128 { I64 } else { ty }));
        }
        (ty != I128).then(|| {
            let (amount, width) = (self.bits(b, ty), self.constant(ty, width.into()));
            self.ins().urem(amount, width)
        })
    }

    pub(super) fn compare(&mut self, op: CmpOp, width: u8, a: Reg, b: Reg) -> Value {
        let condition = match op {
            CmpOp::Eq => IntCC::Equal,
            CmpOp::Ne => IntCC::NotEqual,
            CmpOp::Ult => IntCC::UnsignedLessThan,
            CmpOp::Ule => IntCC::UnsignedLessThanOrEqual,
            CmpOp::Ugt => IntCC::UnsignedGreaterThan,
            CmpOp::Uge => IntCC::UnsignedGreaterThanOrEqual,
            CmpOp::Slt => IntCC::SignedLessThan,
            CmpOp::Sle => IntCC::SignedLessThanOrEqual,
            CmpOp::Sgt => IntCC::SignedGreaterThan,
            CmpOp::Sge => IntCC::SignedGreaterThanOrEqual,
        };
        let is_signed = matches!(op, CmpOp::Slt | CmpOp::Sle | CmpOp::Sgt | CmpOp::Sge);
        let [a, b] = [a, b].map(|operand| match is_signed {
            true => self.signed(operand, width),
            false => self.bits(operand, holder(width)),
        });
        self.ins().icmp(condition, a, b)
    }

    pub(super) fn sign_extend(&mut self, from: u8, to: u8, of: Reg) -> Value {
        let value = self.signed_as(of, from, holder(to));
        self.masked(value, to)
    }

    pub(super) fn extract(&mut self, low: u8, width: u8, of: Reg) -> Value {
        let held = self.held(of);
        let ty = self.type_of(held);
        // A register may be narrower than the expression: zero extensions take no step.
        if u32::from(low) >= ty.bits() {
            return self.constant(holder(width), 0);
        }
        let value = if low == 0 { held } else { self.shifted_right(held, low) };
        let value = self.resized(value, holder(width));
        self.masked(value, width)
    }

    pub(super) fn concat(&mut self, width: u8, low_width: u8, high: Reg, low: Reg) -> Value {
        let ty = holder(width);
        let (high, low) = (self.bits(high, ty), self.bits(low, ty));
        let high = self.shifted_left(high, low_width);
        self.ins().bor(high, low)
    }

    pub(super) fn choose(&mut self, width: u8, condition: Reg, yes: Reg, no: Reg) -> Value {
        let ty = holder(width);
        let (condition, yes, no) = (self.bits(condition, I8), self.bits(yes, ty), self.bits(no, ty));
        self.ins().select(condition, yes, no)
    }

    pub(super) fn count(&mut self, what: BitCount, width: u8, of: Reg) -> Value {
        let ty = holder(width);
        let value = self.bits(of, ty);
        let unused = ty.bits() as u8 - width;
        match what {
            BitCount::Ones => self.ins().popcnt(value),
            BitCount::LeadingZeros => {
                let zeros = self.ins().clz(value);
                let unused = self.constant(ty, unused.into());
                self.ins().isub(zeros, unused)
            }
            BitCount::TrailingZeros if unused == 0 => self.ins().ctz(value),
            BitCount::TrailingZeros => {
                let end = self.constant(ty, 1 << width);
                let value = self.ins().bor(value, end);
                self.ins().ctz(value)
            }
        }
    }
}
