//! Shadow memory: four bytes for every byte of the application, by a direct map.
//!
//! Most memory is concrete, and reading its shadow would pull five times the program's data through the
//! cache. Hence the **shadow summary**: one byte per line of [`GRAIN`] application bytes, 0 if no byte that
//! starts within [`REACH`] of any byte of the line has a label. The shadow is read only where the summary is
//! nonzero. Lines 2 MiB apart share a summary byte, and a summary byte stays set when labels go: the summary
//! over-approximates, it never misses a label. Its addresses fit the displacement of an instruction.
//!
//! A shadow word is `byte_index << 29 | label`: byte `byte_index` of the value with that label. A value that
//! is stored and reloaded whole gets back its label without a new table entry.

/// Start of the shadow.
pub const BASE: u64 = 0x1000_0000_0000;
/// Bits of an address that take part in the mapping.
pub const ADDRESS_MASK: u64 = 0x0fff_ffff_ffff;
/// Shift from application bytes to shadow bytes.
pub const SCALE_SHIFT: u64 = 2;
/// Size of the shadow in bytes.
pub const SIZE: u64 = (ADDRESS_MASK + 1) << SCALE_SHIFT;
/// Bits of a shadow word that hold the label.
pub const LABEL_BITS: u32 = 29;
/// Mask of the label in a shadow word.
pub const LABEL_MASK: u32 = (1 << LABEL_BITS) - 1;

/// Start of the summary: within the range of a signed 32-bit displacement, above programs that are linked to
/// fixed addresses.
pub const SUMMARY: u64 = 0x7000_0000;
/// Number of summary bytes: few enough that all are mapped before the first run and stay in the cache.
pub const SUMMARY_SIZE: u64 = 1 << 15;
/// Shift from application bytes to summary bytes.
pub const GRAIN_SHIFT: u64 = 6;
/// Application bytes per summary byte.
pub const GRAIN: u64 = 1 << GRAIN_SHIFT;
/// Number of bytes from an address on that its summary byte covers.
pub const REACH: u64 = GRAIN;

/// Returns the address of the summary byte for the [`REACH`] bytes from an address on.
pub const fn summary_address(application: u64) -> u64 {
    SUMMARY + (application >> GRAIN_SHIFT & (SUMMARY_SIZE - 1))
}

/// Returns the address of the shadow word of an application byte.
pub const fn address(application: u64) -> u64 {
    BASE + ((application & ADDRESS_MASK) << SCALE_SHIFT)
}

/// Returns the shadow word of byte `index` of the value with this label.
pub const fn word(label: u32, index: u32) -> u32 {
    index << LABEL_BITS | label
}
