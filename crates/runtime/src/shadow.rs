//! Shadow memory: loads, stores and copies of labels.
//!
//! The shadow has a word for each byte of application memory: the label of the value that was stored there,
//! and which of its bytes this is. The shadow summary has a byte for each line of [`GRAIN`] bytes, nonzero if
//! any may have a label, so that concrete memory is passed over without touching its shadow. See
//! [`cairn_wire::shadow`] for the layout.

use crate::ops::{self, low_bits};
use crate::recorder::recorder;
use cairn_wire::label::input_byte;
use cairn_wire::shadow::{
    ADDRESS_MASK, GRAIN, LABEL_BITS, LABEL_MASK, REACH, SUMMARY, SUMMARY_SIZE, address, summary_address, word,
};
use cairn_wire::{Loss, Op, SiteRecord};
use core::ops::Range;

/// Largest number of bytes that shadow words of one label can number.
const MAX_NUMBERED: u64 = 8;

/// Returns the shadow words of `len` application bytes.
pub fn words(addr: u64, len: u64) -> &'static mut [u32] {
    // SAFETY: all of the shadow is mapped from before the first instrumented instruction on.
    unsafe { core::slice::from_raw_parts_mut(address(addr) as *mut u32, len as usize) }
}

/// True if any of `len` bytes has a label; false for more bytes than the address space has, an access to
/// which will fault.
pub fn any(addr: u64, len: u64) -> bool {
    if len > ADDRESS_MASK {
        return false;
    }
    let end = addr.wrapping_add(len);
    let mut at = addr;
    while at != end {
        let grain = (GRAIN - at % GRAIN).min(end.wrapping_sub(at));
        // SAFETY: the summary is mapped as the shadow is.
        let may_have = unsafe { *(summary_address(at) as *const u8) } != 0;
        if may_have && words(at, grain).iter().fold(0, |or, w| or | w) != 0 {
            return true;
        }
        at = at.wrapping_add(grain);
    }
    false
}

/// Returns the first label among those of `len` bytes, or 0. Skips eight lines at a time whose summary is 0,
/// so that large concrete objects cost little.
pub fn first_label(addr: u64, len: u64) -> u32 {
    const STRIDE: u64 = 8 * GRAIN;
    let end = addr.saturating_add(len.min(ADDRESS_MASK));
    let mut at = addr;
    while at < end {
        // SAFETY: the summary is mapped as the shadow is; eight of its bytes begin at a multiple of eight.
        if at.is_multiple_of(STRIDE) && unsafe { *(summary_address(at) as *const u64) } == 0 {
            at += STRIDE;
            continue;
        }
        let grain = (GRAIN - at % GRAIN).min(end - at);
        // SAFETY: as above.
        let may_have = unsafe { *(summary_address(at) as *const u8) } != 0;
        if may_have && let Some(word) = words(at, grain).iter().find(|word| **word != 0) {
            return word & LABEL_MASK;
        }
        at += grain;
    }
    0
}

/// Sets the summary of `len` bytes that get labels: of all lines from which an access can reach them.
fn set_summary(addr: u64, len: u64) {
    let (first, end) = (addr.saturating_sub(REACH - 1) / GRAIN, addr.saturating_add(len).div_ceil(GRAIN));
    for grain in first..end {
        // SAFETY: as in `any`; all threads write the same.
        unsafe { *(summary_address(grain * GRAIN) as *mut u8) = 1 };
    }
}

/// Clears the labels of a range, as far as the summary, which must not have been cleared yet, says that there
/// may be any.
pub fn clear_labels(range: Range<u64>) {
    let mut at = range.start;
    while at < range.end {
        let len = (GRAIN - at % GRAIN).min(range.end - at);
        // SAFETY: as in `any`.
        if unsafe { *(summary_address(at) as *const u8) } != 0 {
            let words = words(at, len);
            // Several addresses share a summary byte: a shadow page without labels must not be faulted in by
            // a write.
            if words.iter().fold(0, |or, word| or | word) != 0 {
                words.fill(0);
            }
        }
        at += len;
    }
}

/// Clears the whole summary: no memory has labels any more.
pub fn clear_summary() {
    // SAFETY: the summary is mapped there, with this size.
    unsafe { core::slice::from_raw_parts_mut(SUMMARY as *mut u8, SUMMARY_SIZE as usize) }.fill(0);
}

