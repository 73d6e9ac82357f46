//! Shadow memory: four bytes for every byte of the application, by a direct map.
//!
//! Most memory is concrete, and looking at its shadow would drag five times the program's data through the cache. So there
//! are hints: one byte for [`GRAIN`] bytes of the application, 0 if no byte that starts within [`REACH`] of any of these has a label.
//! Only where a hint is set is there anything to look for in the shadow. Addresses that are megabytes apart share hints, and
//! a hint stays when labels go: it never says too little. They lie so low that their address fits an instruction.
//!
//! A shadow word is `byte_index << 29 | label`: byte `byte_index` of the value with that label.
//! A value that is spilled and reloaded whole therefore gives back its label with no new entry.

/// Where the shadow starts.
pub const BASE: u64 = 0x1000_0000_0000;
/// How much of an address takes part in the map.
pub const ADDRESS_MASK: u64 = 0x0fff_ffff_ffff;
/// Application bytes to shadow bytes, as a shift.
pub const SCALE_SHIFT: u64 = 2;
/// Size of the shadow in bytes.
pub const SIZE: u64 = (ADDRESS_MASK + 1) << SCALE_SHIFT;
/// Bits of a shadow word that hold the label.
pub const LABEL_BITS: u32 = 29;
/// Mask of the label in a shadow word.
pub const LABEL_MASK: u32 = (1 << LABEL_BITS) - 1;

/// Where the hints start: below what 32 bits with a sign reach, above programs that are linked to fixed addresses.
pub const SUMMARY: u64 = 0x7000_0000;
/// How many hints there are: few enough that all are mapped before the first run, and that they stay in the cache.
pub const SUMMARY_SIZE: u64 = 1 << 15;
/// Application bytes to hints, as a shift.
pub const GRAIN_SHIFT: u64 = 6;
/// Application bytes of a hint.
pub const GRAIN: u64 = 1 << GRAIN_SHIFT;
/// How many bytes from an address on its hint speaks for.
pub const REACH: u64 = GRAIN;

/// Address of the hint for the [`REACH`] bytes from an address on.
pub const fn summary_address(application: u64) -> u64 {
    SUMMARY + (application >> GRAIN_SHIFT & (SUMMARY_SIZE - 1))
}

/// Address of the shadow word of an application byte.
pub const fn address(application: u64) -> u64 {
    BASE + ((application & ADDRESS_MASK) << SCALE_SHIFT)
}

/// The shadow word of byte `index` of the value with this label.
pub const fn word(label: u32, index: u32) -> u32 {
    index << LABEL_BITS | label
}
