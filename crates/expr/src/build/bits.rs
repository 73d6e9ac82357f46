//! What is known of a value's bits without solving anything.

use crate::dag::Dag;
use crate::node::{BinOp, ExprId, Node};
use crate::semantics::ones;

/// How deep bounds are looked for.
const MAX_DEPTH: u32 = 8;

impl Dag {
    /// How many of the highest bits are certainly 0.
    pub(super) fn high_zeros(&self, e: ExprId) -> u8 {
        let width = self.width(e);
        match self.node(e) {
            Node::Const(value) => constant_high_zeros(width, value),
            Node::ZExt(a) => width - self.width(a) + self.high_zeros(a),
            Node::Concat(high, low) => {
                let zeros = self.high_zeros(high);
                if zeros == self.width(high) { zeros + self.high_zeros(low) } else { zeros }
            }
            Node::Binary(BinOp::URem, _, b) => match self.as_constant(b) {
                Some(0) | None => 0,
                Some(modulus) => constant_high_zeros(width, modulus - 1),
            },
            Node::Ite(_, t, e) => match (self.as_constant(t), self.as_constant(e)) {
                (Some(t), Some(e)) => constant_high_zeros(width, t | e),
                _ => 0,
            },
            _ => 0,
        }
    }

    /// How many of the lowest bits are certainly 0.
    pub(crate) fn low_zeros(&self, e: ExprId) -> u8 {
        match self.node(e) {
            Node::Const(value) => (value.trailing_zeros() as u8).min(self.width(e)),
            Node::ZExt(a) | Node::SExt(a) => {
                let zeros = self.low_zeros(a);
                if zeros == self.width(a) { self.width(e) } else { zeros }
            }
            Node::Concat(high, low) => {
                let zeros = self.low_zeros(low);
                if zeros == self.width(low) { zeros + self.low_zeros(high) } else { zeros }
            }
            _ => 0,
        }
    }

    /// A bound that no value exceeds: that a table is read inside of it needs no solver then.
    pub(super) fn largest(&self, e: ExprId) -> u128 {
        self.bounded(e, MAX_DEPTH)
    }

    fn bounded(&self, e: ExprId, depth: u32) -> u128 {
        let all = ones(self.width(e));
        if depth == 0 {
            return all;
        }
        let bound = |e| self.bounded(e, depth - 1);
        match self.node(e) {
            Node::Const(value) => value,
            Node::ZExt(a) => bound(a),
            Node::Concat(high, low) => bound(high) << self.width(low) | bound(low),
            Node::Ite(_, t, e) => bound(t).max(bound(e)),
            Node::Binary(BinOp::And, a, b) => bound(a).min(bound(b)),
            Node::Binary(BinOp::Add, a, b) => {
                bound(a).checked_add(bound(b)).map_or(all, |sum| clamp(sum, all))
            }
            Node::Binary(BinOp::Mul, a, b) => {
                bound(a).checked_mul(bound(b)).map_or(all, |product| clamp(product, all))
            }
            Node::Binary(BinOp::URem, a, b) => match self.as_constant(b) {
                Some(0) | None => all,
                Some(modulus) => bound(a).min(modulus - 1),
            },
            Node::Binary(BinOp::UDiv, a, b) => match self.as_constant(b) {
                Some(0) | None => all,
                Some(divisor) => bound(a) / divisor,
            },
            Node::Binary(BinOp::LShr, a, b) => match self.as_constant(b) {
                Some(by) if by < self.width(e).into() => bound(a) >> by,
                _ => all,
            },
            _ => all,
        }
    }

    /// The narrowest width that holds every possible value, at least 1.
    pub(crate) fn used_width(&self, e: ExprId) -> u8 {
        (self.width(e) - self.high_zeros(e)).max(1)
    }

    /// Whether the sign bit is certainly 0.
    pub(super) fn is_nonnegative(&self, e: ExprId) -> bool {
        self.high_zeros(e) > 0
    }
}

/// A sum or product that may wrap around can be anything.
fn clamp(bound: u128, all: u128) -> u128 {
    if bound > all { all } else { bound }
}

fn constant_high_zeros(width: u8, value: u128) -> u8 {
    value.leading_zeros() as u8 - (128 - width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InputByte;

    #[test]
    fn zeros_are_seen_through_extensions_and_concatenations() {
        let mut dag = Dag::new();
        let x = dag.input(InputByte { object: 0, offset: 0 });
        let zeros = dag.constant(8, 0);
        let shifted = dag.concat(x, zeros);
        let wide = dag.zext(shifted, 32);
        assert_eq!((dag.high_zeros(wide), dag.low_zeros(wide), dag.used_width(wide)), (16, 8, 16));
        let ten = dag.constant(8, 10);
        let digit = dag.binary(BinOp::URem, x, ten);
        assert_eq!(dag.high_zeros(digit), 4);
        assert_eq!((dag.largest(wide), dag.largest(digit)), (0xff00, 9));
        assert!(dag.is_nonnegative(digit) && !dag.is_nonnegative(x));
    }
}
