//! Semantics of the operations: the single definition for constant folding and evaluation.
//!
//! Bit-vectors are SMT-LIB's, except that shift amounts are modulo the width, as on x86-64. Values are in the
//! low `width` bits of a `u128`, all other bits zero.

mod float;
mod library;
mod math;

pub(crate) use float::{class_starts, default_nan, infinity, is_nan, quiet_bit};
pub use float::{convert, float, float_compare};
pub use math::math;

use crate::node::{BinOp, BitCount, CmpOp};

/// Returns a value with the low `width` bits set.
pub const fn ones(width: u8) -> u128 {
    u128::MAX >> (128 - width as u32)
}

/// Returns the inverse of an odd number modulo two to the power of 128, and so modulo any lower one, by Newton's
/// method.
pub const fn inverse_of_odd(odd: u128) -> u128 {
    // Right in three bits; each step doubles their number.
    let (mut inverse, mut bits) = (odd, 3);
    while bits < 128 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse)));
        bits *= 2;
    }
    inverse
}

/// Returns the bits of the lowest signed number of this width.
pub const fn sign_bit(width: u8) -> u128 {
    1 << (width - 1)
}

/// Returns the value as a signed number.
pub const fn signed(width: u8, value: u128) -> i128 {
    let unused = 128 - width as u32;
    ((value << unused) as i128) >> unused
}

/// Sign-extends from one width to another.
pub const fn sign_extend(from: u8, to: u8, value: u128) -> u128 {
    signed(from, value) as u128 & ones(to)
}

/// Extracts `width` bits of `value` from bit `low` on.
pub const fn extract(low: u8, width: u8, value: u128) -> u128 {
    (value >> low) & ones(width)
}

/// Concatenates `high` above the `low_width` bits of `low`.
pub const fn concat(low_width: u8, high: u128, low: u128) -> u128 {
    high << low_width | low
}

/// Computes a binary operation.
pub fn binary(op: BinOp, width: u8, a: u128, b: u128) -> u128 {
    let shift = || (b % width as u128) as u32;
    let result = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::UDiv => a.checked_div(b).unwrap_or(u128::MAX),
        BinOp::URem => a.checked_rem(b).unwrap_or(a),
        BinOp::SDiv => signed_divide(signed(width, a), signed(width, b)) as u128,
        BinOp::SRem => signed_remainder(signed(width, a), signed(width, b)) as u128,
        BinOp::Shl => a << shift(),
        BinOp::LShr => a >> shift(),
        BinOp::AShr => (signed(width, a) >> shift()) as u128,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
    };
    result & ones(width)
}

fn signed_divide(a: i128, b: i128) -> i128 {
    match b {
        0 if a < 0 => 1,
        0 => -1,
        _ => a.wrapping_div(b),
    }
}

fn signed_remainder(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { a.wrapping_rem(b) }
}

/// Computes a comparison.
pub fn compare(op: CmpOp, width: u8, a: u128, b: u128) -> bool {
    let (sa, sb) = (signed(width, a), signed(width, b));
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Ult => a < b,
        CmpOp::Ule => a <= b,
        CmpOp::Ugt => a > b,
        CmpOp::Uge => a >= b,
        CmpOp::Slt => sa < sb,
        CmpOp::Sle => sa <= sb,
        CmpOp::Sgt => sa > sb,
        CmpOp::Sge => sa >= sb,
    }
}

/// Computes a bit count.
pub fn count(what: BitCount, width: u8, value: u128) -> u128 {
    let counted = match what {
        BitCount::Ones => value.count_ones(),
        BitCount::LeadingZeros => value.leading_zeros() - (128 - u32::from(width)),
        BitCount::TrailingZeros => value.trailing_zeros().min(width.into()),
    };
    counted.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_numbers_have_inverses() {
        let odd = [1, 3, 0x0100_0193, 0x9e37_79b9_7f4a_7c15, u128::MAX];
        assert!(odd.iter().all(|&odd| odd.wrapping_mul(inverse_of_odd(odd)) == 1));
    }

    #[test]
    fn division_by_zero_is_as_in_smtlib() {
        assert_eq!(binary(BinOp::UDiv, 8, 5, 0), 0xff);
        assert_eq!(binary(BinOp::URem, 8, 5, 0), 5);
        assert_eq!(binary(BinOp::SDiv, 8, 5, 0), 0xff);
        assert_eq!(binary(BinOp::SDiv, 8, 0xfb, 0), 1);
        assert_eq!(binary(BinOp::SRem, 8, 0xfb, 0), 0xfb);
    }

    #[test]
    fn the_one_signed_overflow_of_division_wraps() {
        for width in [1, 7, 8, 32, 33, 64, 127, 128] {
            let lowest = sign_bit(width);
            assert_eq!(binary(BinOp::SDiv, width, lowest, ones(width)), lowest, "width {width}");
            assert_eq!(binary(BinOp::SRem, width, lowest, ones(width)), 0, "width {width}");
        }
    }

    #[test]
    fn shift_amounts_count_modulo_the_width() {
        assert_eq!(binary(BinOp::Shl, 32, 1, 33), 2);
        assert_eq!(binary(BinOp::LShr, 7, 0x40, 8), 0x20);
        assert_eq!(binary(BinOp::AShr, 8, 0x80, 15), 0xff);
        assert_eq!(binary(BinOp::Shl, 128, 1, 128), 1);
        assert_eq!(binary(BinOp::Shl, 1, 1, 1), 1);
    }

    #[test]
    fn signed_remainder_takes_the_dividends_sign() {
        assert_eq!(signed(8, binary(BinOp::SRem, 8, 0xf9, 4)), -3);
        assert_eq!(signed(8, binary(BinOp::SRem, 8, 7, 0xfc)), 3);
        assert_eq!(signed(8, binary(BinOp::SDiv, 8, 0xf9, 2)), -3);
    }

    #[test]
    fn comparisons_see_the_sign_or_not() {
        assert!(compare(CmpOp::Ult, 8, 1, 0xff) && !compare(CmpOp::Slt, 8, 1, 0xff));
        assert!(compare(CmpOp::Sge, 128, 0, u128::MAX) && !compare(CmpOp::Uge, 128, 0, u128::MAX));
    }
}
