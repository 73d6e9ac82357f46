//! Copies of memory that was read at a symbolic address.
//!
//! A table is read over and over, and seldom changes in between: the last copy from every place is
//! remembered, and taken again if memory still looks the same.

use crate::lock;
use crate::shadow::{any, words};
use crate::state::{State, state};
use cairn_wire::shadow::{LABEL_BITS, LABEL_MASK};
use cairn_wire::snapshot::{ALIGNMENT, Header};
use core::cell::UnsafeCell;

/// Copies remembered, by a hash of their place.
const REMEMBERED: usize = 256;

/// A piece of memory that can be read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Window {
    pub base: u64,
    pub len: u64,
    /// It never changes, and has no labels.
    pub constant: bool,
}

impl Window {
    fn bytes(&self) -> &'static [u8] {
        // SAFETY: whoever makes a window knows that its memory is readable.
        unsafe { core::slice::from_raw_parts(self.base as *const u8, self.len as usize) }
    }
}

#[derive(Clone, Copy)]
struct Copied {
    window: Window,
    offset: u64,
}

const NOTHING: Copied = Copied { window: Window { base: 0, len: 0, constant: false }, offset: 0 };

struct Memory(UnsafeCell<[Copied; REMEMBERED]>);

// SAFETY: used under the lock of table and log only.
unsafe impl Sync for Memory {}

static LAST: Memory = Memory(UnsafeCell::new([NOTHING; REMEMBERED]));

/// Offset of a copy of the window as it is now, new or old; `None` if there is no room left.
pub fn take(window: Window) -> Option<u64> {
    let _guard = lock::take()?;
    let state = state();
    // SAFETY: under the lock.
    let last = unsafe { &mut (*LAST.0.get())[place(window.base)] };
    if last.window != window || !(window.constant || is_unchanged(state, last)) {
        *last = Copied { window, offset: copy(state, window)? };
    }
    Some(last.offset)
}

fn place(base: u64) -> usize {
    (base.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize % REMEMBERED
}

fn is_unchanged(state: &State, copied: &Copied) -> bool {
    let Copied { window, offset } = copied;
    // SAFETY: a header was written there, and bytes and words as it says.
    let (header, bytes, old_words) = unsafe {
        let at = state.snapshots.add(*offset as usize);
        let header = *(at as *const Header);
        let bytes = core::slice::from_raw_parts(at.add(size_of::<Header>()), header.len as usize);
        let labelled = if header.labelled != 0 { header.len as usize } else { 0 };
        let words = core::slice::from_raw_parts(at.add(header.words_at() as usize) as *const u32, labelled);
        (header, bytes, words)
    };
    let words = words(window.base, window.len);
    let same_labels =
        if header.labelled != 0 { same(old_words, words) } else { !any(window.base, window.len) };
    same_labels && same(bytes, window.bytes())
}

/// Whether two slices of one length are equal. Plain `==` would call a `memcmp` that the program may define.
fn same<T: Copy + Into<u32>>(a: &[T], b: &[T]) -> bool {
    let differs = |(a, b): (&T, &T)| (*a).into() ^ (*b).into();
    a.chunks(64).zip(b.chunks(64)).all(|(a, b)| a.iter().zip(b).map(differs).fold(0, |or, x| or | x) == 0)
}

/// Appends a copy to the region.
fn copy(state: &mut State, window: Window) -> Option<u64> {
    let labelled = !window.constant && drop_stale(state, window);
    let header = Header { len: window.len as u32, labelled: labelled.into() };
    let control = state.control();
    let offset = control.snapshots_used.next_multiple_of(ALIGNMENT);
    let end = offset.checked_add(header.size()).filter(|end| *end <= state.snapshot_size)?;
    control.snapshots_used = end;
    let bytes = window.bytes();
    // SAFETY: the region has room for header, bytes and words from the offset on.
    unsafe {
        let at = state.snapshots.add(offset as usize);
        *(at as *mut Header) = header;
        core::ptr::copy_nonoverlapping(bytes.as_ptr(), at.add(size_of::<Header>()), bytes.len());
        if labelled {
            let to = at.add(header.words_at() as usize) as *mut u32;
            core::ptr::copy_nonoverlapping(words(window.base, window.len).as_ptr(), to, bytes.len());
        }
    }
    Some(offset)
}

/// Takes labels off bytes that code without instrumentation has written over; whether any are left.
fn drop_stale(state: &mut State, window: Window) -> bool {
    if !any(window.base, window.len) {
        return false;
    }
    for (word, byte) in
        words(window.base, window.len).iter_mut().zip(window.bytes()).filter(|(word, _)| **word != 0)
    {
        let value = state.value(*word & LABEL_MASK) >> ((*word >> LABEL_BITS) * 8);
        if value as u8 != *byte {
            *word = 0;
            state.control().stale += 1;
        }
    }
    any(window.base, window.len)
}
