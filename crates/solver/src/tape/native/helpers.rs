//! What compiled code calls for steps that are no few instructions.

use crate::tape::step::Step;
use crate::tape::{narrow, wide};

/// A step whose operands and result have at most 64 bits.
pub(super) extern "C" fn narrow(step: &Step, a: u64, b: u64, c: u64) -> u64 {
    narrow::value(&[], *step, &[], &[a, b, c])
}

/// Any step; the result replaces the first operand.
pub(super) extern "C" fn wide(step: &Step, operands: &mut [u128; 3]) {
    operands[0] = wide::value(&[], *step, &[], operands);
}
