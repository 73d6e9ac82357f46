//! Operations without an entry of their own in the label table, expanded into those that have one.

use super::SlowPath;
use super::term::{EncodedOp, Term};
use crate::llvm::{Opcode, Predicate, Value};
use crate::pass::semantics::{Composed, Sign};
use cairn_wire::{Math, Op};

impl SlowPath<'_, '_> {
    /// Emits one lane of such an operation; `width` is that of the result.
    pub(super) fn composed(&self, composed: Composed, operands: &[Term], width: u32) -> Term {
        let a = operands[0];
        match composed {
            Composed::Absolute => self.ite(self.is_negative(a), self.negated(a), a),
            Composed::MinMax(op) => self.min_max(op, a, operands[1]),
            Composed::ThreeWay(less) => self.three_way(less, a, operands[1], width),
            Composed::Overflow(op, sign) => self.with_overflow(op, sign, a, operands[1])[0],
            Composed::Saturating(op, sign) => self.saturating(op, sign, a, operands[1]),
            Composed::FunnelLeft => self.funnel_left(a, operands[1], operands[2]),
            Composed::FunnelRight => self.funnel_right(a, operands[1], operands[2]),
            Composed::Negate => self.apply(Op::Xor, Opcode::LLVMXor, a, self.lowest(width)),
            Composed::FloatAbsolute => self.and(a, self.highest(width)),
            Composed::CopySign => {
                let (magnitude, sign) =
                    (self.and(a, self.highest(width)), self.and(operands[1], self.lowest(width)));
                self.apply(Op::Or, Opcode::LLVMOr, magnitude, sign)
            }
            Composed::MultiplyAdd => self.multiply_add(operands),
            Composed::RoundToInteger(rounding) => self.round_to_integer(rounding, a, width),
        }
    }

    /// Returns the signed minimum: only the sign bit is set.
    fn lowest(&self, width: u32) -> Term {
        let one = self.constant(width, 1);
        let bits = self.pass.builder.binary(Opcode::LLVMShl, one, self.constant(width, (width - 1).into()));
        Term { label: self.concrete(), bits }
    }

    /// Returns the signed maximum: all bits but the sign are set.
    fn highest(&self, width: u32) -> Term {
        self.apply(Op::Sub, Opcode::LLVMSub, self.lowest(width), self.constant_term(width, 1))
    }

    fn all_ones(&self, width: u32) -> Term {
        self.apply(Op::Sub, Opcode::LLVMSub, self.constant_term(width, 0), self.constant_term(width, 1))
    }

    fn and(&self, a: Term, b: Term) -> Term {
        self.apply(Op::And, Opcode::LLVMAnd, a, b)
    }

    fn negated(&self, a: Term) -> Term {
        self.apply(Op::Sub, Opcode::LLVMSub, self.constant_term(a.width(), 0), a)
    }

    fn is_negative(&self, a: Term) -> Term {
        self.compare(Op::Slt, Predicate::LLVMIntSLT, a, self.constant_term(a.width(), 0))
    }

    fn differ(&self, a: Term, b: Term) -> Term {
        self.compare(Op::Ne, Predicate::LLVMIntNE, a, b)
    }

    /// Emits a minimum or maximum: the operand for which the comparison holds.
    pub(super) fn min_max(&self, op: Op, a: Term, b: Term) -> Term {
        self.ite(self.compare(op, order(op), a, b), a, b)
    }

    fn three_way(&self, less: Op, a: Term, b: Term, width: u32) -> Term {
        let [below, above] =
            [(a, b), (b, a)].map(|(a, b)| self.zero_extend(self.compare(less, order(less), a, b), width));
        self.apply(Op::Sub, Opcode::LLVMSub, above, below)
    }

