//! Labels that come with arguments and results.
//!
//! Caller and callee need not agree on types: `char *malloc();` passes an `int` where a `size_t` is expected,
//! and a function may be called through a pointer of another type. Each side sees what the other has left in
//! registers. So a label is accepted only if it fits the value that has arrived, converted as the value was.

use crate::ops::{extract, intern, lost};
use crate::recorder::recorder;
use crate::tls::tls;
use cairn_wire::{Loss, Op};
use core::ptr::null;

/// Narrowest value that is extended here. Callers extend narrower integers, by sign or by zeros: the callee
/// cannot tell.
const MIN_EXTENDED: u32 = 32;

/// Returns the label of a value of `width` bits that was passed with this label; 0 if it is the label of
/// another value, which counts as lost.
pub extern "C" fn validate(width: u32, label: u32, low: u64, high: u64) -> u32 {
    let recorder = recorder();
    if label == 0 || !recorder.tracing {
        return 0;
    }
    let passed = u32::from(recorder.entry(label).width);
    let value = mask(u128::from(high) << 64 | u128::from(low), width);
    let own = mask(recorder.wide_value_of(label, passed), passed);
    if passed == width && own == value {
        return label;
    }
    let converted = convert(Passed { label, width: passed, value: own }, width, value);
    if converted == 0 {
        lost(null(), label, Loss::Mismatch as u32);
    }
    converted
}

/// Returns the label of argument `index` of the wrapper at `function`, which is `value` of `width` bits
/// there. Programs may declare the function otherwise: the label is converted as the value was.
pub fn argument(function: usize, index: usize, width: u32, value: u64) -> u32 {
    let tls = tls();
    if tls.tag == function as u64 { validate(width, tls.args[index], value, 0) } else { 0 }
}

struct Passed {
    label: u32,
    width: u32,
    value: u128,
}

/// Returns the label of `value`, if it is the passed value as the calling convention converts it; otherwise
/// 0.
fn convert(passed: Passed, width: u32, value: u128) -> u32 {
    let operands = [passed.label, 0];
    if passed.width > width && width <= u64::BITS && mask(passed.value, width) == value {
        return recorder().check(extract(passed.label, 0, width), value as u64);
    }
    let is_wider = passed.width < width && width <= u64::BITS && passed.width >= MIN_EXTENDED;
    let op = match is_wider {
        true if passed.value == value => Op::ZExt,
        true if sign_extended(passed.value, passed.width, width) == value => Op::SExt,
        _ => return 0,
    };
    let label = intern(op, width, 0, operands, 0, value as u64);
    recorder().check(label, value as u64)
}

/// Returns the lowest `width` bits of a value.
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
