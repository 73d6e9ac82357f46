//! Shadow memory: four bytes for every byte of the application, by a direct map.
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

/// Address of the shadow word of an application byte.
pub const fn address(application: u64) -> u64 {
    BASE + ((application & ADDRESS_MASK) << SCALE_SHIFT)
}

/// The shadow word of byte `index` of the value with this label.
pub const fn word(label: u32, index: u32) -> u32 {
    index << LABEL_BITS | label
}
