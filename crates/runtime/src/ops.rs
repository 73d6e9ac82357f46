//! What instrumented code calls when an operand is symbolic.
//!
//! Every function takes the operands' labels and concrete values, and the concrete result; with no
//! label among the operands the answer is 0.

use crate::state::{site_id, state};
use crate::tls::tls;
use cairn_wire::event::NO_SITE;
use cairn_wire::site::SiteRecord;
use cairn_wire::{EventKind, LabelEntry, Loss, Op, OutOfBounds};

/// Most accesses outside their object that are told of a run: a loop may make millions.
const MAX_OUTSIDE: u32 = 256;

/// Interns an expression from its parts; `value` is what it is in this run.
pub fn intern(op: Op, width: u32, aux: u16, operands: [u32; 2], k: u64, value: u64) -> u32 {
    intern_wide(op, width, aux, operands, k, value.into())
}

/// As [`intern`], of any width.
pub fn intern_wide(op: Op, width: u32, aux: u16, operands: [u32; 2], k: u64, value: u128) -> u32 {
    let [l1, l2] = operands;
    state().intern(LabelEntry { op: op as u8, width: width as u8, aux, l1, l2, unused: 0, k }, value)
}

/// The lowest `width` bits.
pub fn low_bits(value: u64, width: u32) -> u64 {
    value & u64::MAX >> (64 - width)
}

/// Up to 64 bits of a labelled value from bit `low` on.
pub fn extract(label: u32, low: u32, width: u32) -> u32 {
    let whole = u32::from(state().entry(label).width);
    let value = (state().wide_value_of(label, whole) >> low) as u64;
    intern(Op::Extract, width, low as u16, [label, 0], 0, low_bits(value, width))
}

/// The operation, width and `aux` of a code, which has them from bits 0, 8 and 16 on. A comparison has its
/// operands' width there, which belongs into its `aux`.
fn decode(code: u32) -> Option<(Op, u32, u16)> {
    let op = Op::from_u8(code as u8)?;
    if op.is_comparison() || op == Op::FCmp {
        return Some((op, 1, (code >> 8) as u16));
    }
    Some((op, code >> 8 & 0xff, (code >> 16) as u16))
}

/// A binary operation or comparison.
pub extern "C" fn binary(code: u32, l1: u32, l2: u32, a: u64, b: u64, result: u64) -> u32 {
    if l1 | l2 == 0 {
        return 0;
    }
    let Some((op, width, aux)) = decode(code) else { return 0 };
    let k = the_constant(l1, l2, a, b);
    state().check(intern(op, width, aux, [l1, l2], k, result), result)
}

/// A comparison that a branch or select decides on, and that is asked for nowhere else; its result is the uppermost bit
/// of the code. Most decisions are of this kind, and most are the first of theirs: looking for the comparison would take
/// longer than writing it down again.
pub extern "C" fn decide(record: *const SiteRecord, code: u32, l1: u32, l2: u32, a: u64, b: u64) {
    const RESULT: u32 = 31;
    let Some(site) = site_id(record) else {
        return lost(record, l1.max(l2), Loss::SharedObject as u32);
    };
    let aux = (code >> 8) as u16;
    let k = the_constant(l1, l2, a, b);
    let comparison = LabelEntry { op: code as u8, width: 1, aux, l1, l2, unused: 0, k };
    state().decide(site, comparison, u64::from(code >> RESULT));
}

/// Of two operands the one without a label, if the other has one.
fn the_constant(l1: u32, l2: u32, a: u64, b: u64) -> u64 {
    if l1 == 0 {
        a
    } else if l2 == 0 {
        b
    } else {
        0
    }
}

/// A conversion, or another operation of one operand.
pub extern "C" fn cast(code: u32, label: u32, result: u64) -> u32 {
    if label == 0 {
        return 0;
    }
    let Some((op, width, aux)) = decode(code) else { return 0 };
    state().check(intern(op, width, aux, [label, 0], 0, result), result)
}

