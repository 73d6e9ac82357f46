//! Global variables of a program, so that the runtime knows what a pointer may point into.

/// ELF section of the list.
pub const SECTION: &str = "cairn_obj";

/// One variable.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ObjectRecord {
    /// Where it is.
    pub address: u64,
    /// Its bytes.
    pub size: u64,
}

const _: () = assert!(size_of::<ObjectRecord>() == 16);
