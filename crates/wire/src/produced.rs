//! The log of produced values: what a producer returned, activation by activation.
//!
//! A **producer** is a function that returns constants chosen by control flow, as a lexer does. The decisions that
//! lie within an activation say which input bytes it read; the **reaction** is what the program did with the value
//! until it asked for the next one.

/// Slots of the log, a chosen bound: activations beyond are not recorded.
pub const MAX_PRODUCED: u32 = 4096;
/// Words of reactions that a run records, a chosen bound.
pub const MAX_REACTIONS: u32 = 1 << 16;

/// Words with sides of a reaction: the number of eight coverage bytes in the upper 24 bits, and in the lower ones
/// a bit for each of these bytes whose side was taken.
pub const SIDES_SHIFT: u32 = 8;

/// Activations of one producer between two others; [`Produced::state`] says how far it has come.
pub mod state {
    /// The producer was entered and has not returned.
    pub const ENTERED: u32 = 1;
    /// It has returned a value.
    pub const RETURNED: u32 = 2;
    /// It was entered again: the reaction to the value is complete.
    pub const FOLLOWED: u32 = 3;
}

/// An activation of a producer.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Produced {
    /// Site of the producer.
    pub site: u32,
    /// One of [`state`].
    pub state: u32,
    /// Number of events when it was entered.
    pub entered: u32,
    /// Number of events when it returned.
    pub returned: u32,
    /// The value that it returned.
    pub value: u64,
    /// Words of the reaction: the sides taken from then on until it was entered again.
    pub first: u32,
    /// Their number.
    pub count: u32,
}

const _: () = assert!(size_of::<Produced>() == 32);
