//! Chains of invertible operations: what a hash does with byte after byte.
//!
//! An equality `value == h` is followed from `h` inwards, over operations that have one inverse if their other
//! operand is known: sums, differences, exclusive ors, products by odd numbers, and a value combined with itself
//! shifted. So from the value, and from the bytes that the outer operations read, one computes what an inner
//! expression must be.

use cairn_expr::semantics::{inverse_of_odd, ones};
use cairn_expr::{BinOp, CmpOp, Dag, ExprId, Node};

/// Widest value, in bits.
const MAX_WIDTH: u8 = 64;

/// The other operand of an operation.
#[derive(Clone, Copy, Debug)]
enum Operand {
    Constant(u64),
    /// Index into [`Chain::operands`].
    Symbolic(usize),
}

/// An operation, as what undoes it: `x` is the expression inside.
#[derive(Clone, Copy, Debug)]
enum Link {
    /// `x ^ operand`.
    Xor(Operand),
    /// `x + operand`.
    Add(Operand),
    /// `operand - x`.
    SubtractFrom(Operand),
    /// `x * factor`, with the inverse of the odd factor.
    Multiply(u64),
    /// `x ^ x >> amount`.
    XorRight(u8),
    /// `x ^ x << amount`.
    XorLeft(u8),
    /// `zext(x)`.
    Extend,
    /// The low bits of `x`.
    Truncate,
}

/// An inner expression of a chain, which the links before it lead to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inner {
    pub(super) expression: ExprId,
    /// Number of its low bits that the links determine.
    pub(super) bits: u8,
    /// Number of operands that the links before it read.
    pub(super) operands: usize,
    /// Number of links before it.
    links: usize,
}

/// An equality of a chain of operations with a constant.
#[derive(Debug)]
pub(super) struct Chain {
    value: u64,
    /// Bits of the value.
    width: u8,
    links: Vec<Link>,
    /// Symbolic operands of the links, from the outermost.
    pub(super) operands: Vec<ExprId>,
    pub(super) inner: Vec<Inner>,
}

impl Chain {
    /// Returns the chain of a constraint, if it is an equality with a constant.
    pub(super) fn of(dag: &Dag, constraint: ExprId) -> Option<Chain> {
        let Node::Compare(CmpOp::Eq, a, b) = dag.node(constraint) else { return None };
        let (mut e, value) = match (dag.as_constant(a), dag.as_constant(b)) {
            (None, Some(value)) => (a, value),
            (Some(value), None) => (b, value),
            _ => return None,
        };
        let width = dag.width(e);
        if width > MAX_WIDTH {
            return None;
        }
        let (mut bits, (links, operands, inner)) = (width, Default::default());
        let mut chain = Chain { value: value as u64, width, links, operands, inner };
        while let Some((link, inside)) = chain.link(dag, e, bits) {
            chain.links.push(link);
            (e, bits) = (inside, bits.min(dag.width(inside)));
            let (operands, links) = (chain.operands.len(), chain.links.len());
            chain.inner.push(Inner { expression: e, bits, operands, links });
        }
        Some(chain)
    }

    /// Returns what an inner expression must be if the chain has its value and its operands have these; None if it
    /// cannot be.
    pub(super) fn invert(&self, inner: &Inner, operands: &[u128]) -> Option<u64> {
        let (mut value, mut bits) = (self.value, self.width);
        for (link, inside) in self.links.iter().zip(&self.inner).take(inner.links) {
            value = link.invert(value, bits, inside.bits, operands)?;
            bits = inside.bits;
        }
        Some(value)
    }

    /// Returns the outermost operation of an expression as a link, and the expression inside.
    fn link(&mut self, dag: &Dag, e: ExprId, bits: u8) -> Option<(Link, ExprId)> {
        match dag.node(e) {
            Node::ZExt(x) => Some((Link::Extend, x)),
            Node::Extract(x, 0) if dag.width(x) <= MAX_WIDTH => Some((Link::Truncate, x)),
            Node::Binary(BinOp::Mul, x, factor) => {
                let factor = dag.as_constant(factor).filter(|factor| factor % 2 == 1)?;
                Some((Link::Multiply(inverse_of_odd(factor) as u64), x))
            }
            Node::Binary(BinOp::Sub, x, y) if more_inputs(dag, y, x) => {
                Some((Link::SubtractFrom(self.operand(dag, x)), y))
            }
            Node::Binary(BinOp::Sub, x, y) => Some((Link::Add(self.negative(dag, y)?), x)),
            Node::Binary(op @ (BinOp::Add | BinOp::Xor), a, b) => {
                if let Some(found) =
                    with_itself(dag, op, a, b, bits).or_else(|| with_itself(dag, op, b, a, bits))
                {
                    return Some(found);
                }
                let (x, other) = if more_inputs(dag, b, a) { (b, a) } else { (a, b) };
                let other = self.operand(dag, other);
                Some((if op == BinOp::Add { Link::Add(other) } else { Link::Xor(other) }, x))
            }
            _ => None,
        }
    }

    fn operand(&mut self, dag: &Dag, e: ExprId) -> Operand {
        match dag.as_constant(e) {
            Some(value) => Operand::Constant(value as u64),
            None => {
                self.operands.push(e);
                Operand::Symbolic(self.operands.len() - 1)
            }
        }
    }

