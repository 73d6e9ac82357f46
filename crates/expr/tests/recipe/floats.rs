//! Floating point steps. The direct computation goes by the numbers; bit patterns matter only for what is
//! none.

use super::{Floats, Recipe, Step, ones};
use cairn_expr::{Conversion, FloatOp, InputByte, Math};
use fastrand::Rng;

/// Functions a solver knows.
const KNOWN: [Math; 7] =
    [Math::Sqrt, Math::Floor, Math::Ceil, Math::Trunc, Math::Round, Math::RoundEven, Math::Fma];

impl Recipe {
    pub(super) fn float_step(&mut self, rng: &mut Rng, input: &[InputByte]) {
        let width = if rng.bool() { 32 } else { 64 };
        let operands = [0; 3].map(|_| self.float_operand(rng, input, width));
        let [a, b, _] = operands;
        let library = self.taste.floats == Floats::All;
        match rng.u8(..10) {
            0..=3 => {
                let op = FloatOp::ALL[rng.usize(..if library { 5 } else { 4 })];
                self.add(Step::Float(op, a, b), width)
            }
            4 | 5 => self.add(Step::Relation(rng.u8(..16), a, b), 1),
            6 => self.add(Step::Class(rng.u16(..1024), a), 1),
            7 => {
                let to = [1, 7, 8, 16, 24, 32, 40, 64, 128][rng.usize(..if library { 9 } else { 8 })];
                let how = [Conversion::FloatToSigned, Conversion::FloatToUnsigned][rng.usize(..2)];
                self.add(Step::Convert(how, a), to)
            }
            8 => self.add(Step::Convert(Conversion::FloatToFloat, a), 96 - width),
            _ => {
                let function =
                    if library { Math::ALL[rng.usize(..Math::ALL.len())] } else { KNOWN[rng.usize(..7)] };
                self.add(Step::Math(function, operands), width)
            }
        };
    }

    /// Any bits, or something that is likely a number.
    fn float_operand(&mut self, rng: &mut Rng, input: &[InputByte], width: u8) -> usize {
        match rng.u8(..4) {
            0 => self.operand(rng, input, width),
            1 => {
                let value = [0.0, -0.0, 1.0, -1.5, 0.1, 255.0, 1e10, f64::INFINITY, f64::NAN][rng.usize(..9)];
                let bits = if width == 32 { (value as f32).to_bits().into() } else { value.to_bits() };
                self.add(Step::Const(bits.into()), width)
            }
            _ => {
                let own = [8, 16, 33, 64, 128][rng.usize(..5)];
                let integer = self.operand(rng, input, own);
                let how = [Conversion::SignedToFloat, Conversion::UnsignedToFloat][rng.usize(..2)];
                self.add(Step::Convert(how, integer), width)
            }
        }
    }
}

fn number(width: u8, bits: u128) -> f64 {
    if width == 32 { f32::from_bits(bits as u32).into() } else { f64::from_bits(bits as u64) }
}

/// Arithmetic on floats of 32 bits may be done in 64, and be rounded again: those have enough bits for that.
fn rounded(width: u8, value: f64, operands: &[u128]) -> u128 {
    if value.is_nan() {
        return no_number(width, operands);
    }
    if width == 32 { (value as f32).to_bits().into() } else { value.to_bits().into() }
}

fn no_number(width: u8, operands: &[u128]) -> u128 {
    let (quiet, default) = match width {
        32 => (0x40_0000, 0xffc0_0000),
        _ => (0x8_0000_0000_0000, 0xfff8_0000_0000_0000),
    };
    let passed_on = operands.iter().find(|&&operand| number(width, operand).is_nan());
    passed_on.map_or(default, |operand| operand | quiet)
}

pub fn operation(op: FloatOp, width: u8, a: u128, b: u128) -> u128 {
    let (x, y) = (number(width, a), number(width, b));
    let value = match op {
        FloatOp::Add => x + y,
        FloatOp::Sub => x - y,
        FloatOp::Mul => x * y,
        FloatOp::Div => x / y,
        FloatOp::Rem => x % y,
    };
    rounded(width, value, &[a, b])
}

pub fn relation(mask: u8, width: u8, a: u128, b: u128) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let bit = match number(width, a).partial_cmp(&number(width, b)) {
        Some(Equal) => 0,
        Some(Greater) => 1,
        Some(Less) => 2,
        None => 3,
    };
    mask >> bit & 1 == 1
}

