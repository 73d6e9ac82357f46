//! Loads, stores and copies of labels in shadow memory.

use crate::ops::{self, low_bits};
use crate::state::state;
use cairn_wire::Op;
use cairn_wire::shadow::{LABEL_BITS, LABEL_MASK, address, word};

/// Shadow words of `len` application bytes.
fn words(addr: u64, len: u64) -> &'static mut [u32] {
    // SAFETY: all of the shadow is mapped from before the first instrumented instruction on.
    unsafe { core::slice::from_raw_parts_mut(address(addr) as *mut u32, len as usize) }
}

fn any(words: &[u32]) -> bool {
    // Whole cache lines at a time: most of what is looked at is concrete.
    words.chunks(16).any(|chunk| chunk.iter().fold(0, |or, w| or | w) != 0)
}

/// Label of the `size` bytes at `addr`, which hold `value`.
pub extern "C" fn load(addr: u64, size: u32, value: u64) -> u32 {
    let words = words(addr, size.into());
    let first = words[0] & LABEL_MASK;
    let label = if whole(words, first, value) { first } else { assemble(words, value) };
    state().check(label, value)
}

/// Whether the words are those of one value, stored whole and still there.
fn whole(words: &[u32], label: u32, value: u64) -> bool {
    let state = state();
    words.iter().enumerate().all(|(i, w)| *w == word(label, i as u32))
        && (label == 0
            || usize::from(state.entry(label).width) == words.len() * 8 && state.value(label) == value)
}

/// Puts a value together from runs of bytes of other values and of constants, top byte first.
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

/// A run of bytes of one value. A run that has another value than its label lost it to code without
/// instrumentation (a library function, the kernel): it is concrete.
fn piece(words: &mut [u32], value: u64) -> Piece {
    let width = words.len() as u32 * 8;
    let value = low_bits(value, width);
    let label = words[0] & LABEL_MASK;
    let low = (words[0] >> LABEL_BITS) * 8;
    let state = state();
    let label = match label {
        0 => 0,
        _ if low_bits(state.value(label) >> low, width) != value => {
            words.fill(0);
            state.control().stale += 1;
            0
        }
        _ if low == 0 && u32::from(state.entry(label).width) == width => label,
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

/// Gives the `size` bytes at `addr` a label (0: none).
pub extern "C" fn store(addr: u64, size: u32, label: u32) {
    let words = words(addr, size.into());
    if label == 0 {
        return words.fill(0);
    }
    let label = match u32::from(state().entry(label).width) {
        width if width < size * 8 => ops::intern(Op::ZExt, size * 8, 0, [label, 0], 0, state().value(label)),
        _ => label,
    };
    for (i, w) in words.iter_mut().enumerate() {
        *w = word(label, i as u32);
    }
}

/// A value of a type that cannot carry a label is read from memory.
pub extern "C" fn lost_memory(addr: u64, len: u64) {
    ops::lost(u32::from(any(words(addr, len))));
}

/// Makes `len` bytes at `addr` concrete.
#[unsafe(no_mangle)]
pub extern "C" fn __cairn_clear(addr: u64, len: u64) {
    let words = words(addr, len);
    if any(words) {
        words.fill(0);
    }
}

/// Whether a run is traced; when not, no byte has a label.
#[unsafe(no_mangle)]
extern "C" fn __cairn_tracing() -> i32 {
    state().tracing.into()
}

/// Whether any of `len` bytes at `addr` has a label.
#[unsafe(no_mangle)]
extern "C" fn __cairn_any_symbolic(addr: u64, len: u64) -> i32 {
    (state().tracing && any(words(addr, len))).into()
}

/// Copies the labels of `len` bytes, as `memmove` does the bytes.
#[unsafe(no_mangle)]
pub extern "C" fn __cairn_copy(to: u64, from: u64, len: u64) {
    if !any(words(from, len)) {
        return __cairn_clear(to, len);
    }
    // SAFETY: both ranges are shadow memory; `copy` allows them to overlap.
    unsafe { core::ptr::copy(address(from) as *const u32, address(to) as *mut u32, len as usize) }
}

/// Labels `len` bytes at `addr` with one byte's label, as `memset` does.
#[unsafe(no_mangle)]
pub extern "C" fn __cairn_fill(addr: u64, label: u32, len: u64) {
    if label == 0 {
        return __cairn_clear(addr, len);
    }
    let width = state().entry(label).width;
    let byte = if width == 8 { label } else { ops::extract(label, 0, 8) };
    words(addr, len).fill(word(byte, 0));
}

/// Labels the byte at `addr` as byte `offset` of input object `object`.
pub fn mark_input(addr: u64, object: u16, offset: u64) {
    // SAFETY: the caller has just written this byte.
    let value = u64::from(unsafe { *(addr as *const u8) });
    let label = input_label(object, offset, value);
    words(addr, 1)[0] = word(label, 0);
    state().check(label, value);
}

/// Label of an input byte.
pub fn input_label(object: u16, offset: u64, value: u64) -> u32 {
    ops::intern(Op::Input, 8, object, [0, 0], offset, value)
}
