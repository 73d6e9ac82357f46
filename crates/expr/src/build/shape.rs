//! Rules for extensions, extracts and concatenations.

use crate::dag::Dag;
use crate::node::{BinOp, ExprId, MAX_WIDTH, Node, Op};
use crate::semantics;

impl Dag {
    /// Builds a zero extension to `width`, which is at least the value's own.
    pub fn zext(&mut self, a: ExprId, width: u8) -> ExprId {
        let own = self.extension_from(a, width);
        if own == width {
            return a;
        }
        match self.node(a) {
            Node::Const(value) => self.constant(width, value),
            // zext-zext: zext(zext(x))  ==>  zext(x)
            Node::ZExt(inner) => self.raw(Op::ZExt, width, 0, &[inner]),
            _ => self.raw(Op::ZExt, width, 0, &[a]),
        }
    }

    /// Builds a sign extension to `width`, which is at least the value's own.
    pub fn sext(&mut self, a: ExprId, width: u8) -> ExprId {
        let own = self.extension_from(a, width);
        if own == width {
            return a;
        }
        // sext-nonnegative: sext(x)  ==>  zext(x), if the sign bit is 0
        if self.is_nonnegative(a) {
            return self.zext(a, width);
        }
        match self.node(a) {
            Node::Const(value) => self.constant(width, semantics::sign_extend(own, width, value)),
            // sext-sext: sext(sext(x))  ==>  sext(x)
            Node::SExt(inner) => self.raw(Op::SExt, width, 0, &[inner]),
            _ => self.raw(Op::SExt, width, 0, &[a]),
        }
    }

    fn extension_from(&self, a: ExprId, width: u8) -> u8 {
        let own = self.width(a);
        assert!(own <= width && width <= MAX_WIDTH, "no extension from {own} to {width} bits");
        own
    }

    /// Builds the truncation to the low `width` bits.
    pub fn trunc(&mut self, a: ExprId, width: u8) -> ExprId {
        self.extract(a, 0, width)
    }

    /// Builds an extract of `width` bits from bit `low` on.
    pub fn extract(&mut self, a: ExprId, low: u8, width: u8) -> ExprId {
        let own = self.width(a);
        let fits = width > 0 && u32::from(low) + u32::from(width) <= u32::from(own);
        assert!(fits, "no bits {low}..+{width} in a value of {own}");
        // extract-whole: x[0+:n]  ==>  x
        if width == own {
            return a;
        }
        match self.node(a) {
            Node::Const(value) => self.constant(width, semantics::extract(low, width, value)),
            // extract-extract: x[offset+:m][low+:w]  ==>  x[offset+low+:w]
            Node::Extract(inner, offset) => self.extract(inner, offset + low, width),
            Node::ZExt(inner) => self.extract_zext(inner, low, width),
            Node::SExt(inner) => self.extract_sext(inner, low, width),
            Node::Concat(high, tail) => self.extract_concat(high, tail, low, width),
            Node::Binary(op, x, y) => self.extract_binary(a, (op, x, y), low, width),
            // extract-ite-const: ite(p, c, d)[low+:w]  ==>  ite(p, c[low+:w], d[low+:w])
            Node::Ite(c, t, e) if self.is_constant(t) && self.is_constant(e) => {
                let (t, e) = (self.extract(t, low, width), self.extract(e, low, width));
                self.ite(c, t, e)
            }
            _ => self.raw(Op::Extract, width, low, &[a]),
        }
    }

    /// extract-zext: `zext(x)[low+:w]` ==> zeros above `x`, else `zext(x[low+:k])`.
    fn extract_zext(&mut self, inner: ExprId, low: u8, width: u8) -> ExprId {
        let own = self.width(inner);
        if low >= own {
            return self.constant(width, 0);
        }
        let part = self.extract(inner, low, width.min(own - low));
        self.zext(part, width)
    }

    /// extract-sext: `sext(x)[low+:w]` ==> `sext(x[low+:k])`, where bits above `x` are its sign bit.
    fn extract_sext(&mut self, inner: ExprId, low: u8, width: u8) -> ExprId {
        let own = self.width(inner);
        let low = low.min(own - 1);
        let part = self.extract(inner, low, width.min(own - low));
        self.sext(part, width)
    }

    /// extract-concat: `(x :: y)[low+:w]` ==> an extract of `x`, of `y`, or the concatenation of one of each.
    fn extract_concat(&mut self, high: ExprId, tail: ExprId, low: u8, width: u8) -> ExprId {
        let tail_width = self.width(tail);
        if low >= tail_width {
            return self.extract(high, low - tail_width, width);
        }
        if low + width <= tail_width {
            return self.extract(tail, low, width);
        }
        let tail = self.extract(tail, low, tail_width - low);
        let high = self.extract(high, 0, low + width - tail_width);
        self.concat(high, tail)
    }

    /// extract-bitwise-const: `(x & c)[low+:w]` ==> `x[low+:w] & c[low+:w]`, likewise for or and exclusive
    /// or. extract-arithmetic: `(x + y)[0+:w]` ==> `x[0+:w] + y[0+:w]`, likewise for differences and
    /// products, if both extracts simplify.
    fn extract_binary(
        &mut self,
        a: ExprId,
        (op, x, y): (BinOp, ExprId, ExprId),
        low: u8,
        width: u8,
    ) -> ExprId {
        let narrows = match op {
            BinOp::And | BinOp::Or | BinOp::Xor => self.is_constant(y),
            BinOp::Add | BinOp::Sub | BinOp::Mul => {
                low == 0 && self.extract_simplifies(x) && self.extract_simplifies(y)
            }
            _ => false,
        };
        let narrowed = narrows.then(|| {
            self.nested(|dag| {
                let (x, y) = (dag.extract(x, low, width), dag.extract(y, low, width));
                dag.binary(op, x, y)
            })
        });
        narrowed.flatten().unwrap_or_else(|| self.raw(Op::Extract, width, low, &[a]))
    }