/// Returns the number of the class, as `llvm.is.fpclass` has them.
pub fn class(width: u8, bits: u128) -> u32 {
    use std::num::FpCategory::{Infinite, Nan, Normal, Subnormal, Zero};
    let (category, quiet) = match width {
        32 => (f32::from_bits(bits as u32).classify(), bits >> 22 & 1),
        _ => (f64::from_bits(bits as u64).classify(), bits >> 51 & 1),
    };
    let is_negative = bits >> (width - 1) == 1;
    match category {
        Nan => quiet as u32,
        Infinite => {
            if is_negative {
                2
            } else {
                9
            }
        }
        Normal => {
            if is_negative {
                3
            } else {
                8
            }
        }
        Subnormal => {
            if is_negative {
                4
            } else {
                7
            }
        }
        Zero => {
            if is_negative {
                5
            } else {
                6
            }
        }
    }
}

pub fn math(function: Math, width: u8, operands: [u128; 3]) -> u128 {
    let used = &operands[..function.operands()];
    let [x, y, z] = operands.map(|o| number(width, o));
    let [fx, fy, fz] = operands.map(|o| f32::from_bits(o as u32));
    let value = match (function, width) {
        (Math::Floor, _) => x.floor(),
        (Math::Ceil, _) => x.ceil(),
        (Math::Trunc, _) => x.trunc(),
        (Math::Round, _) => x.round(),
        (Math::RoundEven, _) => x.round_ties_even(),
        (Math::Sqrt, _) => x.sqrt(),
        (Math::Fma, 32) => fx.mul_add(fy, fz).into(),
        (Math::Fma, _) => x.mul_add(y, z),
        // What the library gives is compared with C elsewhere.
        _ => {
            let mut dag = cairn_expr::Dag::new();
            let constants: Vec<_> = used.iter().map(|&o| dag.constant(width, o)).collect();
            let result = dag.math(function, &constants);
            return dag.as_constant(result).expect("constants fold");
        }
    };
    rounded(width, value, used)
}

pub fn convert(how: Conversion, from: u8, to: u8, value: u128) -> u128 {
    let x = || number(from, value);
    match how {
        Conversion::FloatToFloat if x().is_nan() && to == 32 => {
            value >> 32 & 0x8000_0000 | 0x7fc0_0000 | value >> 29 & 0x3f_ffff
        }
        Conversion::FloatToFloat if x().is_nan() => {
            (value & 0x8000_0000) << 32 | 0x7ff8 << 48 | (value & 0x3f_ffff) << 29
        }
        Conversion::FloatToFloat => rounded(to, x(), &[]),
        Conversion::SignedToFloat => integer_to_float(to, value, from),
        Conversion::UnsignedToFloat => integer_to_float(to, value, 0),
        Conversion::FloatToSigned if to <= 32 => register(32, x()) & ones(to),
        Conversion::FloatToSigned if to <= 64 => register(64, x()) & ones(to),
        Conversion::FloatToUnsigned if to <= 16 => register(32, x()) & ones(to),
        Conversion::FloatToUnsigned if to <= 32 => register(64, x()) & ones(to),
        Conversion::FloatToUnsigned if to <= 64 && x() >= 2f64.powi(64) => 1 << 63 & ones(to),
        Conversion::FloatToUnsigned if to <= 64 && x() >= 0.0 => x() as u128 & ones(to),
        Conversion::FloatToUnsigned if to <= 64 => register(64, x()) & ones(to),
        // What libgcc gives is compared with C elsewhere.
        _ => {
            let mut dag = cairn_expr::Dag::new();
            let constant = dag.constant(from, value);
            let result = dag.convert(how, constant, to);
            dag.as_constant(result).expect("constants fold")
        }
    }
}

fn register(width: i32, x: f64) -> u128 {
    if x.trunc() >= -(2f64.powi(width - 1)) && x < 2f64.powi(width - 1) {
        x as i128 as u128
    } else {
        1 << (width - 1)
    }
}

fn integer_to_float(to: u8, value: u128, sign_width: u8) -> u128 {
    let is_negative = sign_width > 0 && value >> (sign_width - 1) == 1;
    let magnitude = if is_negative { value.wrapping_neg() & ones(sign_width) } else { value };
    let sign = u128::from(is_negative) << (to - 1);
    let bits: u128 =
        if to == 32 { (magnitude as f32).to_bits().into() } else { (magnitude as f64).to_bits().into() };
    sign | bits
}
