//! Inverses of floating-point operations, up to rounding.

use super::super::condition::float;
use cairn_expr::semantics::{ones, signed};
use cairn_expr::{Conversion, FloatCmp, FloatOp, Math, Node};
use std::f64::consts::{PI, TAU};

/// Returns the bits of a number as a float of this width.
fn bits(width: u8, number: f64) -> u128 {
    if width == 32 { (number as f32).to_bits().into() } else { number.to_bits().into() }
}

/// Returns the next larger float of this width.
fn up(width: u8, x: f64) -> u128 {
    if width == 32 { (x as f32).next_up().to_bits().into() } else { x.next_up().to_bits().into() }
}

/// Returns the next smaller float of this width.
fn down(width: u8, x: f64) -> u128 {
    if width == 32 { (x as f32).next_down().to_bits().into() } else { x.next_down().to_bits().into() }
}

/// Returns values of the left (true) or right side of a comparison for which it has the wanted result.
pub(super) fn sides(op: FloatCmp, wanted: bool, width: u8, a: u128, b: u128) -> Vec<(bool, u128)> {
    let (x, y) = (float(width, a), float(width, b));
    let beyond = |x: f64, sign: f64| bits(width, x + sign * (1.0 + x.abs()));
    match (op, wanted) {
        (FloatCmp::Eq, true) => vec![(true, b), (false, a)],
        (FloatCmp::Eq, false) => vec![(true, up(width, y)), (false, up(width, x))],
        (_, true) => vec![
            (true, down(width, y)),
            (false, up(width, x)),
            (true, beyond(y, -1.0)),
            (false, beyond(x, 1.0)),
        ],
        (_, false) => vec![
            (true, up(width, y)),
            (false, down(width, x)),
            (true, beyond(y, 1.0)),
            (false, beyond(x, -1.0)),
        ],
    }
}

/// Pushes operands with values for which the result is the wanted one, up to rounding.
pub(super) fn inverses(
    node: Node,
    width: u8,
    widths: &[u8],
    values: &[u128],
    wanted: u128,
    targets: &mut Vec<(usize, u128)>,
) {
    if let Node::Convert(how, _) = node {
        return targets.push((0, converted(how, width, widths[0], wanted)));
    }
    let numbers: Vec<f64> = values.iter().map(|&value| float(width, value)).collect();
    let wanted = float(width, wanted);
    let mut found = Vec::new();
    match node {
        Node::Float(op, ..) => operation(op, [numbers[0], numbers[1]], wanted, &mut found),
        Node::Math(function) => math(function, &numbers, wanted, &mut found),
        _ => {}
    }
    found.retain(|(_, x)| !x.is_nan());
    targets.extend(found.into_iter().map(|(operand, x)| (operand, bits(width, x))));
}

fn converted(how: Conversion, width: u8, from: u8, wanted: u128) -> u128 {
    match how {
        Conversion::FloatToSigned => bits(from, signed(width, wanted) as f64),
        Conversion::FloatToUnsigned => bits(from, wanted as f64),
        Conversion::SignedToFloat | Conversion::UnsignedToFloat => {
            float(width, wanted).round() as i128 as u128 & ones(from)
        }
        Conversion::FloatToFloat => bits(from, float(width, wanted)),
    }
}

fn operation(op: FloatOp, [a, b]: [f64; 2], t: f64, found: &mut Vec<(usize, f64)>) {
    match op {
        // A sum of two values that are never negative is zero only if both are.
        FloatOp::Add => found.extend([(0, t - b), (1, t - a), (0, if t == 0.0 { 0.0 } else { f64::NAN })]),
        FloatOp::Sub => found.extend([(0, t + b), (1, a - t)]),
        FloatOp::Mul if t == 0.0 => found.extend([(0, 0.0), (1, 0.0)]),
        FloatOp::Mul => found.extend([(0, t / b), (1, t / a)]),
        FloatOp::Div => found.extend([(0, t * b), (1, a / t)]),
        FloatOp::Rem => found.extend([(0, a - a % b + t), (0, t)]),
    }
}

fn math(function: Math, x: &[f64], t: f64, found: &mut Vec<(usize, f64)>) {
    let a = x[0];
    let mut first = |values: &[f64]| found.extend(values.iter().map(|&value| (0, value)));
    match function {
        Math::Sin => first(&periodic(a, &[t.asin(), PI - t.asin()])),
        Math::Cos => first(&periodic(a, &[t.acos(), -t.acos()])),
        Math::Tan => first(&periodic(a, &[t.atan(), t.atan() + PI])),
        Math::Asin => first(&[t.sin()]),
        Math::Acos => first(&[t.cos()]),
        Math::Atan => first(&[t.tan()]),
        Math::Sinh => first(&[t.asinh()]),
        Math::Cosh => first(&[t.acosh(), -t.acosh()]),
        Math::Tanh => first(&[t.atanh()]),
        Math::Exp => first(&[t.ln()]),
        Math::Exp2 => first(&[t.log2()]),
        Math::Expm1 => first(&[t.ln_1p()]),
        Math::Log => first(&[t.exp()]),
        Math::Log2 => first(&[t.exp2()]),
        Math::Log10 => first(&[10f64.powf(t)]),
        Math::Log1p => first(&[t.exp_m1()]),
        Math::Sqrt => first(&[t * t]),
        Math::Cbrt => first(&[t * t * t]),
        Math::Floor | Math::Ceil | Math::Trunc | Math::Round | Math::RoundEven => first(&[t]),
        Math::Pow => power(a, x[1], t, found),
        Math::Atan2 => found.extend([(0, x[1] * t.tan()), (1, a / t.tan())]),
        Math::Hypot => found.extend([(0, (t * t - x[1] * x[1]).sqrt()), (1, (t * t - a * a).sqrt())]),
        Math::Fma => found.extend([(0, (t - x[2]) / x[1]), (1, (t - x[2]) / a), (2, t - a * x[1])]),
    }
}

/// Inverts a power: both roots of an even one; zero and one are powers of themselves.
fn power(a: f64, b: f64, t: f64, found: &mut Vec<(usize, f64)>) {
    let root = t.abs().powf(1.0 / b);
    let root = if b == 2.0 { t.abs().sqrt() } else { root };
    found.extend([(0, root.copysign(a)), (0, -root.copysign(a)), (1, t.ln() / a.ln())]);
    if t == 1.0 {
        found.extend([(1, 0.0), (0, 1.0)]);
    }
}

/// Returns the values moved by whole periods next to the operand, and also as they are if the operand is far
/// from 0.
fn periodic(near: f64, values: &[f64]) -> Vec<f64> {
    let moved = |&value: &f64| value + ((near - value) / TAU).round() * TAU;
    let turned: Vec<f64> = values.iter().map(moved).collect();
    if near.abs() < PI { turned } else { [&turned[..], values].concat() }
}