/// An operation of one to three labelled operands and any width.
pub extern "C" fn operate(code: u32, l1: u32, l2: u32, l3: u32, low: u64, high: u64) -> u32 {
    if l1 == 0 {
        return 0;
    }
    let Some((op, width, aux)) = decode(code) else { return 0 };
    let condition = state().entry(l1);
    if op == Op::Ite && condition.op == Op::Const as u8 {
        return if condition.k != 0 { l2 } else { l3 };
    }
    let value = u128::from(high) << 64 | u128::from(low);
    check_wide(intern_wide(op, width, aux, [l1, l2], l3.into(), value), value)
}

/// The operand's label or, if it has none but `any` of its fellows has one, that of the constant it is.
pub extern "C" fn constant(width: u32, label: u32, any: u32, low: u64, high: u64) -> u32 {
    if label != 0 || any == 0 {
        return label;
    }
    if width <= 64 {
        return intern(Op::Const, width, 0, [0, 0], low, low);
    }
    let halves = [(width - 64, high), (64, low)].map(|(width, k)| intern(Op::Const, width, 0, [0, 0], k, k));
    intern_wide(Op::Concat, width, 0, halves, 0, u128::from(high) << 64 | u128::from(low))
}

/// Records a labelled value for the oracle, in check mode: events have 64 bits.
pub fn check_wide(label: u32, value: u128) -> u32 {
    let state = state();
    if !state.checking || label == 0 {
        return label;
    }
    let width = u32::from(state.entry(label).width);
    if width <= 64 {
        return state.check(label, value as u64);
    }
    state.check(extract(label, 0, 64), value as u64);
    state.check(extract(label, 64, width - 64), (value >> 64) as u64);
    label
}

/// The pieces of a value in reverse order; `code` is its width and, from bit 8 on, that of a piece.
pub extern "C" fn reverse(code: u32, label: u32, low: u64, high: u64) -> u32 {
    if label == 0 {
        return 0;
    }
    let (width, piece) = (code & 0xff, code >> 8);
    let result = u128::from(high) << 64 | u128::from(low);
    let mut sum = extract(label, 0, piece);
    for low in (piece..width).step_by(piece as usize) {
        let so_far = result >> (width - low - piece);
        sum = intern_wide(Op::Concat, low + piece, 0, [sum, extract(label, low, piece)], 0, so_far);
    }
    check_wide(sum, result)
}

/// A branch, switch or select decided on a labelled value.
pub extern "C" fn branch(record: *const SiteRecord, label: u32, value: u64) {
    if label == 0 {
        return;
    }
    match site_id(record) {
        Some(site) => state().record(EventKind::Branch, site, label, value),
        None => lost(record, label, Loss::SharedObject as u32),
    }
}

/// A labelled value that is used as the constant it is in this run.
pub extern "C" fn pin(record: *const SiteRecord, label: u32, value: u64) {
    if label != 0 {
        state().record(EventKind::Concretization, site_id(record).unwrap_or(NO_SITE), label, value);
    }
}

/// An access at a labelled address was outside its object.
pub fn outside(record: *const SiteRecord, label: u32, how: OutOfBounds) {
    let state = state();
    if state.control().outside < MAX_OUTSIDE {
        state.control().outside += 1;
        state.record(EventKind::OutOfBounds, site_id(record).unwrap_or(NO_SITE), label, how as u64);
    }
}

/// A labelled value went where labels cannot follow; `why` is a [`cairn_wire::Loss`].
pub extern "C" fn lost(record: *const SiteRecord, label: u32, why: u32) {
    if label == 0 {
        return;
    }
    let state = state();
    state.control().lost += 1;
    let site = site_id(record).unwrap_or(NO_SITE);
    if state.diagnosing || state.is_other_loss(site) {
        state.record(EventKind::Lost, site, label, why.into());
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
