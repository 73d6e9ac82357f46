//! Pod old data: structures of `wire` as bytes and words.

use cairn_wire::control::{CRASH_FRAMES, DENIED_WORDS, MESSAGE_WORDS};
use cairn_wire::log::Callee;
use cairn_wire::produced::Produced;
use cairn_wire::protocol::{Ended, Hello};
use cairn_wire::{Control, Event, LabelEntry, ObjectEntry};

/// A structure for which every bit pattern is a valid value.
///
/// # Safety
/// The type must be `repr(C)`, consist of integers and arrays of integers only, and have no padding.
pub(crate) unsafe trait Pod: Copy + Default {}

// SAFETY: `repr(C)`, integers only; the sizes of the fields add up to the size of each of them.
unsafe impl Pod for Hello {}
// SAFETY: an integer.
unsafe impl Pod for u32 {}
// SAFETY: as above.
unsafe impl Pod for Ended {}
// SAFETY: as above.
unsafe impl Pod for Control {}
// SAFETY: as above.
unsafe impl Pod for ObjectEntry {}
// SAFETY: as above.
unsafe impl Pod for LabelEntry {}
// SAFETY: as above.
unsafe impl Pod for Event {}
// SAFETY: as above.
unsafe impl Pod for Callee {}
// SAFETY: as above.
unsafe impl Pod for Produced {}

const _: () = assert!(
    size_of::<Control>()
        == 8 + 2 * 4
            + 17 * 8
            + 2 * 4
            + 8
            + 6 * 4
            + CRASH_FRAMES * 8
            + 2 * 4
            + 8
            + MESSAGE_WORDS * 8
            + 4 * 8
            + 2 * 4
            + 2 * 4
            + DENIED_WORDS * 8
);
const _: () = assert!(size_of::<Ended>() == 24 && size_of::<Hello>() == 16);

/// Returns the bytes of a structure, for reading into it.
pub(crate) fn bytes_mut<T: Pod>(value: &mut T) -> &mut [u8] {
    // SAFETY: the slice covers exactly `value`, which is borrowed for as long; `Pod` guarantees that
    // there is no padding to expose and that all bytes make a valid value.
    unsafe { std::slice::from_raw_parts_mut(std::ptr::from_mut(value).cast(), size_of::<T>()) }
}

/// Returns the words of a structure that consists of whole ones.
pub(crate) fn words_mut<T: Pod>(value: &mut T) -> &mut [u64] {
    const { assert!(align_of::<T>() == 8 && size_of::<T>().is_multiple_of(8)) };
    // SAFETY: as in `bytes_mut`; alignment and size were asserted just now.
    unsafe { std::slice::from_raw_parts_mut(std::ptr::from_mut(value).cast(), size_of::<T>() / 8) }
}
