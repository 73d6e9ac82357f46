//! The branch log: every branch that a run takes, concrete ones too, in pieces between the steps of its path.
//!
//! A step is a branch, concretization or constraint event. The branches between two steps form a piece, of
//! which the first [`HEAD`] and the last ones are kept. [`Open`] buffers the current piece; a step closes it:
//! the piece is appended to the log, preceded by a [`Word`] with its number of branches.
//!
//! An entry is the branch's index plus 1: a 0 terminates the buffer.

/// ELF section with the addresses of the coverage stores, which are patched to log their branch: a 32-bit
/// self-relative offset each.
pub const SECTION: &str = "cairn_edge";

/// Unit of the log.
pub type Word = u32;

/// Branches kept from the beginning of a piece; a chosen bound.
pub const HEAD: usize = 32;
/// Slots for branches from the end of a piece; a chosen bound.
pub const TAIL: usize = 32;
/// Slots for the branches of a piece: 256 bytes, so that the pointer advances by its lowest byte only.
pub const PLACES: usize = HEAD + TAIL;

/// Returns the number of branches kept of a piece of `total`: once the ring has wrapped, one slot holds the
/// terminating 0.
pub const fn kept(total: usize) -> usize {
    if total > PLACES { PLACES - 1 } else { total }
}

/// Buffer of the current piece.
///
/// Instrumented code writes an entry and a 0 after it, and advances the lowest byte of its pointer. When that
/// byte overflows it counts a lap and continues behind the head: the last entries form a ring, whose start is
/// marked by the 0.
#[repr(C, align(256))]
#[derive(Clone, Copy, Debug)]
pub struct Open {
    /// The entries of the piece.
    pub entries: [Word; PLACES],
    /// Slot for the 0 after the last entry.
    pub beyond: Word,
    /// Number of times the ring has wrapped.
    pub laps: u32,
}

const _: () = assert!(PLACES * size_of::<Word>() == 256);

impl Open {
    /// Size in memory.
    pub const SIZE: u64 = size_of::<Open>() as u64;
}

/// An indirect call: the hash of the callee's type as the caller declares it, and the callee's address.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Callee {
    /// Hash as in [`crate::meta::Call::Indirect`].
    pub type_hash: u64,
    /// Callee's address relative to the program's load address; never 0.
    pub offset: u64,
}

/// Slots of the hash table of indirect calls of a run; a chosen bound.
pub const MAX_CALLEES: u64 = 1024;