    /// Emits a wrapping result and its overflow flag.
    pub(super) fn with_overflow(&self, op: Op, sign: Sign, a: Term, b: Term) -> [Term; 2] {
        let result = self.apply(op, wrapping(op), a, b);
        let flag = match (op, sign) {
            (Op::Mul, Sign::Unsigned) if a.width() > 64 => self.quotient_differs(result, b, a),
            (Op::Mul, _) => self.product_overflows(sign, a, b),
            (Op::Sub, Sign::Unsigned) => self.compare(Op::Ult, Predicate::LLVMIntULT, a, b),
            (_, Sign::Unsigned) => self.compare(Op::Ult, Predicate::LLVMIntULT, result, a),
            // Overflow: operands of the same sign (of a difference: of different signs), and a result of the
            // other.
            (_, Sign::Signed) => {
                let other = if op == Op::Sub { a } else { result };
                let apart = self.apply(Op::Xor, Opcode::LLVMXor, b, other);
                let turned = self.apply(Op::Xor, Opcode::LLVMXor, a, result);
                self.is_negative(self.and(apart, turned))
            }
        };
        [result, flag]
    }

    /// Emits the test that the double-width product differs from the extension of its lower half.
    fn product_overflows(&self, sign: Sign, a: Term, b: Term) -> Term {
        let (half, full) = (a.width(), 2 * a.width());
        let widen = |term| match sign {
            Sign::Signed => self.sign_extend(term, full),
            Sign::Unsigned => self.zero_extend(term, full),
        };
        let product = self.apply(Op::Mul, Opcode::LLVMMul, widen(a), widen(b));
        self.differ(product, widen(self.extract(product, 0, half)))
    }

    /// Emits the test that product / `a` differs from `b`, where the double-width product would exceed the
    /// widest term. The divisor is the second operand of the multiplication, which is the constant if there
    /// is one.
    fn quotient_differs(&self, product: Term, a: Term, b: Term) -> Term {
        let (zero, one) = (self.constant_term(a.width(), 0), self.constant_term(a.width(), 1));
        let divisor = self.ite(self.differ(a, zero), a, one);
        let quotient = self.apply(Op::UDiv, Opcode::LLVMUDiv, product, divisor);
        // A product with zero never overflows.
        self.ite(self.differ(a, zero), self.differ(quotient, b), self.constant_term(1, 0))
    }

    fn saturating(&self, op: Op, sign: Sign, a: Term, b: Term) -> Term {
        let width = a.width();
        let limit = match (op, sign) {
            (Op::Sub, Sign::Unsigned) => self.constant_term(width, 0),
            (_, Sign::Unsigned) => self.all_ones(width),
            (_, Sign::Signed) => self.ite(self.is_negative(a), self.lowest(width), self.highest(width)),
        };
        let [result, flag] = match op {
            Op::Shl => self.shifted_with_overflow(sign, a, b),
            _ => self.with_overflow(op, sign, a, b),
        };
        self.ite(flag, limit, result)
    }

    fn shifted_with_overflow(&self, sign: Sign, a: Term, b: Term) -> [Term; 2] {
        let result = self.apply(Op::Shl, Opcode::LLVMShl, a, b);
        let back = match sign {
            Sign::Signed => self.apply(Op::AShr, Opcode::LLVMAShr, result, b),
            Sign::Unsigned => self.apply(Op::LShr, Opcode::LLVMLShr, result, b),
        };
        [result, self.differ(back, a)]
    }

    fn funnel_left(&self, high: Term, low: Term, amount: Term) -> Term {
        let (amount, rest) = self.shift_amounts(amount);
        let low = self.apply(Op::LShr, Opcode::LLVMLShr, low, self.constant_term(low.width(), 1));
        let upper = self.apply(Op::Shl, Opcode::LLVMShl, high, amount);
        self.apply(Op::Or, Opcode::LLVMOr, upper, self.apply(Op::LShr, Opcode::LLVMLShr, low, rest))
    }

