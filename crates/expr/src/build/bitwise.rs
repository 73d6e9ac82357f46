//! And, or, exclusive or.

use crate::dag::Dag;
use crate::node::{BinOp, CmpOp, ExprId, Node, Op};
use crate::semantics::ones;

impl Dag {
    pub(super) fn bit_and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if let Some(mask) = self.as_constant(b) {
            return self.mask(a, b, mask);
        }
        if a == b {
            return a;
        }
        if self.are_complements(a, b) {
            return self.zero(a);
        }
        let zeros = self.high_zeros(a).max(self.high_zeros(b));
        self.narrow_bitwise(BinOp::And, a, b, zeros)
    }

    /// And with a constant: its zeros on either end become an extension and a concatenation.
    fn mask(&mut self, a: ExprId, b: ExprId, mask: u128) -> ExprId {
        let width = self.width(a);
        if mask == 0 {
            return b;
        }
        if mask == ones(width) {
            return a;
        }
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
        let kept = width - above - below;
        let (a, b) = (self.extract(a, below, kept), self.extract(b, below, kept));
        let middle = self.and(a, b);
        self.shift_into(middle, below, width)
    }

    /// The value moved up by `below` bits, in `width` bits.
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
            Some(0) => return a,
            Some(c) if c == ones(width) => return b,
            Some(c) => {
                if let Node::Binary(BinOp::Or, x, inner) = self.node(a)
                    && let Some(inner) = self.as_constant(inner)
                {
                    let both = self.constant(width, inner | c);
                    return self.or(x, both);
                }
            }
            None if a == b => return a,
            None if self.are_complements(a, b) => return self.all_ones(a),
            None => {}
        }
        if let Some(joined) = self.disjoint(a, b) {
            return joined;
        }
        let zeros = self.high_zeros(a).min(self.high_zeros(b));
        self.narrow_bitwise(BinOp::Or, a, b, zeros)
    }

    pub(super) fn bit_xor(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if a == b {
            return self.zero(a);
        }
        let ((x, cx), (y, cy)) = (self.split_xor(a), self.split_xor(b));
        match self.as_constant(b) {
            Some(c) => self.xor_constant(x, cx ^ c),
            None if cx != 0 || cy != 0 => {
                let inner = self.xor(x, y);
                self.xor_constant(inner, cx ^ cy)
            }
            None => self.xor_plain(a, b),
        }
    }

    /// A value's part that is not constant, and what is xored on top.
    fn split_xor(&self, e: ExprId) -> (ExprId, u128) {
        match self.node(e) {
            Node::Binary(BinOp::Xor, x, c) => self.as_constant(c).map_or((e, 0), |c| (x, c)),
            _ => (e, 0),
        }
    }

    fn xor_constant(&mut self, a: ExprId, c: u128) -> ExprId {
        let width = self.width(a);
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
            // Width 1, so this is "not".
            Node::Compare(CmpOp::Ult, x, y) => return self.ule(y, x),
            Node::Compare(CmpOp::Ule, x, y) => return self.ult(y, x),
            Node::Compare(CmpOp::Slt, x, y) => return self.sle(y, x),
            Node::Compare(CmpOp::Sle, x, y) => return self.slt(y, x),
            _ => {}
        }
        let constant = self.constant(width, c);
        self.xor_plain(a, constant)
    }

    fn xor_plain(&mut self, a: ExprId, b: ExprId) -> ExprId {
        if let Some(joined) = self.disjoint(a, b) {
            return joined;
        }
        let zeros = self.high_zeros(a).min(self.high_zeros(b));
        self.narrow_bitwise(BinOp::Xor, a, b, zeros)
    }

    /// Whether one is the bitwise complement of the other.
    fn are_complements(&self, a: ExprId, b: ExprId) -> bool {
        let all = ones(self.width(a));
        self.split_xor(a) == (b, all) || self.split_xor(b) == (a, all)
    }

    /// Does the operation without `zeros` bits on top that are known to be 0 in the result.
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

    /// With a constant that leaves or fixes a whole part of a concatenation, works on the parts.
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

    /// The two as a concatenation, if no bit can be set in both: then or, exclusive or and sum are the same.
    pub(super) fn disjoint(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let width = self.width(a);
        let (high, low) = if self.low_zeros(a) >= self.used_width(b) {
            (a, b)
        } else if self.low_zeros(b) >= self.used_width(a) {
            (b, a)
        } else {
            return None;
        };
        let border = self.used_width(low);
        if border == width {
            return None;
        }
        let (high, low) = (self.extract(high, border, width - border), self.trunc(low, border));
        Some(self.concat(high, low))
    }
}
