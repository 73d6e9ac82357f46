//! Snapshots: the bytes of an object at the moment when it was read at a symbolic address.
//!
//! A snapshot is a [`Header`], the bytes, padding to four, and, if any byte is labelled, one shadow word per
//! byte (see [`crate::shadow`]); the next one starts at a multiple of [`ALIGNMENT`].

/// Alignment of snapshots.
pub const ALIGNMENT: u64 = 8;
/// Maximum length of a snapshot in bytes, a chosen bound; in larger objects the address is concretized.
pub const MAX_LEN: u64 = 4096;

/// Header of a snapshot.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Header {
    /// Number of bytes copied.
    pub len: u32,
    /// 1 if shadow words follow the bytes.
    pub labelled: u32,
}

impl Header {
    /// Returns the offset of the shadow words from the start of the header.
    pub const fn words_at(&self) -> u64 {
        size_of::<Header>() as u64 + (self.len as u64).next_multiple_of(4)
    }

    /// Returns the size of the snapshot including this header.
    pub const fn size(&self) -> u64 {
        self.words_at() + if self.labelled != 0 { 4 * self.len as u64 } else { 0 }
    }
}
