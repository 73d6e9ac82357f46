//! Snapshots: what a piece of memory held when it was read at a symbolic address.
//!
//! A snapshot is a [`Header`], the bytes, padding to four, and, if any byte is labelled, one shadow word per
//! byte (see [`crate::shadow`]); the next one starts at a multiple of [`ALIGNMENT`].

/// Where snapshots may start.
pub const ALIGNMENT: u64 = 8;
/// Longest snapshot, in bytes; larger objects are read at a pinned address.
pub const MAX_LEN: u64 = 4096;

/// What stands before the bytes.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Header {
    /// Bytes of memory.
    pub len: u32,
    /// 1 if shadow words follow the bytes.
    pub labelled: u32,
}

impl Header {
    /// Where the shadow words start, from the start of the header.
    pub const fn words_at(&self) -> u64 {
        size_of::<Header>() as u64 + (self.len as u64).next_multiple_of(4)
    }

    /// Bytes from the start of this header to the end of its snapshot.
    pub const fn size(&self) -> u64 {
        self.words_at() + if self.labelled != 0 { 4 * self.len as u64 } else { 0 }
    }
}
