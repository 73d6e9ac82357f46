//! Sites: the instructions of a program at which a run decides, concretizes or loses a value.
//!
//! The pass emits one [`SiteRecord`] per site into section [`SECTION`], one byte per side into
//! [`COVERAGE_SECTION`] and everything else into [`META_SECTION`]. A site's id is its record's index in the
//! linked section, a side's id its byte's index: both are dense across all files of a program, with no
//! coordination at compile time.

use crate::numbered::numbered;

/// ELF section of the site records.
pub const SECTION: &str = "cairn_br";
/// ELF section of the coverage bytes, one per side.
pub const COVERAGE_SECTION: &str = "cairn_cov";
/// ELF section of the metadata blobs, one per translation unit.
pub const META_SECTION: &str = "cairn_meta";

/// Symbol to which the program's `main` is renamed; the runtime defines `main` instead.
pub const USER_MAIN: &str = "__cairn_user_main";

/// Index of a site's record in the linked program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SiteId(pub u32);

numbered! {
    /// Kind of instruction at a site.
    pub enum SiteKind: u8, from_u8(u8) {
        /// A conditional branch: side 0 is false, side 1 is true.
        Branch = 0,
        /// A switch: one side per distinct successor, the default's last.
        Switch = 1,
        /// A conditional expression that clang compiled to a select: sides as for a branch.
        Select = 2,
        /// An instruction that may have to concretize a symbolic value; it has no sides.
        Concretization = 3,
        /// A call of a function that its unit declares and does not define, or an unsupported instruction; it
        /// has no sides. Its `width` is the index of the name in the unit's list.
        UninstrumentedCall = 4,
        /// A function that returns constants chosen by control flow, see [`crate::produced`]; it has no sides.
        Producer = 5,
    }
}

/// The part of a site that the runtime needs; instrumented code passes its address.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SiteRecord {
    /// Its [`SiteKind`] as a byte.
    pub kind: u8,
    /// Reserved, 0.
    pub reserved: [u8; 3],
    /// Index within the translation unit, and so into its metadata blob.
    pub local: u32,
    /// Source line, for inspection in a debugger; the driver reads the metadata instead.
    pub line: u32,
    /// Source column.
    pub column: u32,
    /// Reserved for later versions.
    pub spare: [u32; 4],
}

const _: () = assert!(size_of::<SiteRecord>() == 32);
