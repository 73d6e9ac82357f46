//! Table of a program's global variables: the runtime looks up the object that a symbolic pointer points
//! into.

/// ELF section of the table.
pub const SECTION: &str = "cairn_obj";

/// A global variable.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ObjectRecord {
    /// Its address.
    pub address: u64,
    /// Its size in bytes.
    pub size: u64,
}

const _: () = assert!(size_of::<ObjectRecord>() == 16);
