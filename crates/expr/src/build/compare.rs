//! Rules for comparisons.

use crate::dag::Dag;
use crate::node::{BinOp, CmpOp, ExprId, Node, Op};
use crate::semantics::{self, ones, sign_bit};

impl Dag {
    pub(super) fn eq(&mut self, a: ExprId, b: ExprId) -> ExprId {
        // eq-self: x == x  ==>  true
        if a == b {
            return self.truth(true);
        }
        // commute: c == x  ==>  x == c, and the older operand first otherwise
        let swap = self.is_constant(a) || !self.is_constant(b) && b < a;
        let (a, b) = if swap { (b, a) } else { (a, b) };
        // eq-bit: a == b  ==>  !(a ^ b), for width 1
        if self.width(a) == 1 {
            let different = self.xor(a, b);
            return self.not(different);
        }
        if let Some(c) = self.as_constant(b) {
            return self.eq_constant(a, b, c);
        }
        if let Some(narrow) = self.narrow_extensions(CmpOp::Eq, a, b) {
            return narrow;
        }
        self.eq_parts(a, b).unwrap_or_else(|| self.raw_compare(Op::Eq, a, b))
    }

    fn eq_constant(&mut self, a: ExprId, b: ExprId, c: u128) -> ExprId {
        if let Some(narrow) = self.narrow_extensions(CmpOp::Eq, a, b) {
            return narrow;
        }
        if let Some(undone) = self.nested(|dag| dag.undo_operation(a, b, c)).flatten() {
            return undone;
        }
        self.eq_parts(a, b).unwrap_or_else(|| self.raw_compare(Op::Eq, a, b))
    }

    /// Moves an operation from the left of `a == c` to the right, where it folds; `b` is the constant.
    fn undo_operation(&mut self, a: ExprId, b: ExprId, c: u128) -> Option<ExprId> {
        let (x, y) = match self.node(a) {
            Node::Const(value) => return Some(self.truth(value == c)),
            // eq-add-const: x + k == c  ==>  x == c - k; eq-xor-const: x ^ k == c  ==>  x == c ^ k
            Node::Binary(op @ (BinOp::Add | BinOp::Xor), x, k) if self.is_constant(k) => {
                let undo = if op == BinOp::Add { BinOp::Sub } else { BinOp::Xor };
                (x, self.binary(undo, b, k))
            }
            // eq-sub-const: k - x == c  ==>  x == k - c
            Node::Binary(BinOp::Sub, k, x) if self.is_constant(k) => (x, self.binary(BinOp::Sub, k, b)),
            // eq-mul-odd: x * k == c  ==>  x == c / k modulo the width's power of two, if k is odd
            Node::Binary(BinOp::Mul, x, k) if self.as_constant(k).is_some_and(|k| k % 2 == 1) => {
                let inverse = self.as_constant(k).map_or(1, semantics::inverse_of_odd);
                (x, self.constant(self.width(x), c.wrapping_mul(inverse)))
            }
            // eq-sub-zero, eq-xor-zero: x - y == 0, x ^ y == 0  ==>  x == y
            Node::Binary(BinOp::Sub | BinOp::Xor, x, y) if c == 0 => (x, y),
            // eq-ite-const: ite(p, k, d) == c  ==>  ite(p, k == c, d == c)
            Node::Ite(condition, t, e) if self.is_constant(t) && self.is_constant(e) => {
                let (t, e) = (self.eq(t, b), self.eq(e, b));
                return Some(self.ite(condition, t, e));
            }
            _ => return None,
        };
        Some(self.eq(x, y))
    }

