//! What is known of a value's bits without solving anything.

use crate::dag::Dag;
use crate::node::{BinOp, ExprId, Node};

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

    /// The narrowest width that holds every possible value, at least 1.
    pub(crate) fn used_width(&self, e: ExprId) -> u8 {
        (self.width(e) - self.high_zeros(e)).max(1)
    }

    /// Whether the sign bit is certainly 0.
    pub(super) fn is_nonnegative(&self, e: ExprId) -> bool {
        self.high_zeros(e) > 0
    }
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
        assert!(dag.is_nonnegative(digit) && !dag.is_nonnegative(x));
    }
}
