//! Domains of single bytes from a constraint on many, by interval arithmetic.
//!
//! A comparison with a constant bounds a value; the bounds of a concatenation are bounds of its high part,
//! and of its low part where they leave the high part one value. So a length below 33, or a word with one
//! value, leaves few values to try. The domains are an over-approximation: a value that remains may be wrong,
//! a removed one never holds.

use super::byteset::ByteSet;
use cairn_expr::semantics::ones;
use cairn_expr::{BinOp, CmpOp, Dag, ExprId, InputByte, Node};

/// Depth to which constraints are followed; a chosen bound.
const DEPTH: u32 = 40;
/// Connectives that are followed: there may be exponentially many paths to a shared operand.
const MAX_CONNECTIVES: usize = 4_000;
/// Depth of the upper bound of an expression, whose cost is exponential in it: all operands are followed.
const BOUND_DEPTH: u32 = 6;

/// Returns domains outside of which the constraint cannot hold.
pub(super) fn domains(dag: &Dag, constraint: ExprId) -> Box<[(InputByte, ByteSet)]> {
    let mut narrowing =
        Narrowing { dag, domains: Vec::new(), is_unsat: false, connectives_left: MAX_CONNECTIVES };
    narrowing.condition(constraint, true, DEPTH);
    if narrowing.is_unsat {
        let bytes = dag.inputs(constraint).iter();
        return bytes.map(|&byte| (byte, ByteSet::EMPTY)).collect();
    }
    narrowing.domains.into()
}

/// The state of narrowing for one constraint.
struct Narrowing<'a> {
    dag: &'a Dag,
    domains: Vec<(InputByte, ByteSet)>,
    is_unsat: bool,
    /// Connectives that may still be followed.
    connectives_left: usize,
}

impl Narrowing<'_> {
    /// Narrows the domains given that a condition is true, or false.
    fn condition(&mut self, e: ExprId, is_true: bool, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let Some(left) = self.connectives_left.checked_sub(1) else { return };
        self.connectives_left = left;
        match self.dag.node(e) {
            Node::Binary(BinOp::Xor, a, b) if self.dag.as_constant(b) == Some(1) => {
                self.condition(a, !is_true, depth);
            }
            Node::Binary(op, a, b) if op == if is_true { BinOp::And } else { BinOp::Or } => {
                self.condition(a, is_true, depth);
                self.condition(b, is_true, depth);
            }
            Node::Compare(op, a, b) => self.compare(op, (a, b), is_true, depth),
            _ => {}
        }
    }

    fn compare(&mut self, op: CmpOp, (a, b): (ExprId, ExprId), is_true: bool, depth: u32) {
        let (value, constant, is_left) = match (self.dag.as_constant(a), self.dag.as_constant(b)) {
            (None, Some(constant)) => (a, constant, true),
            (Some(constant), None) => (b, constant, false),
            _ => return,
        };
        let width = self.dag.width(value);
        if let Some((low, high)) = bounds(op, width, constant, is_left, is_true) {
            self.bound(value, low, high, depth);
        }
    }

    /// Narrows the domains given that an expression is in `low..=high`.
    fn bound(&mut self, e: ExprId, low: u128, high: u128, depth: u32) {
        if low > high || low > upper_bound(self.dag, e, BOUND_DEPTH) {
            self.is_unsat = true;
            return;
        }
        let Some(depth) = depth.checked_sub(1) else { return };
        match self.dag.node(e) {
            Node::Const(value) => self.is_unsat |= value < low || value > high,
            Node::Input(byte) => self.domains.push((byte, ByteSet::range(low as u8, high.min(255) as u8))),
            Node::ZExt(a) => self.bound(a, low, high.min(ones(self.dag.width(a))), depth),
            Node::SExt(a) if high <= ones(self.dag.width(a) - 1) => self.bound(a, low, high, depth),
            Node::Extract(a, 0) if upper_bound(self.dag, a, BOUND_DEPTH) <= ones(self.dag.width(e)) => {
                self.bound(a, low, high, depth);
            }
            Node::Concat(a, b) => self.concatenation((a, b), low, high, depth),
            Node::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) => self.sum(op, (a, b), low, high, depth),
            _ => {}
        }
    }

    fn concatenation(&mut self, (a, b): (ExprId, ExprId), low: u128, high: u128, depth: u32) {
        let width = self.dag.width(b);
        let (mut first_low, first_high) = (low >> width, high >> width);
        if low & ones(width) > upper_bound(self.dag, b, BOUND_DEPTH) {
            first_low += 1;
        }
        self.bound(a, first_low, first_high, depth);
        if first_low == first_high {
            self.bound(b, low & ones(width), high & ones(width), depth);
        }
    }

    /// Passes the bounds of an expression plus or minus a constant, or a constant minus an expression, on to
    /// the expression, unless they wrap around.
    fn sum(&mut self, op: BinOp, (a, b): (ExprId, ExprId), low: u128, high: u128, depth: u32) {
        let ones = ones(self.dag.width(a));
        let (value, first, last) = match (op, self.dag.as_constant(a), self.dag.as_constant(b)) {
            (BinOp::Add, None, Some(c)) => (a, low.wrapping_sub(c), high.wrapping_sub(c)),
            (BinOp::Add, Some(c), None) => (b, low.wrapping_sub(c), high.wrapping_sub(c)),
            (BinOp::Sub, None, Some(c)) => (a, low.wrapping_add(c), high.wrapping_add(c)),
            (BinOp::Sub, Some(c), None) => (b, c.wrapping_sub(high), c.wrapping_sub(low)),
            _ => return,
        };
        let (first, last) = (first & ones, last & ones);
        if first <= last {
            self.bound(value, first, last, depth);
        }
    }
}

