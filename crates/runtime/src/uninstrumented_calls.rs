//! Memory that uninstrumented code is given.
//!
//! Searched before the call: objects that pointers lead to, through at most [`LEVELS`] of pointers in memory. Shadow memory
//! is always there. Application memory is read where it must be, too: in variables that the pass has named, on the stack
//! in use, in global variables, and in heap blocks whose pages are mapped (uninstrumented code may have freed them, which
//! the map of blocks does not show).

use crate::crash::stack_above;
use crate::objects::{self, Extent};
use crate::ops::lost;
use crate::outputs::__cairn_descriptors_change;
use crate::persistent::call;
use crate::shadow::first_label;
use crate::state::state;
use crate::tls::tls;
use cairn_wire::control::PAGE;
use cairn_wire::tls::{INSTRUMENTED, RETURNED};
use cairn_wire::{Loss, SiteRecord};
use core::ptr::null;

/// Bytes looked at from an address on whose object is not known.
const PREFIX: u64 = 64;
/// Bytes of an object that are searched for pointers to more.
const POINTERS: u64 = 512;
/// Bytes of one pointer.
const POINTER: u64 = 8;
/// Longest text on the stack of which the object is not known.
const TEXT: u64 = 4096;
/// Pointers in memory that are followed one after the other: from a message to its vector of buffers, and on to a buffer.
const LEVELS: u32 = 2;
/// Objects that one search looks at.
const MOST_OBJECTS: u32 = 256;

/// A callee returned. If it has left its tag it is remembered as instrumented, otherwise the label that it was given counts
/// as lost.
pub extern "C" fn foreign(record: *const SiteRecord, callee: u64, label: u32) {
    let tls = tls();
    if tls.tag == callee.wrapping_add(RETURNED) {
        tls.instrumented[(callee >> 4) as usize % INSTRUMENTED] = callee;
    } else {
        __cairn_descriptors_change();
        lost(record, label, Loss::Foreign as u32);
    }
}

/// A function of the program that gets no labels begins. Counts a loss if there is anything symbolic that it may read.
pub extern "C" fn unfollowed() {
    let state = state();
    if state.tracing {
        lost(null(), state.control().labels - 1, Loss::Instruction as u32);
    }
}

/// The given label or, if that is 0, one behind `pointer`, which points into the `len` bytes from `start` on; into an
/// unknown object if `len` is 0.
pub extern "C" fn behind(label: u32, pointer: u64, start: u64, len: u64) -> u32 {
    if label != 0 || pointer == 0 || !state().tracing {
        return label;
    }
    let mut search = Search { objects: MOST_OBJECTS };
    match len {
        0 => search.behind(pointer, LEVELS),
        _ => search.in_object(Found { start, end: start + len, words: pointer..start + len }, LEVELS),
    }
}

/// A label in the object that a word of memory points into, or behind the pointers there; 0 if there is none, or the word
/// is no pointer.
pub fn label_behind_word(word: u64) -> u32 {
    Search { objects: MOST_OBJECTS }.behind_word(word, LEVELS)
}

/// An object, and the part of it that may be read.
struct Found {
    start: u64,
    end: u64,
    words: core::ops::Range<u64>,
}

struct Search {
    /// Objects that may still be looked at.
    objects: u32,
}

impl Search {
    /// A label in the object that an address points into, or in one that pointers in it lead to.
    fn behind(&mut self, address: u64, levels: u32) -> u32 {
        object_at(address).map_or_else(|| first_label(address, PREFIX), |found| self.in_object(found, levels))
    }

    fn in_object(&mut self, found: Found, levels: u32) -> u32 {
        let label = first_label(found.start, found.end - found.start);
        if label != 0 || levels == 0 {
            return label;
        }
        let first = found.words.start.next_multiple_of(POINTER);
        let end = found.words.end.min(first.saturating_add(POINTERS));
        for at in (first..end.saturating_sub(POINTER - 1)).step_by(POINTER as usize) {
            // SAFETY: part of an object that may be read.
            let word = unsafe { *(at as *const u64) };
            let label = self.behind_word(word, levels - 1);
            if label != 0 {
                return label;
            }
        }
        0
    }

    /// The same for a word of memory, if it is a pointer into an object, or to its end: a library function may have used up
    /// what is before.
    fn behind_word(&mut self, word: u64, levels: u32) -> u32 {
        if self.objects == 0 {
            return 0;
        }
        let Some(found) = object_at(word).or_else(|| object_at(word.wrapping_sub(1))) else { return 0 };
        self.objects -= 1;
        self.in_object(found, levels)
    }
}

/// The object that an address points into. On the stack, where its extent is not known, it begins at the address.
fn object_at(address: u64) -> Option<Found> {
    if let Some(end) = stack_above(address) {
        let prefix = address + PREFIX.min(end - address);
        let text = address + text_length(address, end);
        return Some(Found { start: address, end: text.max(prefix), words: address..prefix });
    }
    if let Some(Extent { start, end }) = objects::global_at(address) {
        return Some(Found { start, end, words: address..end });
    }
    let Extent { start, end } = objects::block_at(address)?;
    let read = address..end.min(address + POINTERS + POINTER);
    let words = if is_mapped(&read) { read } else { address..address };
    Some(Found { start, end, words })
}

/// True if all pages of a range are mapped.
fn is_mapped(range: &core::ops::Range<u64>) -> bool {
    const PAGES: usize = 2;
    const _: () = assert!(POINTERS + POINTER < PAGE);
    let mut resident = [0u8; PAGES];
    let first = range.start / PAGE * PAGE;
    call(libc::SYS_mincore, [first, range.end - first, resident.as_mut_ptr() as u64]) == 0
}

/// Length of the text at an address of the stack, with the NUL that ends it: that may be symbolic as well.
fn text_length(address: u64, end: u64) -> u64 {
    let most = TEXT.min(end - address);
    // SAFETY: the main stack is in use from there to its end.
    let is_text = |index: &u64| unsafe { *((address + index) as *const u8) } != 0;
    (0..most).find(|index| !is_text(index)).map_or(most, |end| end + 1)
}
