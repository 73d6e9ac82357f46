//! Functions that compiled code calls for steps that take more than a few instructions.

use crate::tape::step::TapeStep;
use crate::tape::{narrow, wide};

/// Computes a step whose operands and result have at most 64 bits.
pub(super) extern "C" fn narrow(step: &TapeStep, a: u64, b: u64, c: u64) -> u64 {
    narrow::value(&[], *step, &[], &[a, b, c])
}

/// Computes any step; the result replaces the first operand.
pub(super) extern "C" fn wide(step: &TapeStep, operands: &mut [u128; 3]) {
    operands[0] = wide::value(&[], *step, &[], operands);
}
