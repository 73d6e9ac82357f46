//! Rules for sums, products, quotients and shifts.

use crate::dag::Dag;
use crate::node::{BinOp, ExprId, Node, Op};
use crate::semantics::{self, ones};

impl Dag {
    pub(super) fn add(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if let Some(c) = self.as_constant(b) {
            return self.add_constant(a, c);
        }
        if let Some(joined) = self.disjoint(a, b) {
            return joined;
        }
        match (self.split_sum(a), self.split_sum(b)) {
            // add-hoist-const: (x + c) + (y + d)  ==>  (x + y) + (c + d)
            ((x, cx), (y, cy)) if cx != 0 || cy != 0 => {
                let sum = self.binary(BinOp::Add, x, y);
                self.add_constant(sum, cx.wrapping_add(cy))
            }
            _ => self.cancel_sum(a, b).unwrap_or_else(|| self.raw_binary(Op::Add, a, b)),
        }
    }

    /// Builds `a + c`.
    fn add_constant(&mut self, a: ExprId, c: u128) -> ExprId {
        let width = self.width(a);
        // add-assoc-const: (x + c) + d  ==>  x + (c + d)
        let (a, inner) = self.split_sum(a);
        let c = inner.wrapping_add(c) & ones(width);
        // add-zero: x + 0  ==>  x
        if c == 0 {
            return a;
        }
        let constant = self.constant(width, c);
        match self.node(a) {
            Node::Const(value) => self.constant(width, value.wrapping_add(c)),
            // add-sub-const: (k - x) + c  ==>  (k + c) - x
            Node::Binary(BinOp::Sub, k, x) if self.is_constant(k) => {
                let k = self.binary(BinOp::Add, k, constant);
                self.sub(k, x)
            }
            _ => self.disjoint(a, constant).unwrap_or_else(|| self.raw_binary(Op::Add, a, constant)),
        }
    }

    /// Splits `x + c` into `x` and `c`; `c` is 0 for other expressions.
    fn split_sum(&self, e: ExprId) -> (ExprId, u128) {
        match self.node(e) {
            Node::Binary(BinOp::Add, x, y) => self.as_constant(y).map_or((e, 0), |c| (x, c)),
            _ => (e, 0),
        }
    }

    /// add-cancel: `(x - y) + y` ==> `x`, with the operands in either order.
    fn cancel_sum(&self, a: ExprId, b: ExprId) -> Option<ExprId> {
        match (self.node(a), self.node(b)) {
            (Node::Binary(BinOp::Sub, x, y), _) if y == b => Some(x),
            (_, Node::Binary(BinOp::Sub, x, y)) if y == a => Some(x),
            _ => None,
        }
    }

    pub(super) fn sub(&mut self, a: ExprId, b: ExprId) -> ExprId {
        // sub-self: x - x  ==>  0
        if a == b {
            return self.zero(a);
        }
        // sub-const: x - c  ==>  x + -c
        if let Some(c) = self.as_constant(b) {
            return self.add_constant(a, c.wrapping_neg());
        }
        // sub-hoist-const: (x + c) - (y + d)  ==>  (x - y) + (c - d)
        let ((x, cx), (y, cy)) = (self.split_sum(a), self.split_sum(b));
        if cx != 0 || cy != 0 {
            let difference = self.binary(BinOp::Sub, x, y);
            return self.add_constant(difference, cx.wrapping_sub(cy));
        }
        match (self.node(a), self.node(b)) {
            // sub-cancel: (x + y) - x  ==>  y, (x + y) - y  ==>  x
            (Node::Binary(BinOp::Add, x, y), _) if x == b => y,
            (Node::Binary(BinOp::Add, x, y), _) if y == b => x,
            // sub-sub-const: c - (d - x)  ==>  x + (c - d)
            (Node::Const(c), Node::Binary(BinOp::Sub, d, x)) if self.is_constant(d) => {
                let d = self.as_constant(d).unwrap_or(0);
                self.add_constant(x, c.wrapping_sub(d))
            }
            _ => self.raw_binary(Op::Sub, a, b),
        }
    }

    pub(super) fn mul(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let Some(c) = self.as_constant(b) else {
            return self.raw_binary(Op::Mul, a, b);
        };
        let width = self.width(a);
        match self.node(a) {
            // mul-zero: x * 0  ==>  0
            _ if c == 0 => b,
            // mul-power-of-two: x * 2^k  ==>  x << k
            _ if c.is_power_of_two() => self.shift_left(a, c.trailing_zeros() as u8),
            // mul-minus-one: x * -1  ==>  0 - x
            _ if c == ones(width) => {
                let zero = self.zero(a);
                self.sub(zero, a)
            }
            // mul-assoc-const: (x * k) * c  ==>  x * (k * c)
            Node::Binary(BinOp::Mul, x, k) if self.is_constant(k) => {
                let k = self.binary(BinOp::Mul, k, b);
                self.binary(BinOp::Mul, x, k)
            }
            _ => self.raw_binary(Op::Mul, a, b),
        }
    }

    pub(super) fn udiv(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.width(a);
        match self.as_constant(b) {
            // udiv-zero: x / 0  ==>  ones, as SMT-LIB defines it
            Some(0) => self.constant(width, ones(width)),
            // udiv-power-of-two: x / 2^k  ==>  x >> k
            Some(c) if c.is_power_of_two() => self.shift_right(a, c.trailing_zeros() as u8),
            Some(_) => self.narrow_unsigned(BinOp::UDiv, a, b),
            None => self.raw_binary(Op::UDiv, a, b),
        }
    }

