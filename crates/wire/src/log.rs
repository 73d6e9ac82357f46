//! The branch log: every branch that a run takes, concrete ones too, in pieces between the steps of its path.
//!
//! A step is an event of the path: a branch, a pin or a constraint. What the run does between two steps is one piece, of
//! which the first and the last branches are kept. The piece that is being written lies in [`Open`], where code puts its
//! entries; a step closes it: it is appended to the log, a [`Word`] with the number of branches first.
//!
//! An entry is the branch's index plus 1, so that 0 can stand for the end.

/// ELF section with the places where instrumented code marks a branch: for each a 32-bit distance from itself.
pub const SECTION: &str = "cairn_edge";

/// Unit of the log.
pub type Word = u32;

/// Branches kept from the beginning of a piece.
pub const HEAD: usize = 32;
/// Places for branches from the end of a piece.
pub const TAIL: usize = 32;
/// Places for the branches of one piece.
pub const PLACES: usize = HEAD + TAIL;

/// How many are kept of a piece of so many branches: where the 0 is in the ring, none can be.
pub const fn kept(total: usize) -> usize {
    if total > PLACES { PLACES - 1 } else { total }
}

/// The piece that is being written.
///
/// Code writes an entry and a 0 after it, and moves on by changing the lowest byte of its pointer. When that overflows it
/// counts a lap and goes on behind the head: the last entries form a ring. Where the ring begins shows the 0.
#[repr(C, align(256))]
#[derive(Clone, Copy, Debug)]
pub struct Open {
    /// The entries.
    pub entries: [Word; PLACES],
    /// Where the 0 after the last place goes.
    pub beyond: Word,
    /// How often the places were used up.
    pub laps: u32,
}

const _: () = assert!(PLACES * size_of::<Word>() == 256);

impl Open {
    /// Its size in memory.
    pub const SIZE: u64 = size_of::<Open>() as u64;
}

/// A call through a pointer, by the hash of the callee's type as the caller knows it and the callee's address.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Callee {
    /// As [`crate::meta::Call::Indirect`] has it.
    pub type_hash: u64,
    /// Where it starts, relative to the program's start; never 0.
    pub offset: u64,
}

/// Different calls through pointers that one run can tell of: places of a hash table.
pub const MAX_CALLEES: u64 = 1024;
