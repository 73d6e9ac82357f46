//! Branch sites: the places of a program where a run decides something.
//!
//! The pass puts one [`SiteRecord`] per site into section [`SECTION`], one byte per side into
//! [`COVERAGE_SECTION`] and the rest of what is known into [`META_SECTION`]. A site's id is its
//! record's index in the linked section, a branch's id its byte's index: both are dense across all
//! files of a program, with no coordination at compile time.

/// ELF section of the site records.
pub const SECTION: &str = "cairn_br";
/// ELF section of the coverage bytes, one per side.
pub const COVERAGE_SECTION: &str = "cairn_cov";
/// ELF section of the metadata blobs, one per translation unit.
pub const META_SECTION: &str = "cairn_meta";

/// What the program's `main` is called once the runtime's has taken its place.
pub const USER_MAIN: &str = "__cairn_user_main";

/// Index of a site's record in the linked program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SiteId(pub u32);

/// What stands at a site.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SiteKind {
    /// A conditional branch: side 0 is false, side 1 is true.
    Branch = 0,
    /// A switch: one side per distinct successor, the default's last.
    Switch = 1,
    /// A conditional expression that clang made a select: sides as for a branch.
    Select = 2,
    /// A place where a symbolic value may have to be used as a constant; it has no sides.
    Concretization = 3,
    /// A call of a function that is declared and not defined in its unit, or an instruction that is not followed; it
    /// has no sides. Its `width` is the index of the name in the unit's list.
    UninstrumentedCall = 4,
}

impl SiteKind {
    /// The kind with this byte, if there is one.
    pub const fn from_u8(byte: u8) -> Option<SiteKind> {
        match byte {
            0 => Some(SiteKind::Branch),
            1 => Some(SiteKind::Switch),
            2 => Some(SiteKind::Select),
            3 => Some(SiteKind::Concretization),
            4 => Some(SiteKind::UninstrumentedCall),
            _ => None,
        }
    }
}

/// What the runtime needs of a site; instrumented code passes its address.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SiteRecord {
    /// A [`SiteKind`] as a byte.
    pub kind: u8,
    /// Reserved, 0.
    pub reserved: [u8; 3],
    /// Index within the translation unit, which is the index into its metadata blob.
    pub local: u32,
    /// Source line, for whoever looks at the section with a debugger; the driver reads the metadata.
    pub line: u32,
    /// Source column.
    pub column: u32,
    /// Room for what later versions need.
    pub spare: [u32; 4],
}

const _: () = assert!(size_of::<SiteRecord>() == 32);