    pub(super) fn urem(&mut self, a: ExprId, b: ExprId) -> ExprId {
        match self.as_constant(b) {
            // urem-zero: x % 0  ==>  x, as SMT-LIB defines it
            Some(0) => a,
            // urem-power-of-two: x % 2^k  ==>  x & (2^k - 1)
            Some(c) if c.is_power_of_two() => {
                let mask = self.constant(self.width(a), c - 1);
                self.and(a, mask)
            }
            _ => self.narrow_unsigned(BinOp::URem, a, b),
        }
    }

    /// udiv-narrow, urem-narrow: `zext(x) / zext(y)` ==> `zext(x / y)`, at the larger width that the operands
    /// use. Not for a quotient by what may be zero, which is `ones` of the full width.
    fn narrow_unsigned(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        let (own, used) = (self.width(a), self.used_width(a));
        // udiv-larger, urem-larger: x / c  ==>  0, x % c  ==>  x, where x < c by width
        if self.is_constant(b) && self.used_width(b) > used {
            return if op == BinOp::UDiv { self.zero(a) } else { a };
        }
        let used = used.max(self.used_width(b));
        if used == own {
            return self.raw_binary(op.into(), a, b);
        }
        let (a, b) = (self.trunc(a, used), self.trunc(b, used));
        let result = self.binary(op, a, b);
        self.zext(result, own)
    }

    pub(super) fn sdiv(&mut self, a: ExprId, b: ExprId) -> ExprId {
        // sdiv-nonnegative: a /s b  ==>  a / b, if both sign bits are 0
        if self.is_nonnegative(a) && self.is_nonnegative(b) {
            return self.udiv(a, b);
        }
        match self.as_constant(b) {
            // sdiv-one: x /s 1  ==>  x
            Some(1) => a,
            // sdiv-minus-one: x /s -1  ==>  0 - x
            Some(c) if c == ones(self.width(b)) => {
                let zero = self.zero(a);
                self.sub(zero, a)
            }
            _ => self.narrow_signed(BinOp::SDiv, a, b),
        }
    }

    pub(super) fn srem(&mut self, a: ExprId, b: ExprId) -> ExprId {
        // srem-nonnegative: a %s b  ==>  a % b, if both sign bits are 0
        if self.is_nonnegative(a) && self.is_nonnegative(b) {
            return self.urem(a, b);
        }
        match self.as_constant(b) {
            // srem-one: x %s 1, x %s -1  ==>  0
            Some(c) if c == 1 || c == ones(self.width(b)) => self.zero(a),
            _ => self.narrow_signed(BinOp::SRem, a, b),
        }
    }

    /// sdiv-narrow, srem-narrow: `sext(x) /s sext(c)` ==> `sext(x /s c)`; the constant is neither 1 nor -1.
    fn narrow_signed(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        if let (Node::SExt(inner), Some(c)) = (self.node(a), self.as_constant(b))
            && let Some(c) = self.fits_signed(c, self.width(b), self.width(inner))
            && c != 0
        {
            let c = self.constant(self.width(inner), c);
            let result = self.binary(op, inner, c);
            return self.sext(result, self.width(a));
        }
        self.raw_binary(op.into(), a, b)
    }

    /// Returns the constant truncated to `to` bits, if sign extension restores it.
    pub(super) fn fits_signed(&self, value: u128, from: u8, to: u8) -> Option<u128> {
        let cut = value & ones(to);
        (semantics::sign_extend(to, from, cut) == value).then_some(cut)
    }

    pub(super) fn shift(&mut self, op: BinOp, a: ExprId, amount: ExprId) -> ExprId {
        let width = self.width(a);
        // shift-zero: 0 << y  ==>  0; shift-bit: x << y  ==>  x, for width 1 (amounts are modulo the width)
        if self.as_constant(a) == Some(0) || width == 1 {
            return a;
        }
        let Some(amount_value) = self.as_constant(amount) else {
            // ashr-nonnegative: x >>s y  ==>  x >> y, if the sign bit is 0
            let op = if op == BinOp::AShr && self.is_nonnegative(a) { BinOp::LShr } else { op };
            return self.raw_binary(op.into(), a, amount);
        };
        let amount = (amount_value % u128::from(width)) as u8;
        match op {
            BinOp::Shl => self.shift_left(a, amount),
            BinOp::LShr => self.shift_right(a, amount),
            // ashr-const: x >>s k  ==>  sext(x[k+:n-k])
            _ => {
                let part = self.extract(a, amount, width - amount);
                self.sext(part, width)
            }
        }
    }

    /// shl-const: `x << k` ==> `x[0+:n-k] :: zeros`.
    fn shift_left(&mut self, a: ExprId, amount: u8) -> ExprId {
        if amount == 0 {
            return a;
        }
        let part = self.trunc(a, self.width(a) - amount);
        let zeros = self.constant(amount, 0);
        self.concat(part, zeros)
    }

    /// lshr-const: `x >> k` ==> `zext(x[k+:n-k])`.
    fn shift_right(&mut self, a: ExprId, amount: u8) -> ExprId {
        let width = self.width(a);
        let part = self.extract(a, amount, width - amount);
        self.zext(part, width)
    }
}
