//! Labels in memory that is reachable from a pointer given to an uninstrumented function.
//!
//! Searched before the call: the object that the pointer leads to, and objects that pointers in it lead to,
//! up to [`MAX_DEPTH`] levels. Shadow memory is always mapped. Application memory, which holds the pointers,
//! is read only where it must be mapped, too: variables that the pass has named, the used part of the stack,
//! global variables, and heap blocks whose pages are mapped (uninstrumented code may have freed them, which
//! the map of blocks does not show).

use crate::crash::stack_above;
use crate::objects::{self, Extent};
use crate::recorder::recorder;
use crate::shadow::first_label;
use crate::syscall::call;
use cairn_wire::control::PAGE;

// The limits below are chosen bounds on the cost of one call; no program is known to need more.

/// Bytes searched from an address whose object is not known.
const PREFIX: u64 = 64;
/// Bytes of an object that are searched for pointers.
const POINTERS: u64 = 512;
/// Size of a pointer.
const POINTER: u64 = 8;
/// Longest string on the stack, where extents of objects are not known.
const MAX_STRING: u64 = 4096;
/// Pointers in memory that are followed one after the other: from a message to its vector of buffers, and on
/// to a buffer.
const MAX_DEPTH: u32 = 2;
/// Objects that one search visits.
const MAX_OBJECTS: u32 = 256;

/// Returns the given label or, if that is 0, one in memory reachable from `pointer`, which points into the
/// `len` bytes from `start` on; into an unknown object if `len` is 0.
pub extern "C" fn reachable_label(label: u32, pointer: u64, start: u64, len: u64) -> u32 {
    if label != 0 || pointer == 0 || !recorder().tracing {
        return label;
    }
    let mut search = Search { objects: MAX_OBJECTS };
    match len {
        0 => search.behind(pointer, MAX_DEPTH),
        _ => search.in_object(Object { start, end: start + len, words: pointer..start + len }, MAX_DEPTH),
    }
}

/// Returns a label in the object that a word of memory points into, or behind the pointers there; 0 if there
/// is none, or the word is no pointer.
pub fn reachable_label_of_word(word: u64) -> u32 {
    Search { objects: MAX_OBJECTS }.behind_word(word, MAX_DEPTH)
}

/// An object, and the part of it that may be read.
struct Object {
    start: u64,
    end: u64,
    words: core::ops::Range<u64>,
}

struct Search {
    /// Objects that may still be visited.
    objects: u32,
}

impl Search {
    /// Returns a label in the object that an address points into, or in one that pointers in it lead to.
    fn behind(&mut self, address: u64, depth: u32) -> u32 {
        object_at(address)
            .map_or_else(|| first_label(address, PREFIX), |object| self.in_object(object, depth))
    }

    fn in_object(&mut self, object: Object, depth: u32) -> u32 {
        let label = first_label(object.start, object.end - object.start);
        if label != 0 || depth == 0 {
            return label;
        }
        let first = object.words.start.next_multiple_of(POINTER);
        let end = object.words.end.min(first.saturating_add(POINTERS));
        for at in (first..end.saturating_sub(POINTER - 1)).step_by(POINTER as usize) {
            // SAFETY: part of an object that may be read.
            let word = unsafe { *(at as *const u64) };
            let label = self.behind_word(word, depth - 1);
            if label != 0 {
                return label;
            }
        }
        0
    }

    /// As [`Search::behind`] for a word of memory, if it is a pointer into an object or to its end: a library
    /// function may have moved the pointer past what it has consumed.
    fn behind_word(&mut self, word: u64, depth: u32) -> u32 {
        if self.objects == 0 {
            return 0;
        }
        let Some(object) = object_at(word).or_else(|| object_at(word.wrapping_sub(1))) else { return 0 };
        self.objects -= 1;
        self.in_object(object, depth)
    }
}

/// Returns the object that an address points into. On the stack, where extents are not known, it begins at
/// the address.
fn object_at(address: u64) -> Option<Object> {
    if let Some(end) = stack_above(address) {
        let prefix = address + PREFIX.min(end - address);
        let string = address + string_length(address, end);
        return Some(Object { start: address, end: string.max(prefix), words: address..prefix });
    }
    if let Some(Extent { start, end }) = objects::global_at(address) {
        return Some(Object { start, end, words: address..end });
    }
    let Extent { start, end } = objects::block_at(address)?;
    let read = address..end.min(address + POINTERS + POINTER);
    let words = if is_mapped(&read) { read } else { address..address };
    Some(Object { start, end, words })
}

/// True if all pages of a range are mapped.
fn is_mapped(range: &core::ops::Range<u64>) -> bool {
    const PAGES: usize = 2;
    const _: () = assert!(POINTERS + POINTER < PAGE);
    let mut resident = [0u8; PAGES];
    let first = range.start / PAGE * PAGE;
    call(libc::SYS_mincore, [first, range.end - first, resident.as_mut_ptr() as u64]) == 0
}

/// Returns the length of the string at an address of the stack, including its NUL, which may be symbolic as
/// well.
fn string_length(address: u64, end: u64) -> u64 {
    let longest = MAX_STRING.min(end - address);
    // SAFETY: the main stack is in use from there to its end.
    let is_nul = |index: &u64| unsafe { *((address + index) as *const u8) } == 0;
    (0..longest).find(is_nul).map_or(longest, |end| end + 1)
}
