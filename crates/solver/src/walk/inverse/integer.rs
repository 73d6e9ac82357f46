//! Inverses of integer operations.

use cairn_expr::semantics::{ones, signed};
use cairn_expr::{BinOp, BitCount, CmpOp, Node};

/// Returns values of the left (true) or right side of a comparison for which it has the wanted result.
pub(super) fn comparison(op: CmpOp, width: u8, [a, b]: [u128; 2], wanted: bool) -> Vec<(bool, u128)> {
    let plus = |value: u128, step: u128| value.wrapping_add(step) & ones(width);
    let minus = |value: u128, step: u128| value.wrapping_sub(step) & ones(width);
    match (op, wanted) {
        (CmpOp::Eq, true) => vec![(true, b), (false, a)],
        (CmpOp::Eq, false) => vec![(true, plus(b, 1)), (false, plus(a, 1))],
        (CmpOp::Ult | CmpOp::Slt, true) => vec![(true, minus(b, 1)), (false, plus(a, 1))],
        (CmpOp::Ule | CmpOp::Sle, false) => vec![(true, plus(b, 1)), (false, minus(a, 1))],
        _ => vec![(true, b), (false, a)],
    }
}

/// Pushes operands with values for which the result is the wanted one.
pub(super) fn inverses(
    node: Node,
    width: u8,
    widths: &[u8],
    values: &[u128],
    wanted: u128,
    targets: &mut Vec<(usize, u128)>,
) {
    match node {
        Node::Binary(op, ..) => binary(op, width, [values[0], values[1]], wanted, targets),
        Node::ZExt(_) if wanted <= ones(widths[0]) => targets.push((0, wanted)),
        Node::SExt(_) => {
            let narrow = wanted & ones(widths[0]);
            if signed(widths[0], narrow) == signed(width, wanted) {
                targets.push((0, narrow));
            }
        }
        Node::Extract(_, low) => {
            let hole = ones(width) << low;
            targets.push((0, values[0] & !hole | wanted << low));
        }
        Node::BitCount(what, _) => targets.extend(counted(what, width, wanted).map(|bits| (0, bits))),
        _ => {}
    }
}

fn counted(what: BitCount, width: u8, wanted: u128) -> Option<u128> {
    let width = u128::from(width);
    match what {
        _ if wanted > width => None,
        BitCount::Ones if wanted == 0 => Some(0),
        BitCount::Ones => Some(ones(wanted as u8)),
        _ if wanted == width => Some(0),
        BitCount::LeadingZeros => Some(1 << (width - 1 - wanted)),
        BitCount::TrailingZeros => Some(1 << wanted),
    }
}

fn binary(op: BinOp, width: u8, [a, b]: [u128; 2], t: u128, targets: &mut Vec<(usize, u128)>) {
    let fit = |value: u128| value & ones(width);
    let shift = (b % u128::from(width)) as u32;
    match op {
        BinOp::Add => targets.extend([(0, fit(t.wrapping_sub(b))), (1, fit(t.wrapping_sub(a)))]),
        BinOp::Sub => targets.extend([(0, fit(t.wrapping_add(b))), (1, fit(a.wrapping_sub(t)))]),
        BinOp::Xor => targets.extend([(0, t ^ b), (1, t ^ a)]),
        BinOp::And => {
            targets.extend((t & !b == 0).then_some((0, a & !b | t)));
            targets.extend((t & !a == 0).then_some((1, b & !a | t)));
        }
        BinOp::Or => {
            targets.extend((b & !t == 0).then_some((0, a & b | t & !b)));
            targets.extend((a & !t == 0).then_some((1, b & a | t & !a)));
        }
        BinOp::Mul => {
            targets.extend(factor(width, b, t).map(|x| (0, x)));
            targets.extend(factor(width, a, t).map(|x| (1, x)));
        }
        BinOp::Shl => {
            let kept = a & !(ones(width) >> shift);
            targets.extend((t & !(ones(width) << shift) == 0).then_some((0, kept | t >> shift)));
        }
        BinOp::LShr if t <= ones(width) >> shift => targets.push((0, t << shift | a & !(u128::MAX << shift))),
        BinOp::AShr => targets.push((0, fit(t << shift) | a & !(u128::MAX << shift))),
        BinOp::UDiv => {
            targets.extend(t.checked_mul(b).filter(|&x| x <= ones(width)).map(|x| (0, x)));
            targets.extend(a.checked_div(t).map(|x| (1, x)));
        }
        BinOp::URem if b > t => targets.push((0, fit((a - a % b).wrapping_add(t)))),
        BinOp::SDiv => {
            let (sa, sb, st) = (signed(width, a), signed(width, b), signed(width, t));
            targets.extend(st.checked_mul(sb).map(|x| (0, fit(x as u128))));
            targets.extend(sa.checked_div(st).map(|x| (1, fit(x as u128))));
        }
        BinOp::SRem => {
            let (sa, sb, st) = (signed(width, a), signed(width, b), signed(width, t));
            if let Some(rest) = sa.checked_rem(sb).filter(|_| st.unsigned_abs() < sb.unsigned_abs()) {
                targets.extend([(0, fit(sa.wrapping_sub(rest).wrapping_add(st) as u128)), (0, t)]);
            }
        }
        _ => {}
    }
}

/// Returns a factor whose product with `known` is `product` modulo the width's power of two, or nearly if
/// there is none.
fn factor(width: u8, known: u128, product: u128) -> Option<u128> {
    if known == 0 {
        return None;
    }
    let zeros = known.trailing_zeros();
    if product.trailing_zeros() >= zeros {
        return Some((product >> zeros).wrapping_mul(inverse(known >> zeros)) & ones(width) >> zeros);
    }
    let near = signed(width, product).checked_div(signed(width, known))?;
    Some(near as u128 & ones(width))
}

/// Returns the inverse of an odd number modulo 2^128 by Newton's iteration: each step doubles the correct
/// bits.
fn inverse(odd: u128) -> u128 {
    (0..7).fold(odd, |x, _| x.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(x))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes an operation independently of its inverse.
    fn forward(op: BinOp, width: u8, a: u128, b: u128) -> u128 {
        let mut dag = cairn_expr::Dag::new();
        let [a, b] = [a, b].map(|value| dag.constant(width, value));
        let result = dag.binary(op, a, b);
        dag.as_constant(result).expect("constants are folded")
    }

    #[test]
    fn the_inverse_gives_the_wanted_value() {
        let mut random = fastrand::Rng::with_seed(3);
        let exact =
            [BinOp::Add, BinOp::Sub, BinOp::Xor, BinOp::And, BinOp::Or, BinOp::Mul, BinOp::Shl, BinOp::LShr];
        for _ in 0..20_000 {
            let width = [8, 16, 32, 64, 128][random.usize(..5)];
            let op = exact[random.usize(..exact.len())];
            let shift = random.u8(..width);
            let mut number = || u128::from_le_bytes([(); 16].map(|()| random.u8(..))) & ones(width);
            let (a, b, other) = (number(), number() >> shift, number());
            let wanted = forward(op, width, other, b);
            if forward(op, width, a, b) == wanted {
                continue;
            }
            let mut targets = Vec::new();
            binary(op, width, [a, b], wanted, &mut targets);
            let left = targets.iter().find(|(operand, _)| *operand == 0).expect("there is an inverse");
            assert_eq!(forward(op, width, left.1, b), wanted, "{op:?} {width} {a:#x} {b:#x}");
        }
    }
}
