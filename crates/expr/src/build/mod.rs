//! The simplifier: constructors that rewrite to a canonical, usually smaller, equal expression.
//!
//! Rewriting is local and happens once, when a node is built. Every rule has a name, with match and result in
//! a comment where it is applied:
//!
//! ```text
//! // add-assoc-const: (x + c) + d  ==>  x + (c + d)
//! ```
//!
//! In the comments `c`, `d` and `k` are constants, `::` is concatenation (high part first), `x[low+:width]`
//! an extract, `zext`/`sext` extensions to the result's width, `n` the width, `ones` and `zeros` constants of
//! these bits. Rules that only evaluate constants are called folding and have no name of their own.
//!
//! Rules match at most a few nodes down, or through nests that the width bounds (a concatenation has at most
//! 128 parts); those that could follow a chain of operations stop after [`MAX_NESTING`] steps. So a
//! constructor costs about the same, in time and stack, on a path of ten steps and of a million. Canonical
//! forms that rules rely on:
//!
//! * constants fold; of a commutative pair the constant is second, else the older node first;
//! * `x - c` is `x + -c`; constants move to the outside of sums and exclusive ors;
//! * shifts, masks, multiplications and divisions by suitable constants become extracts, extensions and
//!   concatenations, so that values put together from bytes are recognised;
//! * a concatenation leans right, its first part is no concatenation, neighbours that belong together are
//!   merged, and zeros on top are a zero extension;
//! * the operand of an extract is no constant, extract, extension or concatenation;
//! * comparisons with a constant are strict, and as narrow as the operands allow.

mod arithmetic;
mod bits;
mod bitwise;
mod choice;
mod compare;
mod float;
mod memory;
mod shape;

use crate::dag::Dag;
use crate::node::{BinOp, CmpOp, ExprId, Op};
use crate::semantics::{self, ones};

/// Depth to which a rule may follow a chain of operations; a chosen bound.
const MAX_NESTING: u8 = 8;

impl Dag {
    /// Applies a recursive rule, unless it is nested too deeply within this construction.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Dag) -> T) -> Option<T> {
        if self.nesting == MAX_NESTING {
            return None;
        }
        self.nesting += 1;
        let result = rule(self);
        self.nesting -= 1;
        Some(result)
    }

    /// Builds an operation on two values of the same width.
    pub fn binary(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        let width = self.same_width(a, b);
        let (ca, cb) = (self.as_constant(a), self.as_constant(b));
        if let (Some(ca), Some(cb)) = (ca, cb) {
            return self.constant(width, semantics::binary(op, width, ca, cb));
        }
        // commute: c + x  ==>  x + c, and the older operand first otherwise
        let swap = op.is_commutative() && (ca.is_some() || cb.is_none() && b < a);
        let (a, b) = if swap { (b, a) } else { (a, b) };
        match op {
            // add-bit, sub-bit: a + b, a - b  ==>  a ^ b, for width 1
            BinOp::Add | BinOp::Sub if width == 1 => self.xor(a, b),
            // mul-bit: a * b  ==>  a & b, for width 1
            BinOp::Mul if width == 1 => self.and(a, b),
            BinOp::Add => self.add(a, b),
            BinOp::Sub => self.sub(a, b),
            BinOp::Mul => self.mul(a, b),
            BinOp::UDiv => self.udiv(a, b),
            BinOp::SDiv => self.sdiv(a, b),
            BinOp::URem => self.urem(a, b),
            BinOp::SRem => self.srem(a, b),
            BinOp::Shl | BinOp::LShr | BinOp::AShr => self.shift(op, a, b),
            BinOp::And => self.bit_and(a, b),
            BinOp::Or => self.bit_or(a, b),
            BinOp::Xor => self.bit_xor(a, b),
        }
    }

    /// Builds a comparison of two values of the same width; the result has width 1.
    pub fn compare(&mut self, op: CmpOp, a: ExprId, b: ExprId) -> ExprId {
        let width = self.same_width(a, b);
        if let (Some(ca), Some(cb)) = (self.as_constant(a), self.as_constant(b)) {
            return self.truth(semantics::compare(op, width, ca, cb));
        }
        match op {
            CmpOp::Eq => self.eq(a, b),
            // ne-elim: a != b  ==>  !(a == b)
            CmpOp::Ne => {
                let equal = self.eq(a, b);
                self.not(equal)
            }
            CmpOp::Ult => self.ult(a, b),
            CmpOp::Ule => self.ule(a, b),
            // ugt-elim, uge-elim, and sgt-elim, sge-elim below: a > b  ==>  b < a
            CmpOp::Ugt => self.ult(b, a),
            CmpOp::Uge => self.ule(b, a),
            CmpOp::Slt => self.slt(a, b),
            CmpOp::Sle => self.sle(a, b),
            CmpOp::Sgt => self.slt(b, a),
            CmpOp::Sge => self.sle(b, a),
        }
    }

    /// Builds the constant true or false, of width 1.
    pub fn truth(&mut self, value: bool) -> ExprId {
        self.constant(1, value.into())
    }

    /// Builds the bitwise complement; negation for width 1.
    pub fn not(&mut self, a: ExprId) -> ExprId {
        let all = self.all_ones(a);
        self.xor(a, all)
    }

    /// Builds a bitwise and; conjunction for width 1.
    pub fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinOp::And, a, b)
    }

    /// Builds a bitwise or; disjunction for width 1.
    pub fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinOp::Or, a, b)
    }

    /// Builds a bitwise exclusive or.
    pub fn xor(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(BinOp::Xor, a, b)
    }

    fn same_width(&self, a: ExprId, b: ExprId) -> u8 {
        let width = self.width(a);
        assert_eq!(width, self.width(b), "operands of one operation have one width");
        width
    }

    fn all_ones(&mut self, like: ExprId) -> ExprId {
        let width = self.width(like);
        self.constant(width, ones(width))
    }

    fn zero(&mut self, like: ExprId) -> ExprId {
        self.constant(self.width(like), 0)
    }

    fn raw_binary(&mut self, op: Op, a: ExprId, b: ExprId) -> ExprId {
        self.raw(op, self.width(a), 0, &[a, b])
    }

    fn raw_compare(&mut self, op: Op, a: ExprId, b: ExprId) -> ExprId {
        self.raw(op, 1, 0, &[a, b])
    }
}