    /// Returns the negative of an operand that is constant: others do not occur, as a rule.
    fn negative(&self, dag: &Dag, e: ExprId) -> Option<Operand> {
        dag.as_constant(e).map(|value| Operand::Constant((value as u64).wrapping_neg()))
    }
}

impl Link {
    /// Undoes the operation: `bits` bits of its value are known, `inside` of `x`.
    fn invert(self, value: u64, bits: u8, inside: u8, operands: &[u128]) -> Option<u64> {
        let known = |operand| match operand {
            Operand::Constant(value) => value,
            Operand::Symbolic(index) => operands[index] as u64,
        };
        let x = match self {
            Link::Xor(operand) => value ^ known(operand),
            Link::Add(operand) => value.wrapping_sub(known(operand)),
            Link::SubtractFrom(operand) => known(operand).wrapping_sub(value),
            Link::Multiply(inverse) => value.wrapping_mul(inverse),
            // Each round gets as many bits right as all before it.
            Link::XorRight(amount) => {
                (amount..bits).step_by(amount.into()).fold(value, |x, _| value ^ x >> amount)
            }
            Link::XorLeft(amount) => {
                (amount..bits).step_by(amount.into()).fold(value, |x, _| value ^ x << amount)
            }
            Link::Extend if value & !low(inside) != 0 => return None,
            Link::Extend | Link::Truncate => value,
        };
        Some(x & low(inside))
    }
}

/// Returns the link of a value combined with itself shifted, `x` and `shifted`.
fn with_itself(dag: &Dag, op: BinOp, x: ExprId, shifted: ExprId, bits: u8) -> Option<(Link, ExprId)> {
    let width = dag.width(x);
    let link = match dag.node(shifted) {
        // x << k is x[0+:n-k] :: zeros.
        Node::Concat(high, low) if dag.as_constant(low) == Some(0) && is_part(dag, high, x, 0) => {
            let amount = dag.width(low);
            match op {
                BinOp::Add => Link::Multiply(inverse_of_odd(1 + (1 << amount)) as u64),
                _ => Link::XorLeft(amount),
            }
        }
        // x >> k is zext(x[k+:n-k]), of which all bits must be known.
        Node::ZExt(part) if op == BinOp::Xor && bits == width => {
            let amount = width - dag.width(part);
            is_part(dag, part, x, amount).then_some(Link::XorRight(amount))?
        }
        _ => return None,
    };
    Some((link, x))
}

/// True if `part` is the bits of `x` from `low` on.
fn is_part(dag: &Dag, part: ExprId, x: ExprId, low: u8) -> bool {
    matches!(dag.node(part), Node::Extract(whole, from) if whole == x && from == low)
}

/// Returns a value with these low bits set.
pub(super) fn low(bits: u8) -> u64 {
    ones(bits) as u64
}

fn more_inputs(dag: &Dag, a: ExprId, b: ExprId) -> bool {
    dag.inputs(a).len() > dag.inputs(b).len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::byte;
    use cairn_expr::Evaluator;

    /// One of each kind of link, around two bytes: from the value of the whole follow those of all inner expressions.
    #[test]
    fn every_inner_value_follows_from_the_outer_one() {
        let (mut rng, mut links) = (fastrand::Rng::with_seed(5), 0);
        for round in 0..200 {
            let mut dag = Dag::new();
            let bytes = [0, 1, 2, 3].map(|offset| dag.input(byte(offset)));
            let word = dag.concat(bytes[0], bytes[1]);
            let mut e = dag.zext(word, 32);
            for _ in 0..12 {
                let [x, y] = [bytes[2], bytes[3]].map(|byte| dag.zext(byte, 32));
                let (constant, amount) =
                    (dag.constant(32, rng.u128(..) | 1), dag.constant(32, rng.u128(1..32)));
                let (left, right) = (dag.binary(BinOp::Shl, e, amount), dag.binary(BinOp::LShr, e, amount));
                let kinds: [(BinOp, ExprId, ExprId); 8] = [
                    (BinOp::Xor, e, x),
                    (BinOp::Add, y, e),
                    (BinOp::Sub, x, e),
                    (BinOp::Sub, e, constant),
                    (BinOp::Mul, e, constant),
                    (BinOp::Xor, e, right),
                    (BinOp::Xor, left, e),
                    (BinOp::Add, left, e),
                ];
                let (op, a, b) = kinds[rng.usize(..8)];
                e = dag.binary(op, a, b);
            }
            let input = [0; 4].map(|_: u8| rng.u8(..));
            let look = |b: cairn_expr::InputByte| input[b.offset as usize];
            let mut evaluator = Evaluator::new();
            let mut value = |dag: &Dag, e| {
                evaluator.begin();
                evaluator.value(dag, e, &look)
            };
            let result = value(&dag, e);
            let constant = dag.constant(32, result);
            let equality = dag.compare(CmpOp::Eq, e, constant);
            let Some(chain) = Chain::of(&dag, equality) else { continue };
            links += chain.inner.len();
            let operands: Vec<u128> = chain.operands.iter().map(|&e| value(&dag, e)).collect();
            for inner in &chain.inner {
                let expected = value(&dag, inner.expression) as u64 & low(inner.bits);
                assert_eq!(chain.invert(inner, &operands), Some(expected), "round {round}: {chain:?}");
            }
        }
        assert!(links > 1000, "{links} links");
    }
}