/// Returns an upper bound of an expression's unsigned value.
fn upper_bound(dag: &Dag, e: ExprId, depth: u32) -> u128 {
    let all = ones(dag.width(e));
    let Some(depth) = depth.checked_sub(1) else { return all };
    let max = |e| upper_bound(dag, e, depth);
    match dag.node(e) {
        Node::Const(value) => value,
        Node::ZExt(a) => max(a),
        Node::Concat(a, b) => max(a) << dag.width(b) | max(b),
        Node::Extract(a, from) => all.min(max(a) >> from),
        Node::Ite(_, a, b) => max(a).max(max(b)),
        Node::Binary(BinOp::And, a, b) => max(a).min(max(b)),
        Node::Binary(BinOp::Add, a, b) => max(a).checked_add(max(b)).filter(|sum| *sum <= all).unwrap_or(all),
        Node::Binary(BinOp::URem, a, b) => match dag.as_constant(b) {
            Some(divisor) if divisor > 0 => max(a).min(divisor - 1),
            _ => all,
        },
        Node::Binary(BinOp::UDiv, a, b) => match dag.as_constant(b) {
            Some(divisor) if divisor > 0 => max(a) / divisor,
            _ => all,
        },
        _ => all,
    }
}

/// Returns the interval in which a comparison with a constant is true (or false), `(1, 0)` if it is empty;
/// `None` if the values are not an interval.
fn bounds(op: CmpOp, width: u8, constant: u128, is_left: bool, is_true: bool) -> Option<(u128, u128)> {
    const EMPTY: Option<(u128, u128)> = Some((1, 0));
    if op == CmpOp::Eq {
        return is_true.then_some((constant, constant));
    }
    // Numbers are counted from the lowest one: signed ones are then in order as well.
    let is_signed = matches!(op, CmpOp::Slt | CmpOp::Sle);
    let lowest = if is_signed { ones(width) / 2 + 1 } else { 0 };
    let number = constant.wrapping_sub(lowest) & ones(width);
    // What is not below is above or equal.
    let is_strict = matches!(op, CmpOp::Ult | CmpOp::Slt) == is_true;
    let range = match (is_left == is_true, is_strict) {
        (true, true) => number.checked_sub(1).map(|last| (0, last)),
        (true, false) => Some((0, number)),
        (false, true) => number.checked_add(1).map(|first| (first, ones(width))),
        (false, false) => Some((number, ones(width))),
    };
    let Some((first, last)) = range.filter(|(first, last)| first <= last) else { return EMPTY };
    let [first, last] = [first, last].map(|number| number.wrapping_add(lowest) & ones(width));
    // In the order of unsigned numbers there may be a gap.
    (first <= last).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::byte;
    use cairn_expr::Evaluator;

    /// Domains of two bytes outside of which a condition cannot hold.
    fn left(dag: &Dag, condition: ExprId) -> [ByteSet; 2] {
        let mut left = [ByteSet::FULL; 2];
        for &(byte, set) in &domains(dag, condition) {
            let domain = &mut left[byte.offset as usize];
            *domain = domain.and(&set);
        }
        left
    }

    #[test]
    fn no_value_is_lost_whatever_the_comparison() {
        let mut dag = Dag::new();
        let (low, high) = (dag.input(byte(0)), dag.input(byte(1)));
        let word = dag.concat(high, low);
        let (seven, wide, signed) = (dag.constant(16, 0x107), dag.zext(word, 32), dag.sext(word, 32));
        let (sum, difference) = (dag.binary(BinOp::Add, word, seven), dag.binary(BinOp::Sub, seven, word));
        let remainder = dag.binary(BinOp::URem, word, seven);
        let (low_part, high_part) = (dag.extract(remainder, 0, 12), dag.extract(wide, 8, 16));
        let shifted = dag.concat(low_part, low);
        let masked = dag.binary(BinOp::And, high_part, seven);
        let sums = dag.binary(BinOp::Add, masked, remainder);
        let mut narrowed = 0;
        for value in [word, wide, signed, sum, difference, remainder, shifted, masked, sums] {
            for constant in [0, 1, 0x21, 0x7fff, 0x8000, 0xff00, 0xffff, 0x1_0000, 0xffff_8000, 0xffff_ffff] {
                for (op, swap) in CmpOp::ALL.into_iter().flat_map(|op| [(op, false), (op, true)]) {
                    let constant = dag.constant(dag.width(value), constant);
                    let (a, b) = if swap { (constant, value) } else { (value, constant) };
                    let condition = dag.compare(op, a, b);
                    let left = left(&dag, condition);
                    narrowed += usize::from(left != [ByteSet::FULL; 2]);
                    let mut evaluator = Evaluator::new();
                    for input in (0..=u16::MAX).step_by(251).chain([0x20, 0x21, 0x7fff, 0x8000, 0xffff]) {
                        let bytes = input.to_le_bytes();
                        let holds =
                            evaluator.eval(&dag, condition, &|b: InputByte| bytes[b.offset as usize]) == 1;
                        let is_left = left[0].contains(bytes[0]) && left[1].contains(bytes[1]);
                        assert!(is_left || !holds, "{op:?} {:?} {input:#x}", dag.node(value));
                    }
                }
            }
        }
        assert!(narrowed > 300, "{narrowed}");
    }

    #[test]
    fn a_remainder_is_below_its_divisor_whatever_is_divided() {
        let mut dag = Dag::new();
        let (low, high) = (dag.input(byte(0)), dag.input(byte(1)));
        let word = dag.concat(high, low);
        let (eleven, zeros) = (dag.constant(16, 11), dag.constant(4, 0));
        let remainder = dag.binary(BinOp::URem, word, eleven);
        let low_part = dag.extract(remainder, 0, 12);
        let index = dag.concat(low_part, zeros);
        for (bound, is_possible) in [(159, true), (160, false)] {
            let bound = dag.constant(16, bound);
            let behind = dag.compare(CmpOp::Ult, bound, index);
            assert_eq!(left(&dag, behind) != [ByteSet::EMPTY; 2], is_possible);
        }
    }

    #[test]
    fn a_bounded_length_has_one_byte_left() {
        let mut dag = Dag::new();
        let (low, high) = (dag.input(byte(0)), dag.input(byte(1)));
        let length = dag.concat(high, low);
        let (limit, five) = (dag.constant(16, 33), dag.constant(16, 5));
        let (below, is_five) = (dag.compare(CmpOp::Ult, length, limit), dag.compare(CmpOp::Eq, length, five));
        let other = dag.not(is_five);
        let both = dag.and(below, other);
        let only = |value| ByteSet::range(value, value);
        assert_eq!(left(&dag, both), [ByteSet::range(0, 32), only(0)]);
        assert_eq!(left(&dag, is_five), [only(5), only(0)]);
        assert_eq!(left(&dag, other), [ByteSet::FULL; 2]);
    }
}
