//! Labels that come with arguments and results.
//!
//! Caller and callee need not agree on types: `char *malloc();` passes an `int` where a `size_t` is taken, and some call
//! a function through a pointer of another type. Each side sees what the other has left in registers; so a label is taken
//! over only if it fits the value that has arrived, converted where the value was.

use crate::ops::{extract, intern, lost};
use crate::state::state;
use cairn_wire::{Loss, Op};
use core::ptr::null;

/// Narrower integers are extended by the caller, by their sign or not: nothing here tells which.
const NARROWEST: u32 = 32;

/// Label of a value of `width` bits that was passed with this label; 0 if it is the label of something else, which is
/// counted as lost.
pub extern "C" fn admit(width: u32, label: u32, low: u64, high: u64) -> u32 {
    let state = state();
    if label == 0 || !state.tracing {
        return 0;
    }
    let passed = u32::from(state.entry(label).width);
    let value = mask(u128::from(high) << 64 | u128::from(low), width);
    let own = mask(state.wide_value_of(label, passed), passed);
    if passed == width && own == value {
        return label;
    }
    let converted = convert(Passed { label, width: passed, value: own }, width, value);
    if converted == 0 {
        lost(null(), label, Loss::Mismatch as u32);
    }
    converted
}

struct Passed {
    label: u32,
    width: u32,
    value: u128,
}

/// Label of `value`, if it is what the calling convention makes of the value that was passed.
fn convert(passed: Passed, width: u32, value: u128) -> u32 {
    let operands = [passed.label, 0];
    if passed.width > width && width <= u64::BITS && mask(passed.value, width) == value {
        return state().check(extract(passed.label, 0, width), value as u64);
    }
    let is_wider = passed.width < width && width <= u64::BITS && passed.width >= NARROWEST;
    let op = match is_wider {
        true if passed.value == value => Op::ZExt,
        true if sign_extended(passed.value, passed.width, width) == value => Op::SExt,
        _ => return 0,
    };
    let label = intern(op, width, 0, operands, 0, value as u64);
    state().check(label, value as u64)
}

/// The lowest bits of a value.
fn mask(value: u128, width: u32) -> u128 {
    match width {
        0 => 0,
        128.. => value,
        _ => value & ((1 << width) - 1),
    }
}

fn sign_extended(value: u128, from: u32, to: u32) -> u128 {
    let unused = 128 - from;
    mask(((value << unused) as i128 >> unused) as u128, to)
}
