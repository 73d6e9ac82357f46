//! The C library's mathematical functions.
//!
//! Rust's functions call the C library's, or compute a result that is defined exactly, so results are those
//! of a target on the same machine, bit for bit; a test compares them.

use super::float::{is_nan, resulting_nan};
use super::library::{cube_root, cube_root_narrow};
use crate::node::Math;

/// Computes a function; operands it does not take are 0. A NaN result is that of the first NaN operand, as
/// for operators.
pub fn math(function: Math, width: u8, operands: [u128; 3]) -> u128 {
    let result = match width {
        32 => narrow(function, operands.map(|bits| f32::from_bits(bits as u32))).to_bits().into(),
        _ => wide(function, operands.map(|bits| f64::from_bits(bits as u64))).to_bits().into(),
    };
    if is_nan(width, result) { resulting_nan(width, &operands) } else { result }
}

/// The two widths have the same methods.
macro_rules! functions {
    ($name:ident, $float:ty, $cube_root:ident) => {
        fn $name(function: Math, [x, y, z]: [$float; 3]) -> $float {
            match function {
                Math::Sin => x.sin(),
                Math::Cos => x.cos(),
                Math::Tan => x.tan(),
                Math::Asin => x.asin(),
                Math::Acos => x.acos(),
                Math::Atan => x.atan(),
                Math::Sinh => x.sinh(),
                Math::Cosh => x.cosh(),
                Math::Tanh => x.tanh(),
                Math::Exp => x.exp(),
                Math::Exp2 => x.exp2(),
                Math::Expm1 => x.exp_m1(),
                Math::Log => x.ln(),
                Math::Log2 => x.log2(),
                Math::Log10 => x.log10(),
                Math::Log1p => x.ln_1p(),
                Math::Sqrt => x.sqrt(),
                Math::Floor => x.floor(),
                Math::Ceil => x.ceil(),
                Math::Trunc => x.trunc(),
                Math::Round => x.round(),
                Math::RoundEven => x.round_ties_even(),
                Math::Pow => x.powf(y),
                Math::Atan2 => x.atan2(y),
                Math::Hypot => x.hypot(y),
                Math::Fma => x.mul_add(y, z),
                Math::Cbrt => $cube_root(x),
            }
        }
    };
}

functions!(narrow, f32, cube_root_narrow);
functions!(wide, f64, cube_root);