    /// True if an extract of this expression is not an extract of an operation.
    fn extract_simplifies(&self, e: ExprId) -> bool {
        matches!(self.op(e), Op::Const | Op::Input | Op::ZExt | Op::SExt | Op::Extract | Op::Concat)
    }

    pub(super) fn is_constant(&self, e: ExprId) -> bool {
        self.op(e) == Op::Const
    }

    /// Builds the concatenation of `high` above `low`.
    pub fn concat(&mut self, high: ExprId, low: ExprId) -> ExprId {
        let width = u32::from(self.width(high)) + u32::from(self.width(low));
        assert!(width <= MAX_WIDTH.into(), "no value has {width} bits");
        match self.node(high) {
            // concat-lean-right: (x :: y) :: z  ==>  x :: (y :: z)
            Node::Concat(first, rest) => {
                let rest = self.concat(rest, low);
                self.concat(first, rest)
            }
            // concat-zext: zext(x) :: y  ==>  zext(x :: y)
            Node::ZExt(inner) => {
                let rest = self.concat(inner, low);
                self.zext(rest, width as u8)
            }
            _ => self.prepend(high, low),
        }
    }

    /// Builds `part :: rest`, where `part` is no concatenation. concat-merge: `x :: (y :: z)` ==> `xy :: z`,
    /// if `x` and `y` merge to `xy`.
    fn prepend(&mut self, part: ExprId, rest: ExprId) -> ExprId {
        if let Some(merged) = self.merge(part, rest) {
            return merged;
        }
        let (first, tail) = match self.node(rest) {
            Node::Concat(first, tail) => (first, tail),
            Node::ZExt(inner) if self.is_constant(part) => {
                (self.constant(self.width(rest) - self.width(inner), 0), inner)
            }
            _ => return self.raw_concat(part, rest),
        };
        match self.merge(part, first) {
            Some(merged) => self.concat(merged, tail),
            None => self.raw_concat(part, rest),
        }
    }

    /// concat-zero: `zeros :: x` ==> `zext(x)`; otherwise builds the node.
    fn raw_concat(&mut self, high: ExprId, low: ExprId) -> ExprId {
        let width = self.width(high) + self.width(low);
        if self.as_constant(high) == Some(0) {
            return self.zext(low, width);
        }
        self.raw(Op::Concat, width, 0, &[high, low])
    }

    /// Returns an expression for `high :: low` that is no concatenation, if there is one.
    fn merge(&mut self, high: ExprId, low: ExprId) -> Option<ExprId> {
        let low_width = self.width(low);
        let width = self.width(high) + low_width;
        match (self.node(high), self.node(low)) {
            (Node::Const(h), Node::Const(l)) => {
                Some(self.constant(width, semantics::concat(low_width, h, l)))
            }
            // merge-extracts: x[k+m+:w] :: x[k+:m]  ==>  x[k+:m+w]
            (Node::Extract(x, above), Node::Extract(y, start)) => {
                (x == y && above == start + low_width).then(|| self.extract(x, start, width))
            }
            // merge-narrowed-extract: x[k+m+:w] :: y  ==>  x[k+:m+w], if x[k+:m] simplifies to y
            (Node::Extract(x, above), Node::Binary(..)) => {
                self.is_part(low, x, above).then(|| self.extract(x, above - low_width, width))
            }
            // merge-sign: sext(s) :: x  ==>  sext(x), if s is the sign bit of x
            (Node::SExt(sign), _) => self.is_sign_of(sign, low).then(|| self.sext(low, width)),
            (Node::Binary(high_op, x, c), Node::Binary(low_op, y, d)) if high_op == low_op => {
                self.merge_bitwise(high_op, (x, y), (c, d))
            }
            _ => None,
        }
    }

    /// True if `low` is the simplified extract of `x` that ends just below bit `above`.
    fn is_part(&mut self, low: ExprId, x: ExprId, above: u8) -> bool {
        let low_width = self.width(low);
        self.op(low) == self.op(x)
            && low_width <= above
            && self.extract(x, above - low_width, low_width) == low
    }

    /// merge-bitwise: `(x ^ c) :: (y ^ d)` ==> `xy ^ (c :: d)`, if `x` and `y` merge to `xy`; likewise for
    /// and, or.
    fn merge_bitwise(
        &mut self,
        op: BinOp,
        (x, y): (ExprId, ExprId),
        (c, d): (ExprId, ExprId),
    ) -> Option<ExprId> {
        let is_bitwise = matches!(op, BinOp::And | BinOp::Or | BinOp::Xor);
        if !is_bitwise || !self.is_constant(c) || !self.is_constant(d) {
            return None;
        }
        let value = self.nested(|dag| dag.merge(x, y)).flatten()?;
        let constant = self.concat(c, d);
        Some(self.binary(op, value, constant))
    }

    /// True if `sign` is the sign bit of `e`, as in the upper bytes of a sign extension.
    fn is_sign_of(&mut self, sign: ExprId, e: ExprId) -> bool {
        self.width(sign) == 1 && self.extract(e, self.width(e) - 1, 1) == sign
    }
}
