//! Rules for and, or, exclusive or.

use crate::dag::Dag;
use crate::node::{BinOp, CmpOp, ExprId, Node, Op};
use crate::semantics::ones;

impl Dag {
    pub(super) fn bit_and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if let Some(mask) = self.as_constant(b) {
            return self.mask(a, b, mask);
        }
        // and-self: x & x  ==>  x
        if a == b {
            return a;
        }
        // and-complement: x & ~x  ==>  0
        if self.are_complements(a, b) {
            return self.zero(a);
        }
        // and-narrow: zext(x) & y  ==>  zext(x & y[0+:k])
        let zeros = self.high_zeros(a).max(self.high_zeros(b));
        self.narrow_bitwise(BinOp::And, a, b, zeros)
    }

    /// Builds `a & mask`, where `b` is the constant.
    fn mask(&mut self, a: ExprId, b: ExprId, mask: u128) -> ExprId {
        let width = self.width(a);
        // and-zero: x & 0  ==>  0
        if mask == 0 {
            return b;
        }
        // and-ones: x & ones  ==>  x
        if mask == ones(width) {
            return a;
        }
        // and-assoc-const: (x & c) & d  ==>  x & (c & d)
        if let Node::Binary(BinOp::And, x, c) = self.node(a)
            && let Some(inner) = self.as_constant(c)
        {
            let both = self.constant(width, inner & mask);
            return self.and(x, both);
        }
        let (above, below) = (self.high_zeros(b), self.low_zeros(b));
        if above == 0 && below == 0 {
            return self.bitwise_parts(BinOp::And, a, b);
        }
        // and-trim: x & (zeros :: c :: zeros)  ==>  zext((x[below+:kept] & c) :: zeros)
        let kept = width - above - below;
        let (a, b) = (self.extract(a, below, kept), self.extract(b, below, kept));
        let middle = self.and(a, b);
        self.shift_into(middle, below, width)
    }

    /// Builds `zext(e :: zeros)` with `below` zeros, of this width.
    fn shift_into(&mut self, e: ExprId, below: u8, width: u8) -> ExprId {
        if below == 0 {
            return self.zext(e, width);
        }
        let zeros = self.constant(below, 0);
        let shifted = self.concat(e, zeros);
        self.zext(shifted, width)
    }

    pub(super) fn bit_or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.width(a);
        match self.as_constant(b) {
            // or-zero: x | 0  ==>  x
            Some(0) => return a,
            // or-ones: x | ones  ==>  ones
            Some(c) if c == ones(width) => return b,
            Some(c) => {
                // or-assoc-const: (x | c) | d  ==>  x | (c | d)
                if let Node::Binary(BinOp::Or, x, inner) = self.node(a)
                    && let Some(inner) = self.as_constant(inner)
                {
                    let both = self.constant(width, inner | c);
                    return self.or(x, both);
                }
            }
            // or-self: x | x  ==>  x
            None if a == b => return a,
            // or-complement: x | ~x  ==>  ones
            None if self.are_complements(a, b) => return self.all_ones(a),
            None => {}
        }
        if let Some(joined) = self.disjoint(a, b) {
            return joined;
        }
        // or-narrow: zext(x) | zext(y)  ==>  zext(x | y)
        let zeros = self.high_zeros(a).min(self.high_zeros(b));
        self.narrow_bitwise(BinOp::Or, a, b, zeros)
    }

    pub(super) fn bit_xor(&mut self, a: ExprId, b: ExprId) -> ExprId {
        // xor-self: x ^ x  ==>  0
        if a == b {
            return self.zero(a);
        }
        let ((x, cx), (y, cy)) = (self.split_xor(a), self.split_xor(b));
        match self.as_constant(b) {
            // xor-assoc-const: (x ^ c) ^ d  ==>  x ^ (c ^ d)
            Some(c) => self.xor_constant(x, cx ^ c),
            // xor-hoist-const: (x ^ c) ^ (y ^ d)  ==>  (x ^ y) ^ (c ^ d)
            None if cx != 0 || cy != 0 => {
                let inner = self.xor(x, y);
                self.xor_constant(inner, cx ^ cy)
            }
            None => self.xor_plain(a, b),
        }
    }

    /// Splits `x ^ c` into `x` and `c`; `c` is 0 for other expressions.
    fn split_xor(&self, e: ExprId) -> (ExprId, u128) {
        match self.node(e) {
            Node::Binary(BinOp::Xor, x, c) => self.as_constant(c).map_or((e, 0), |c| (x, c)),
            _ => (e, 0),
        }
    }

    /// Builds `a ^ c`.
    fn xor_constant(&mut self, a: ExprId, c: u128) -> ExprId {
        let width = self.width(a);
        // xor-zero: x ^ 0  ==>  x
        if c == 0 {
            return a;
        }
        match self.node(a) {
            Node::Const(value) => return self.constant(width, value ^ c),
            Node::Binary(BinOp::Xor, x, inner) => {
                if let Some(inner) = self.as_constant(inner) {
                    return self.xor_constant(x, inner ^ c);
                }
            }
            // not-ult, not-ule, not-slt, not-sle: !(x < y)  ==>  y <= x; comparisons have width 1, so c is 1
            Node::Compare(CmpOp::Ult, x, y) => return self.ule(y, x),
            Node::Compare(CmpOp::Ule, x, y) => return self.ult(y, x),
            Node::Compare(CmpOp::Slt, x, y) => return self.sle(y, x),
            Node::Compare(CmpOp::Sle, x, y) => return self.slt(y, x),
            _ => {}
        }
        let constant = self.constant(width, c);
        self.xor_plain(a, constant)
    }

    /// Builds an exclusive or without constants to hoist.
    fn xor_plain(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if let Some(joined) = self.disjoint(a, b) {
            return joined;
        }
        // xor-narrow: zext(x) ^ zext(y)  ==>  zext(x ^ y)
        let zeros = self.high_zeros(a).min(self.high_zeros(b));
        self.narrow_bitwise(BinOp::Xor, a, b, zeros)
    }

    /// True if one is the bitwise complement of the other.
    fn are_complements(&self, a: ExprId, b: ExprId) -> bool {
        let all = ones(self.width(a));
        self.split_xor(a) == (b, all) || self.split_xor(b) == (a, all)
    }

    /// Builds the operation without the top `zeros` bits, which are 0 in the result.
    fn narrow_bitwise(&mut self, op: BinOp, a: ExprId, b: ExprId, zeros: u8) -> ExprId {
        let width = self.width(a);
        if zeros == width {
            return self.zero(a);
        }
        if zeros == 0 {
            return self.bitwise_parts(op, a, b);
        }
        let (a, b) = (self.trunc(a, width - zeros), self.trunc(b, width - zeros));
        let narrow = self.binary(op, a, b);
        self.zext(narrow, width)
    }

    /// bitwise-concat-const: `(x :: y) & (c :: d)` ==> `(x & c) :: (y & d)`, likewise for or and exclusive
    /// or, if the constant leaves or fixes a whole part.
    fn bitwise_parts(&mut self, op: BinOp, a: ExprId, b: ExprId) -> ExprId {
        if let (Node::Concat(high, low), Some(c)) = (self.node(a), self.as_constant(b)) {
            let (high_width, low_width) = (self.width(high), self.width(low));
            let (c_high, c_low) = (c >> low_width, c & ones(low_width));
            let trivial = |c, width| c == 0 || (op != BinOp::Xor && c == ones(width));
            if trivial(c_high, high_width) || trivial(c_low, low_width) {
                let (c_high, c_low) = (self.constant(high_width, c_high), self.constant(low_width, c_low));
                let (high, low) = (self.binary(op, high, c_high), self.binary(op, low, c_low));
                return self.concat(high, low);
            }
        }
        self.raw_binary(Op::from(op), a, b)
    }

    /// or-disjoint, xor-disjoint, add-disjoint: `(x :: zeros) | zext(y)` ==> `x :: y`. Where no bit can be
    /// set in both operands, or, exclusive or and sum are the same.
    pub(super) fn disjoint(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let width = self.width(a);
        let (high, low) = if self.low_zeros(a) >= self.used_width(b) {
            (a, b)
        } else if self.low_zeros(b) >= self.used_width(a) {
            (b, a)
        } else {
            return None;
        };
        let low_width = self.used_width(low);
        if low_width == width {
            return None;
        }
        let (high, low) = (self.extract(high, low_width, width - low_width), self.trunc(low, low_width));
        Some(self.concat(high, low))
    }
}
