//! Known bits and bounds of expressions, computed without solving.

use crate::dag::Dag;
use crate::node::{BinOp, ExprId, Node};
use crate::semantics::ones;

/// Depth of upper bounds, whose cost is exponential in it; a chosen bound.
const MAX_DEPTH: u32 = 8;

impl Dag {
    /// Returns a number of highest bits that are always 0.
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

    /// Returns a number of lowest bits that are always 0.
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

    /// Returns an upper bound of the unsigned value. With it, a read that stays inside of its table needs no
    /// solver.
    pub(super) fn upper_bound(&self, e: ExprId) -> u128 {
        self.bound_to(e, MAX_DEPTH)
    }

    fn bound_to(&self, e: ExprId, depth: u32) -> u128 {
        let all = ones(self.width(e));
        if depth == 0 {
            return all;
        }
        let bound = |e| self.bound_to(e, depth - 1);
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

    /// Returns the narrowest width that represents every possible value, at least 1.
    pub(crate) fn used_width(&self, e: ExprId) -> u8 {
        (self.width(e) - self.high_zeros(e)).max(1)
    }

    /// True if the sign bit is always 0.
    pub(super) fn is_nonnegative(&self, e: ExprId) -> bool {
        self.high_zeros(e) > 0
    }
}

/// Returns the bound of a sum or product: `all` if it may wrap around.
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
        assert_eq!((dag.upper_bound(wide), dag.upper_bound(digit)), (0xff00, 9));
        assert!(dag.is_nonnegative(digit) && !dag.is_nonnegative(x));
    }
}
