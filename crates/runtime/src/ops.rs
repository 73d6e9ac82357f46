//! Operations, decisions and losses: what instrumented code calls when an operand is symbolic.
//!
//! Every operation takes the operands' labels and concrete values, and the concrete result, and returns the
//! label of the result; 0 if no operand has a label.

use crate::recorder::recorder;
use crate::sites::site_id;
use cairn_wire::event::NO_SITE;
use cairn_wire::site::SiteRecord;
use cairn_wire::{EventKind, LabelEntry, Loss, Op, OutOfBounds};

/// Out-of-bounds accesses that a run records, a chosen bound: a loop may make millions.
const MAX_OUT_OF_BOUNDS: u32 = 256;

/// Interns an expression from its parts; `value` is its value in this run.
pub fn intern(op: Op, width: u32, aux: u16, operands: [u32; 2], k: u64, value: u64) -> u32 {
    intern_wide(op, width, aux, operands, k, value.into())
}

/// As [`intern`], for any width.
pub fn intern_wide(op: Op, width: u32, aux: u16, operands: [u32; 2], k: u64, value: u128) -> u32 {
    let [l1, l2] = operands;
    recorder().intern(LabelEntry { op: op as u8, width: width as u8, aux, l1, l2, unused: 0, k }, value)
}

/// Returns the lowest `width` bits.
pub fn low_bits(value: u64, width: u32) -> u64 {
    value & u64::MAX >> (64 - width)
}

/// Returns the label of up to 64 bits of a labelled value from bit `low` on.
pub fn extract(label: u32, low: u32, width: u32) -> u32 {
    let whole = u32::from(recorder().entry(label).width);
    let value = (recorder().wide_value_of(label, whole) >> low) as u64;
    intern(Op::Extract, width, low as u16, [label, 0], 0, low_bits(value, width))
}

/// Decodes operation, width and `aux`, which a code has from bits 0, 8 and 16 on. The code of a comparison
/// has the width of the operands, which becomes its `aux`.
fn decode(code: u32) -> Option<(Op, u32, u16)> {
    let op = Op::from_u8(code as u8)?;
    if op.is_comparison() || op == Op::FCmp {
        return Some((op, 1, (code >> 8) as u16));
    }
    Some((op, code >> 8 & 0xff, (code >> 16) as u16))
}

/// Returns the label of a binary operation or comparison.
pub extern "C" fn binary(code: u32, l1: u32, l2: u32, a: u64, b: u64, result: u64) -> u32 {
    if l1 | l2 == 0 {
        return 0;
    }
    let Some((op, width, aux)) = decode(code) else { return 0 };
    let k = constant_operand(l1, l2, a, b);
    recorder().check(intern(op, width, aux, [l1, l2], k, result), result)
}

/// Records a branch or select together with its comparison, which is used nowhere else; its result is the
/// uppermost bit of the code. Most decisions are of this kind, and most comparisons are new: looking one up
/// would take longer than appending it again.
pub extern "C" fn decide(record: *const SiteRecord, code: u32, l1: u32, l2: u32, a: u64, b: u64) {
    const RESULT: u32 = 31;
    let Some(site) = site_id(record) else {
        return lost(record, l1.max(l2), Loss::SharedObject as u32);
    };
    let aux = (code >> 8) as u16;
    let k = constant_operand(l1, l2, a, b);
    let comparison = LabelEntry { op: code as u8, width: 1, aux, l1, l2, unused: 0, k };
    recorder().decide(site, comparison, u64::from(code >> RESULT));
}

/// Returns the operand without a label, if the other has one.
fn constant_operand(l1: u32, l2: u32, a: u64, b: u64) -> u64 {
    if l1 == 0 {
        a
    } else if l2 == 0 {
        b
    } else {
        0
    }
}

/// Returns the label of a conversion, or of another operation with one operand.
pub extern "C" fn cast(code: u32, label: u32, result: u64) -> u32 {
    if label == 0 {
        return 0;
    }
    let Some((op, width, aux)) = decode(code) else { return 0 };
    recorder().check(intern(op, width, aux, [label, 0], 0, result), result)
}

/// Returns the label of an operation with one to three labelled operands and any width.
pub extern "C" fn operate(code: u32, l1: u32, l2: u32, l3: u32, low: u64, high: u64) -> u32 {
    if l1 == 0 {
        return 0;
    }
    let Some((op, width, aux)) = decode(code) else { return 0 };
    let condition = recorder().entry(l1);
    if op == Op::Ite && condition.op == Op::Const as u8 {
        return if condition.k != 0 { l2 } else { l3 };
    }
    let value = u128::from(high) << 64 | u128::from(low);
    check_wide(intern_wide(op, width, aux, [l1, l2], l3.into(), value), value)
}

/// Returns the operand's label or, if it has none but another operand has one (`any`), that of a constant.
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

/// Records a labelled value of any width for the oracle, in check mode, in pieces of the 64 bits that an
/// event holds.
pub fn check_wide(label: u32, value: u128) -> u32 {
    let recorder = recorder();
    if !recorder.checking || label == 0 {
        return label;
    }
    let width = u32::from(recorder.entry(label).width);
    if width <= 64 {
        return recorder.check(label, value as u64);
    }
    recorder.check(extract(label, 0, 64), value as u64);
    recorder.check(extract(label, 64, width - 64), (value >> 64) as u64);
    label
}

/// Returns the label of a value with its pieces in reverse order; `code` is its width and, from bit 8 on,
/// that of a piece.
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

/// Records a branch, switch or select on a labelled value.
pub extern "C" fn branch(record: *const SiteRecord, label: u32, value: u64) {
    if label == 0 {
        return;
    }
    match site_id(record) {
        Some(site) => recorder().record(EventKind::Branch, site, label, value),
        None => lost(record, label, Loss::SharedObject as u32),
    }
}

/// Records a concretization: a labelled value is used as the constant it is in this run.
pub extern "C" fn concretize(record: *const SiteRecord, label: u32, value: u64) {
    if label != 0 {
        recorder().record(EventKind::Concretization, site_id(record).unwrap_or(NO_SITE), label, value);
    }
}

/// Records an access at a labelled address outside its object.
pub fn out_of_bounds(record: *const SiteRecord, label: u32, how: OutOfBounds) {
    let recorder = recorder();
    if recorder.control().outside < MAX_OUT_OF_BOUNDS {
        recorder.control().outside += 1;
        recorder.record(EventKind::OutOfBounds, site_id(record).unwrap_or(NO_SITE), label, how as u64);
    }
}

/// Records the loss of a labelled value; `why` is a [`cairn_wire::Loss`].
pub extern "C" fn lost(record: *const SiteRecord, label: u32, why: u32) {
    if label == 0 {
        return;
    }
    let recorder = recorder();
    recorder.control().lost += 1;
    let site = site_id(record).unwrap_or(NO_SITE);
    if recorder.diagnosing || recorder.is_new_loss(site) {
        recorder.record(EventKind::Lost, site, label, why.into());
    }
}