/// Returns the label of the `size` bytes at `addr`, which hold `value`.
pub extern "C" fn load(addr: u64, size: u32, value: u64) -> u32 {
    let words = words(addr, size.into());
    let first = words[0] & LABEL_MASK;
    let label = if is_whole(words, first, value) { first } else { assemble(words, value) };
    recorder().check(label, value)
}

/// Returns the label of the 9 to 16 bytes at `addr`: two labels in shadow memory, joined.
pub extern "C" fn load_wide(addr: u64, size: u32, low: u64, high: u64) -> u32 {
    let value = u128::from(high) << 64 | u128::from(low);
    let halves =
        [load(addr + MAX_NUMBERED, size - MAX_NUMBERED as u32, high), load(addr, MAX_NUMBERED as u32, low)];
    let label = match halves {
        [0, 0] => 0,
        [0, _] => ops::intern_wide(Op::Concat, size * 8, 0, halves, high, value),
        [_, 0] => ops::intern_wide(Op::Concat, size * 8, 0, halves, low, value),
        _ => whole_of(halves, size * 8)
            .unwrap_or_else(|| ops::intern_wide(Op::Concat, size * 8, 0, halves, 0, value)),
    };
    ops::check_wide(label, value)
}

/// Returns the label of the value that these are the halves of, if there is one.
fn whole_of(halves: [u32; 2], width: u32) -> Option<u32> {
    let [high, low] = halves.map(|half| recorder().entry(half));
    let are_halves = [high, low].iter().all(|half| half.op == Op::Extract as u8)
        && (high.aux, low.aux, high.l1) == (64, 0, low.l1)
        && (u32::from(high.width), low.width) == (width - 64, 64);
    (are_halves && u32::from(recorder().entry(low.l1).width) == width).then_some(low.l1)
}

/// True if the words are those of one value that was stored whole and not overwritten since.
fn is_whole(words: &[u32], label: u32, value: u64) -> bool {
    are_words_of(words, label) && (label == 0 || recorder().table.has_value(label, words.len(), value))
}

/// True if these are the words of a label's bytes. The usual sizes have cases of their own, which are
/// vectorized.
fn are_words_of(words: &[u32], label: u32) -> bool {
    fn differ(words: &[u32], label: u32) -> bool {
        words.iter().zip(0..).fold(0, |or, (w, i)| or | (w ^ word(label, i))) != 0
    }
    match words {
        [only] => *only == label,
        [_, _, _, _] => !differ(&words[..4], label),
        [_, _, _, _, _, _, _, _] => !differ(&words[..8], label),
        _ => !differ(words, label),
    }
}

/// Assembles the label of a value from runs of bytes of other values and of constants, top byte first.
fn assemble(words: &mut [u32], value: u64) -> u32 {
    let mut end = words.len();
    let mut sum = Piece { label: 0, value: 0, width: 0 };
    while end > 0 {
        let mut start = end - 1;
        while start > 0 && continues(words[start - 1], words[start]) {
            start -= 1;
        }
        sum = join(sum, piece(&mut words[start..end], value >> (start * 8)));
        end = start;
    }
    sum.label
}

fn continues(lower: u32, upper: u32) -> bool {
    (lower == 0 && upper == 0)
        || (lower != 0 && lower.wrapping_add(1 << LABEL_BITS) == upper && upper > lower)
}

#[derive(Clone, Copy)]
struct Piece {
    label: u32,
    value: u64,
    width: u32,
}

/// Returns a run of bytes of one value. If memory differs from the label's value, uninstrumented code (a
/// library function, the kernel) has overwritten it: the run is concrete, and loses its stale label.
fn piece(words: &mut [u32], value: u64) -> Piece {
    let width = words.len() as u32 * 8;
    let value = low_bits(value, width);
    let label = words[0] & LABEL_MASK;
    let low = (words[0] >> LABEL_BITS) * 8;
    let recorder = recorder();
    let label = match label {
        0 => 0,
        _ if low_bits(recorder.value(label) >> low, width) != value => {
            words.fill(0);
            recorder.control().stale += 1;
            0
        }
        _ if low == 0 && u32::from(recorder.entry(label).width) == width => label,
        _ => ops::extract(label, low, width),
    };
    Piece { label, value, width }
}

fn join(high: Piece, low: Piece) -> Piece {
    let width = high.width + low.width;
    if high.width == 0 {
        return low;
    }
    let value = high.value << low.width | low.value;
    let k = if high.label == 0 { high.value } else { low.value };
    let label = match [high.label, low.label] {
        [0, 0] => 0,
        [0, _] | [_, 0] => ops::intern(Op::Concat, width, 0, [high.label, low.label], k, value),
        both => ops::intern(Op::Concat, width, 0, both, 0, value),
    };
    Piece { label, value, width }
}

