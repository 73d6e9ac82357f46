//! Memory that uninstrumented code is given.
//!
//! The callee has returned, and may have freed or unmapped what it was given. So only shadow memory and the map of heap blocks
//! are read here, and application memory where it must still be there: in variables and on the stack.

use crate::crash::stack_above;
use crate::objects::{self, Extent};
use crate::ops::lost;
use crate::outputs::__cairn_descriptors_change;
use crate::shadow::first_label;
use crate::state::state;
use cairn_wire::{Loss, SiteRecord};

/// Bytes looked at from an address on whose object is not known.
const PREFIX: u64 = 64;
/// Bytes of an object that are searched for pointers to more.
const POINTERS: u64 = 512;
/// Bytes of one pointer.
const POINTER: u64 = 8;
/// Longest text on the stack of which the object is not known.
const TEXT: u64 = 4096;

/// Uninstrumented code was given `pointer`, into the `len` bytes from `start` on; into an unknown object if `len` is 0.
pub extern "C" fn foreign(record: *const SiteRecord, pointer: u64, start: u64, len: u64) {
    __cairn_descriptors_change();
    if state().tracing && pointer != 0 {
        lost(record, label_behind(pointer, start, len), Loss::Foreign as u32);
    }
}

/// A label in the memory that an output function was given, as for [`foreign`]; 0 if there is none.
pub extern "C" fn behind(pointer: u64, start: u64, len: u64) -> u32 {
    if state().tracing && pointer != 0 { label_behind(pointer, start, len) } else { 0 }
}

fn label_behind(pointer: u64, start: u64, len: u64) -> u32 {
    match len {
        0 => label_in_object(pointer),
        _ => match first_label(start, len) {
            0 => label_behind_pointers(start, len),
            label => label,
        },
    }
}

/// A label in the object that an address points into, or in the beginning of what lies there if none is known.
pub fn label_in_object(address: u64) -> u32 {
    if let Some(end) = stack_above(address) {
        return first_label(address, text_length(address, end).max(PREFIX.min(end - address)));
    }
    let Extent { start, end } =
        objects::find(address).unwrap_or(Extent { start: address, end: address.saturating_add(PREFIX) });
    first_label(start, end - start)
}

/// Length of the text at an address of the stack, with the NUL that ends it: that may be symbolic as well.
fn text_length(address: u64, end: u64) -> u64 {
    let most = TEXT.min(end - address);
    // SAFETY: the main stack is in use from there to its end.
    let is_text = |index: &u64| unsafe { *((address + index) as *const u8) } != 0;
    (0..most).find(|index| !is_text(index)).map_or(most, |end| end + 1)
}

/// A label in an object that one of the words of a variable points into: vectors of buffers, lists of arguments.
fn label_behind_pointers(start: u64, len: u64) -> u32 {
    let first = start.next_multiple_of(POINTER);
    let end = start + len.min(POINTERS);
    let words = (first..end.saturating_sub(POINTER - 1)).step_by(POINTER as usize);
    // SAFETY: a variable of the program, whose function has not returned, or that lives as long as the program.
    let pointers = words.map(|at| unsafe { *(at as *const u64) }).filter(|value| objects::is_start(*value));
    pointers.map(label_in_object).find(|label| *label != 0).unwrap_or(0)
}
