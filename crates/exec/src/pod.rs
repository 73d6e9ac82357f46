//! Bytes to structures of `wire` and back.

use cairn_wire::control::{CRASH_FRAMES, DENIED_WORDS, MESSAGE_WORDS};
use cairn_wire::log::Callee;
use cairn_wire::protocol::{Ended, Hello};
use cairn_wire::{Control, Event, LabelEntry, ObjectEntry};

/// A structure that any bytes make a value of.
///
/// # Safety
/// The type must be `repr(C)`, consist of integers and arrays of integers only, and have no padding.
pub(crate) unsafe trait Plain: Copy + Default {}

// SAFETY: `repr(C)`, integers only; the sizes of the fields add up to the size of each of them.
unsafe impl Plain for Hello {}
// SAFETY: as above.
unsafe impl Plain for Ended {}
// SAFETY: as above.
unsafe impl Plain for Control {}
// SAFETY: as above.
unsafe impl Plain for ObjectEntry {}
// SAFETY: as above.
unsafe impl Plain for LabelEntry {}
// SAFETY: as above.
unsafe impl Plain for Event {}
// SAFETY: as above.
unsafe impl Plain for Callee {}

const _: () = assert!(
    size_of::<Control>()
        == 8 + 2 * 4
            + 15 * 8
            + 2 * 4
            + 8
            + 6 * 4
            + CRASH_FRAMES * 8
            + 2 * 4
            + 8
            + MESSAGE_WORDS * 8
            + 4 * 8
            + 2 * 4
            + DENIED_WORDS * 8
);
const _: () = assert!(size_of::<Ended>() == 24 && size_of::<Hello>() == 16);

/// The bytes of a structure, for reading into it.
pub(crate) fn bytes_mut<T: Plain>(value: &mut T) -> &mut [u8] {
    // SAFETY: the slice covers exactly `value`, which is borrowed for as long; `Plain` says that there
    // is no padding to expose and that whatever bytes are put there make a valid value.
    unsafe { std::slice::from_raw_parts_mut(std::ptr::from_mut(value).cast(), size_of::<T>()) }
}

/// The words of a structure that is made of whole ones.
pub(crate) fn words_mut<T: Plain>(value: &mut T) -> &mut [u64] {
    const { assert!(align_of::<T>() == 8 && size_of::<T>().is_multiple_of(8)) };
    // SAFETY: as in `bytes_mut`; alignment and size were asserted just now.
    unsafe { std::slice::from_raw_parts_mut(std::ptr::from_mut(value).cast(), size_of::<T>() / 8) }
}