/// Sets the label of the `size` bytes at `addr` (0: none); more than eight bytes get two.
pub extern "C" fn store(addr: u64, size: u32, label: u32) {
    if size <= MAX_NUMBERED as u32 {
        return store_word(addr, size, label);
    }
    if label == 0 {
        return words(addr, size.into()).fill(0);
    }
    let width = u32::from(recorder().entry(label).width);
    store_word(addr, MAX_NUMBERED as u32, ops::extract(label, 0, 64));
    store_word(addr + MAX_NUMBERED, size - MAX_NUMBERED as u32, ops::extract(label, 64, width - 64));
}

fn store_word(addr: u64, size: u32, label: u32) {
    let words = words(addr, size.into());
    if label == 0 {
        return words.fill(0);
    }
    let label = match u32::from(recorder().entry(label).width) {
        width if width < size * 8 => {
            ops::intern(Op::ZExt, size * 8, 0, [label, 0], 0, recorder().value(label))
        }
        _ => label,
    };
    set_summary(addr, size.into());
    for (i, w) in words.iter_mut().enumerate() {
        *w = word(label, i as u32);
    }
}

/// Records a loss if labelled memory is read by something that labels cannot follow.
pub extern "C" fn lost_memory(record: *const SiteRecord, addr: u64, len: u64, why: u32) {
    if let Some(word) = words(addr, len).iter().find(|word| **word != 0) {
        ops::lost(record, word & LABEL_MASK, why);
    }
}

/// Counts a loss if any of `len` bytes at `addr` has a label: a model hands them to a library function that
/// depends on them.
#[unsafe(no_mangle)]
extern "C" fn __cairn_lost_input(addr: u64, len: u64) {
    if recorder().tracing && any(addr, len) {
        lost_memory(core::ptr::null(), addr, len, Loss::Foreign as u32);
    }
}

/// Clears the labels of `len` bytes at `addr`.
#[unsafe(no_mangle)]
pub extern "C" fn __cairn_clear(addr: u64, len: u64) {
    if any(addr, len) {
        words(addr, len).fill(0);
    }
}

/// True if the run is traced; otherwise no byte has a label.
#[unsafe(no_mangle)]
extern "C" fn __cairn_tracing() -> i32 {
    recorder().tracing.into()
}

/// True if any of `len` bytes at `addr` has a label.
#[unsafe(no_mangle)]
extern "C" fn __cairn_any_symbolic(addr: u64, len: u64) -> i32 {
    (recorder().tracing && any(addr, len)).into()
}

/// Copies the labels of `len` bytes, with the semantics of `memmove`.
#[unsafe(no_mangle)]
pub extern "C" fn __cairn_copy(to: u64, from: u64, len: u64) {
    if !any(from, len) {
        return __cairn_clear(to, len);
    }
    set_summary(to, len);
    // SAFETY: both ranges are shadow memory; `copy` allows them to overlap.
    unsafe { core::ptr::copy(address(from) as *const u32, address(to) as *mut u32, len as usize) }
}

/// Sets the labels of `len` bytes at `addr` to that of one byte, as `memset` does with the bytes.
#[unsafe(no_mangle)]
pub extern "C" fn __cairn_fill(addr: u64, label: u32, len: u64) {
    if label == 0 {
        return __cairn_clear(addr, len);
    }
    let byte = match recorder().entry(label).width {
        8 => label,
        // A Boolean.
        0..8 => ops::intern(Op::ZExt, 8, 0, [label, 0], 0, recorder().value(label)),
        _ => ops::extract(label, 0, 8),
    };
    set_summary(addr, len);
    words(addr, len).fill(word(byte, 0));
}

/// Labels the byte at `addr` as byte `offset` of input object `object`.
pub fn label_input_byte(addr: u64, object: u32, offset: u64) {
    // SAFETY: the caller has just written this byte.
    let value = u64::from(unsafe { *(addr as *const u8) });
    let label = input_label(object, offset, value);
    set_summary(addr, 1);
    words(addr, 1)[0] = word(label, 0);
    recorder().check(label, value);
}

/// Returns the label of an input byte.
pub fn input_label(object: u32, offset: u64, value: u64) -> u32 {
    ops::intern(Op::Input, 8, 0, [0, 0], input_byte(object, offset as u32), value)
}