    /// eq-concat: `x :: y == u :: v` ==> `x == u && y == v`, only if one of the two folds: a word whose bytes
    /// are all symbolic stays one equality.
    fn eq_parts(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let Node::Concat(high, low) = self.node(a) else { return None };
        let (other_high, other_low) = match self.node(b) {
            Node::Concat(h, l) if self.width(l) == self.width(low) => (h, l),
            Node::Const(c) => {
                let low_width = self.width(low);
                if !self.is_constant(high) && !self.is_constant(low) {
                    return self.eq_last_part(a, c);
                }
                (self.constant(self.width(high), c >> low_width), self.constant(low_width, c))
            }
            _ => return None,
        };
        let settled = |dag: &Dag, x, y| x == y || dag.is_constant(x) && dag.is_constant(y);
        if !settled(self, high, other_high) && !settled(self, low, other_low) {
            return None;
        }
        let (high, low) = (self.eq(high, other_high), self.eq(low, other_low));
        Some(self.and(high, low))
    }

    /// eq-concat-last: `x :: k == c :: d` ==> `x == c` if `k == d`, else false. The lowest part is at the end
    /// of the concatenation, which leans right.
    fn eq_last_part(&mut self, a: ExprId, c: u128) -> Option<ExprId> {
        let last = self.last_part(a);
        let (last_width, width) = (self.width(last), self.width(a));
        let value = self.as_constant(last)?;
        if value != c & ones(last_width) {
            return Some(self.truth(false));
        }
        let rest = self.extract(a, last_width, width - last_width);
        let c = self.constant(width - last_width, c >> last_width);
        Some(self.eq(rest, c))
    }

    fn last_part(&self, mut e: ExprId) -> ExprId {
        while let Node::Concat(_, low) = self.node(e) {
            e = low;
        }
        e
    }

