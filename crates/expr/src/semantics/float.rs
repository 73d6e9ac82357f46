//! Floating point, as clang's code for x86-64 computes it; a float is the bit pattern of its 32 or 64 bits.

use super::{ones, sign_bit, signed};
use crate::node::{Conversion, FloatCmp, FloatOp};

const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;
const TWO_TO_64: f64 = 2.0 * TWO_TO_63;

/// Bits of the fraction.
const fn fraction_bits(width: u8) -> u8 {
    if width == 32 { 23 } else { 52 }
}

/// Returns the bit that distinguishes quiet from signalling NaN.
pub(crate) const fn quiet_bit(width: u8) -> u128 {
    1 << (fraction_bits(width) - 1)
}

/// Plus infinity.
pub(crate) const fn infinity(width: u8) -> u128 {
    ones(width - 1) & !ones(fraction_bits(width))
}

/// Returns the default NaN of an invalid operation: as in SSE, the sign is set.
pub(crate) const fn default_nan(width: u8) -> u128 {
    sign_bit(width) | infinity(width) | quiet_bit(width)
}

/// True if this is NaN.
pub(crate) const fn is_nan(width: u8, bits: u128) -> bool {
    bits & ones(width - 1) > infinity(width)
}

fn narrow(bits: u128) -> f32 {
    f32::from_bits(bits as u32)
}

fn wide(bits: u128) -> f64 {
    f64::from_bits(bits as u64)
}

/// Returns the number as a double, which represents every float exactly.
fn number(width: u8, bits: u128) -> f64 {
    if width == 32 { narrow(bits).into() } else { wide(bits) }
}

/// Computes an operation.
pub fn float(op: FloatOp, width: u8, a: u128, b: u128) -> u128 {
    let result = match width {
        32 => narrow_result(op, narrow(a), narrow(b)).to_bits().into(),
        _ => wide_result(op, wide(a), wide(b)).to_bits().into(),
    };
    if is_nan(width, result) { resulting_nan(width, &[a, b]) } else { result }
}

/// Returns the NaN of an operation: that of the first operand that is NaN, quieted, or the default.
pub(crate) fn resulting_nan(width: u8, operands: &[u128]) -> u128 {
    let passed_on = operands.iter().find(|&&operand| is_nan(width, operand));
    passed_on.map_or(default_nan(width), |nan| nan | quiet_bit(width))
}

fn narrow_result(op: FloatOp, a: f32, b: f32) -> f32 {
    match op {
        FloatOp::Add => a + b,
        FloatOp::Sub => a - b,
        FloatOp::Mul => a * b,
        FloatOp::Div => a / b,
        FloatOp::Rem => a % b,
    }
}

fn wide_result(op: FloatOp, a: f64, b: f64) -> f64 {
    match op {
        FloatOp::Add => a + b,
        FloatOp::Sub => a - b,
        FloatOp::Mul => a * b,
        FloatOp::Div => a / b,
        FloatOp::Rem => a % b,
    }
}

/// Computes a comparison.
pub fn float_compare(op: FloatCmp, width: u8, a: u128, b: u128) -> bool {
    let (a, b) = (number(width, a), number(width, b));
    match op {
        FloatCmp::Eq => a == b,
        FloatCmp::Lt => a < b,
        FloatCmp::Le => a <= b,
    }
}

/// Computes a conversion between these widths.
pub fn convert(how: Conversion, from: u8, to: u8, value: u128) -> u128 {
    match how {
        Conversion::FloatToSigned => to_signed(to, number(from, value)) & ones(to),
        Conversion::FloatToUnsigned => to_unsigned(to, number(from, value)) & ones(to),
        Conversion::SignedToFloat if to == 32 => (signed(from, value) as f32).to_bits().into(),
        Conversion::SignedToFloat => (signed(from, value) as f64).to_bits().into(),
        Conversion::UnsignedToFloat if to == 32 => (value as f32).to_bits().into(),
        Conversion::UnsignedToFloat => (value as f64).to_bits().into(),
        Conversion::FloatToFloat if from == to => value,
        Conversion::FloatToFloat if is_nan(from, value) => resized_nan(from, to, value),
        Conversion::FloatToFloat if to == 32 => (wide(value) as f32).to_bits().into(),
        Conversion::FloatToFloat => f64::from(narrow(value)).to_bits().into(),
    }
}

/// Sign and highest bits of the fraction stay.
fn resized_nan(from: u8, to: u8, value: u128) -> u128 {
    let sign = if value & sign_bit(from) != 0 { sign_bit(to) } else { 0 };
    let fraction = (value & ones(fraction_bits(from))) << (52 - fraction_bits(from));
    let fraction = fraction >> (52 - fraction_bits(to));
    sign | infinity(to) | quiet_bit(to) | fraction
}

/// `cvttsd2si` with a register of 32 bits: what does not fit is the lowest number.
fn truncate_to_32(x: f64) -> u128 {
    let fits = x.abs() < 2_147_483_648.0;
    (if fits { x as i32 } else { i32::MIN }) as u128
}

/// `cvttsd2si` with a register of 64 bits.
fn truncate_to_64(x: f64) -> u128 {
    let fits = x.abs() < TWO_TO_63;
    (if fits { x as i64 } else { i64::MIN }) as u128
}

/// Narrow integers are the low bits of the next register that holds them.
fn to_signed(width: u8, x: f64) -> u128 {
    match width {
        ..=32 => truncate_to_32(x),
        33..=64 => truncate_to_64(x),
        _ if x < 0.0 => truncate_to_128(-x).wrapping_neg(),
        _ => truncate_to_128(x),
    }
}

/// There is no instruction for unsigned integers: a larger signed one is used where there is one.
fn to_unsigned(width: u8, x: f64) -> u128 {
    match width {
        ..=16 => truncate_to_32(x),
        17..=32 => truncate_to_64(x),
        33..=64 => {
            let (low, high) = (truncate_to_64(x), truncate_to_64(x - TWO_TO_63));
            low | high & ((low as i128) >> 64) as u128
        }
        _ => truncate_to_128(x),
    }
}

/// `__fixunsdfti` of libgcc.
fn truncate_to_128(x: f64) -> u128 {
    let half =
        |x: f64| if x >= TWO_TO_63 { truncate_to_64(x - TWO_TO_63) ^ 1 << 63 } else { truncate_to_64(x) };
    let high = half(x / TWO_TO_64) as u64;
    let low = half(x - high as f64 * TWO_TO_64) as u64;
    u128::from(high) << 64 | u128::from(low)
}

/// Returns the smallest magnitudes that are: zero, subnormal, normal, infinite, signalling, quiet.
pub(crate) const fn class_starts(width: u8) -> [u128; 6] {
    let infinity = infinity(width);
    [0, 1, 1 << fraction_bits(width), infinity, infinity + 1, infinity | quiet_bit(width)]
}
