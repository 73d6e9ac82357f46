//! What instrumented code calls when an operand is symbolic.
//!
//! Every function takes the operands' labels and concrete values, and the concrete result; with no
//! label among the operands the answer is 0.

use crate::state::{site_id, state};
use crate::tls::tls;
use cairn_wire::event::NO_SITE;
use cairn_wire::site::SiteRecord;
use cairn_wire::{EventKind, LabelEntry, Op};

/// Interns an expression from its parts; `value` is what it is in this run.
pub fn intern(op: Op, width: u32, aux: u16, operands: [u32; 2], k: u64, value: u64) -> u32 {
    let [l1, l2] = operands;
    state().intern(LabelEntry { op: op as u8, width: width as u8, aux, l1, l2, next: 0, k }, value)
}

/// The lowest `width` bits.
pub fn low_bits(value: u64, width: u32) -> u64 {
    value & u64::MAX >> (64 - width)
}

/// `width` bits of a labelled value from bit `low` on.
pub fn extract(label: u32, low: u32, width: u32) -> u32 {
    let value = low_bits(state().value(label) >> low, width);
    intern(Op::Extract, width, low as u16, [label, 0], 0, value)
}

/// A binary operation or comparison; `code` is the operation and, from bit 8 on, the operands' width.
pub extern "C" fn binary(code: u32, l1: u32, l2: u32, a: u64, b: u64, result: u64) -> u32 {
    if l1 | l2 == 0 {
        return 0;
    }
    let Some(op) = Op::from_u8(code as u8) else { return 0 };
    let width = code >> 8;
    let k = if l1 == 0 {
        a
    } else if l2 == 0 {
        b
    } else {
        0
    };
    let label = if op.is_comparison() {
        intern(op, 1, width as u16, [l1, l2], k, result)
    } else {
        intern(op, width, 0, [l1, l2], k, result)
    };
    state().check(label, result)
}

/// A conversion; `code` is the operation, from bit 8 on the new width, from bit 16 on `aux`.
pub extern "C" fn cast(code: u32, label: u32, result: u64) -> u32 {
    if label == 0 {
        return 0;
    }
    let Some(op) = Op::from_u8(code as u8) else { return 0 };
    let label = intern(op, code >> 8 & 0xff, (code >> 16) as u16, [label, 0], 0, result);
    state().check(label, result)
}

/// The bytes of a value in reverse order.
pub extern "C" fn bswap(width: u32, label: u32, result: u64) -> u32 {
    if label == 0 {
        return 0;
    }
    let mut sum = extract(label, 0, 8);
    for low in (8..width).step_by(8) {
        let so_far = result >> (width - low - 8);
        sum = intern(Op::Concat, low + 8, 0, [sum, extract(label, low, 8)], 0, so_far);
    }
    state().check(sum, result)
}

/// A branch, switch or select decided on a labelled value.
pub extern "C" fn branch(record: *const SiteRecord, label: u32, value: u64) {
    if label == 0 {
        return;
    }
    match site_id(record) {
        Some(site) => state().record(EventKind::Branch, site, label, value),
        None => state().control().lost += 1,
    }
}

/// A labelled value that is used as the constant it is in this run.
pub extern "C" fn pin(record: *const SiteRecord, label: u32, value: u64) {
    if label != 0 {
        state().record(EventKind::Pin, site_id(record).unwrap_or(NO_SITE), label, value);
    }
}

/// An operation the tracer does not know took a labelled value.
pub extern "C" fn lost(label: u32) {
    if label != 0 {
        state().control().lost += 1;
    }
}

/// A function with a struct parameter passed by value begins: its copy gets the labels of the original.
#[unsafe(no_mangle)]
extern "C" fn __cairn_byval(function: u64, slot: u32, copy: u64, len: u64) {
    let tls = tls();
    match tls.byval.get(slot as usize) {
        Some(&original) if tls.tag == function && original != 0 => {
            crate::shadow::__cairn_copy(copy, original, len)
        }
        _ => crate::shadow::__cairn_clear(copy, len),
    }
}