    pub(super) fn ult(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.width(a);
        // ult-self: x < x  ==>  false
        if a == b {
            return self.truth(false);
        }
        // ult-bit: a < b  ==>  !a & b, for width 1
        if width == 1 {
            let not_a = self.not(a);
            return self.and(not_a, b);
        }
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(x), Some(y)) => self.truth(x < y),
            // ult-zero: x < 0  ==>  false
            (_, Some(0)) => self.truth(false),
            // ult-one: x < 1  ==>  x == 0
            (_, Some(1)) => self.eq_value(a, 0),
            // ult-bound: x < c  ==>  true, if c is above the upper bound of x
            (_, Some(c)) if self.upper_bound(a) < c => self.truth(true),
            // ult-ones: x < ones  ==>  x != ones
            (_, Some(c)) if c == ones(width) => self.ne_value(a, c),
            // ones-ult: ones < x  ==>  false
            (Some(c), _) if c == ones(width) => self.truth(false),
            // ones-minus-one-ult: ones - 1 < x  ==>  x == ones
            (Some(c), _) if c == ones(width) - 1 => self.eq_value(b, ones(width)),
            // zero-ult: 0 < x  ==>  x != 0
            (Some(0), _) => self.ne_value(b, 0),
            _ => self.less(CmpOp::Ult, a, b),
        }
    }

    pub(super) fn ule(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.width(a);
        // ule-self: x <= x  ==>  true
        if a == b {
            return self.truth(true);
        }
        // ule-bit: a <= b  ==>  !a | b, for width 1
        if width == 1 {
            let not_a = self.not(a);
            return self.or(not_a, b);
        }
        match (self.as_constant(a), self.as_constant(b)) {
            // ule-ones: x <= ones  ==>  true
            (_, Some(c)) if c == ones(width) => self.truth(true),
            // zero-ule: 0 <= x  ==>  true
            (Some(0), _) => self.truth(true),
            // ule-strict: x <= c  ==>  x < c + 1, c <= x  ==>  c - 1 < x
            (_, Some(c)) => {
                let next = self.constant(width, c + 1);
                self.ult(a, next)
            }
            (Some(c), _) => {
                let previous = self.constant(width, c - 1);
                self.ult(previous, b)
            }
            _ => self.less(CmpOp::Ule, a, b),
        }
    }

    pub(super) fn slt(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.width(a);
        let (lowest, highest) = (sign_bit(width), sign_bit(width) - 1);
        // slt-self: x <s x  ==>  false
        if a == b {
            return self.truth(false);
        }
        // slt-bit: a <s b  ==>  b < a, for width 1, where the values are 0 and -1
        if width == 1 {
            return self.ult(b, a);
        }
        // slt-nonnegative: a <s b  ==>  a < b, if both sign bits are 0
        if self.is_nonnegative(a) && self.is_nonnegative(b) {
            return self.ult(a, b);
        }
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(x), Some(y)) => self.truth(semantics::compare(CmpOp::Slt, width, x, y)),
            // slt-lowest: x <s lowest  ==>  false
            (_, Some(c)) if c == lowest => self.truth(false),
            // slt-lowest-plus-one: x <s lowest + 1  ==>  x == lowest
            (_, Some(c)) if c == lowest + 1 => self.eq_value(a, lowest),
            // slt-highest: x <s highest  ==>  x != highest
            (_, Some(c)) if c == highest => self.ne_value(a, c),
            // highest-slt: highest <s x  ==>  false
            (Some(c), _) if c == highest => self.truth(false),
            // highest-minus-one-slt: highest - 1 <s x  ==>  x == highest
            (Some(c), _) if c == highest - 1 => self.eq_value(b, highest),
            // lowest-slt: lowest <s x  ==>  x != lowest
            (Some(c), _) if c == lowest => self.ne_value(b, c),
            _ => self.less(CmpOp::Slt, a, b),
        }
    }

    pub(super) fn sle(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.width(a);
        // sle-self: x <=s x  ==>  true
        if a == b {
            return self.truth(true);
        }
        // sle-bit: a <=s b  ==>  b <= a, for width 1
        if width == 1 {
            return self.ule(b, a);
        }
        // sle-nonnegative: a <=s b  ==>  a <= b, if both sign bits are 0
        if self.is_nonnegative(a) && self.is_nonnegative(b) {
            return self.ule(a, b);
        }
        match (self.as_constant(a), self.as_constant(b)) {
            // sle-highest: x <=s highest  ==>  true
            (_, Some(c)) if c == sign_bit(width) - 1 => self.truth(true),
            // lowest-sle: lowest <=s x  ==>  true
            (Some(c), _) if c == sign_bit(width) => self.truth(true),
            // sle-strict: x <=s c  ==>  x <s c + 1, c <=s x  ==>  c - 1 <s x
            (_, Some(c)) => {
                let next = self.constant(width, c.wrapping_add(1));
                self.slt(a, next)
            }
            (Some(c), _) => {
                let previous = self.constant(width, c.wrapping_sub(1));
                self.slt(previous, b)
            }
            _ => self.less(CmpOp::Sle, a, b),
        }
    }

    fn eq_value(&mut self, e: ExprId, value: u128) -> ExprId {
        let constant = self.constant(self.width(e), value);
        self.eq(e, constant)
    }

    fn ne_value(&mut self, e: ExprId, value: u128) -> ExprId {
        let equal = self.eq_value(e, value);
        self.not(equal)
    }

    /// Builds an order comparison that no rule on its constants has decided.
    fn less(&mut self, op: CmpOp, a: ExprId, b: ExprId) -> ExprId {
        if let Some(narrow) = self.narrow_extensions(op, a, b) {
            return narrow;
        }
        if let Some(shorter) = self.drop_low_part(op, a, b) {
            return shorter;
        }
        let raw = match op {
            CmpOp::Ult => Op::Ult,
            CmpOp::Ule => Op::Ule,
            CmpOp::Slt => Op::Slt,
            _ => Op::Sle,
        };
        self.raw_compare(raw, a, b)
    }

    /// less-concat-const: `x :: y < c :: zeros` ==> `x < c`, and `c :: ones < x :: y` ==> `c < x`: the low
    /// part cannot decide.
    fn drop_low_part(&mut self, op: CmpOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        let (Node::Concat(high, low), c, ignored) = (match (self.as_constant(a), self.as_constant(b)) {
            (None, Some(c)) => (self.node(a), c, 0),
            (Some(c), None) => (self.node(b), c, u128::MAX),
            _ => return None,
        }) else {
            return None;
        };
        let low_width = self.width(low);
        if (c ^ ignored) & ones(low_width) != 0 {
            return None;
        }
        let c = self.constant(self.width(high), c >> low_width);
        Some(if self.is_constant(a) { self.compare(op, c, high) } else { self.compare(op, high, c) })
    }

    /// Compares the operands of extensions instead of the extensions.
    fn narrow_extensions(&mut self, op: CmpOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        let (zeros_a, zeros_b) = (self.high_zeros(a), self.high_zeros(b));
        if zeros_a > 0 && zeros_b > 0 {
            return Some(self.narrow_unsigned_pair(op, a, b, (zeros_a, zeros_b)));
        }
        // compare-zext-const: zext(x) < c  ==>  true, zext(x) <s c  ==>  false, if c has its top bit set, and
        // the reverse
        if zeros_a > 0 && self.is_constant(b) {
            return Some(self.truth(matches!(op, CmpOp::Ult | CmpOp::Ule)));
        }
        if zeros_b > 0 && self.is_constant(a) {
            return Some(self.truth(matches!(op, CmpOp::Slt | CmpOp::Sle)));
        }
        self.narrow_signed_pair(op, a, b)
    }

    /// compare-zext: `zext(x) < zext(y)` ==> `x < y`, signed ones as well, since both sign bits are 0. If one
    /// is a constant that needs more bits than the other has, the result is known.
    fn narrow_unsigned_pair(&mut self, op: CmpOp, a: ExprId, b: ExprId, zeros: (u8, u8)) -> ExprId {
        let op = match op {
            CmpOp::Slt => CmpOp::Ult,
            CmpOp::Sle => CmpOp::Ule,
            other => other,
        };
        if self.is_constant(b) && zeros.0 > zeros.1 {
            return self.truth(op != CmpOp::Eq);
        }
        if self.is_constant(a) && zeros.1 > zeros.0 {
            return self.truth(false);
        }
        let used = self.used_width(a).max(self.used_width(b));
        let (a, b) = (self.trunc(a, used), self.trunc(b, used));
        self.compare(op, a, b)
    }

    /// compare-sext: `sext(x) < sext(y)` ==> `x < y`: sign extension keeps every order, signed and unsigned.
    fn narrow_signed_pair(&mut self, op: CmpOp, a: ExprId, b: ExprId) -> Option<ExprId> {
        match (self.node(a), self.node(b)) {
            (Node::SExt(x), Node::SExt(y)) if self.width(x) == self.width(y) => Some(self.compare(op, x, y)),
            (Node::SExt(x), Node::Const(c)) => self.narrow_signed_constant(op, x, c, self.width(b), false),
            (Node::Const(c), Node::SExt(x)) => self.narrow_signed_constant(op, x, c, self.width(a), true),
            _ => None,
        }
    }

    /// compare-sext-const: `sext(x) < sext(c)` ==> `x < c`; known if the constant is no sign extension,
    /// except unsigned.
    fn narrow_signed_constant(
        &mut self,
        op: CmpOp,
        x: ExprId,
        c: u128,
        width: u8,
        constant_first: bool,
    ) -> Option<ExprId> {
        if let Some(cut) = self.fits_signed(c, width, self.width(x)) {
            let c = self.constant(self.width(x), cut);
            return Some(if constant_first { self.compare(op, c, x) } else { self.compare(op, x, c) });
        }
        let is_above = c & sign_bit(width) == 0;
        match op {
            CmpOp::Eq => Some(self.truth(false)),
            CmpOp::Slt | CmpOp::Sle => Some(self.truth(is_above != constant_first)),
            _ => None,
        }
    }
}