    fn funnel_right(&self, high: Term, low: Term, amount: Term) -> Term {
        let (amount, rest) = self.shift_amounts(amount);
        let high = self.apply(Op::Shl, Opcode::LLVMShl, high, self.constant_term(high.width(), 1));
        let lower = self.apply(Op::LShr, Opcode::LLVMLShr, low, amount);
        self.apply(Op::Or, Opcode::LLVMOr, self.apply(Op::Shl, Opcode::LLVMShl, high, rest), lower)
    }

    /// Returns the amount modulo the width, and `width - 1` minus that.
    fn shift_amounts(&self, amount: Term) -> (Term, Term) {
        let width = amount.width();
        let amount = self.apply(Op::URem, Opcode::LLVMURem, amount, self.constant_term(width, width.into()));
        let rest =
            self.apply(Op::Sub, Opcode::LLVMSub, self.constant_term(width, (width - 1).into()), amount);
        (amount, rest)
    }

    /// Emits a fused operation (one rounding) if the target has the instruction, otherwise two rounded ones.
    fn multiply_add(&self, operands: &[Term]) -> Term {
        let [a, b, c] = [operands[0], operands[1], operands[2]];
        if has_fused_instruction(self.pass.function) {
            let bits = self.call_intrinsic("fma", operands);
            return Term { label: self.math(Math::Fma, operands, bits), bits };
        }
        let product = self.apply_float(Op::FMul, Opcode::LLVMFMul, a, b);
        self.apply_float(Op::FAdd, Opcode::LLVMFAdd, product, c)
    }

    /// Emits a floating-point operation, both value and label.
    pub(super) fn apply_float(&self, op: Op, opcode: Opcode, a: Term, b: Term) -> Term {
        let builder = &self.pass.builder;
        let [x, y] = [a, b].map(|term| builder.bitcast(term.bits, self.pass.unit.module.float(term.width())));
        let bits = builder.bitcast(builder.binary(opcode, x, y), a.bits.ty());
        Term { label: self.binary(EncodedOp::new(op, a.width()), a, b, bits), bits }
    }

    fn round_to_integer(&self, rounding: Math, a: Term, width: u32) -> Term {
        let (module, builder) = (self.pass.unit.module, &self.pass.builder);
        let name = if rounding == Math::Round { "round" } else { "rint" };
        let bits = self.call_intrinsic(name, &[a]);
        let rounded = Term { label: self.math(rounding, &[a], bits), bits };
        let bits = builder.float_to_int(builder.bitcast(bits, module.float(a.width())), module.int(width));
        let code = EncodedOp::new(Op::FToS, width).aux(a.width());
        Term { label: self.unary(code, rounded, bits), bits }
    }

    /// Emits a call of a floating-point intrinsic; returns the result as an integer.
    pub(super) fn call_intrinsic(&self, stem: &str, operands: &[Term]) -> Value {
        let (module, builder) = (self.pass.unit.module, &self.pass.builder);
        let (width, integer) = (operands[0].width(), operands[0].bits.ty());
        let float = module.float(width);
        let types = vec![float; operands.len()];
        let function = module.declare(&format!("llvm.{stem}.f{width}"), float, &types);
        let arguments: Vec<Value> = operands.iter().map(|o| builder.bitcast(o.bits, float)).collect();
        builder.bitcast(builder.call(function, &arguments), integer)
    }
}

/// True if the target has a fused multiply-add instruction.
fn has_fused_instruction(function: Value) -> bool {
    let features = function.text_attribute("target-features");
    features.split(',').any(|feature| matches!(feature, "+fma" | "+fma4"))
}

fn wrapping(op: Op) -> Opcode {
    match op {
        Op::Sub => Opcode::LLVMSub,
        Op::Mul => Opcode::LLVMMul,
        _ => Opcode::LLVMAdd,
    }
}

fn order(op: Op) -> Predicate {
    match op {
        Op::Sgt => Predicate::LLVMIntSGT,
        Op::Slt => Predicate::LLVMIntSLT,
        Op::Ugt => Predicate::LLVMIntUGT,
        _ => Predicate::LLVMIntULT,
    }
}
