//! Bits by which the pass tells the runtime what an output function does with its data.

/// The destination is a descriptor.
pub const DESCRIPTOR: u32 = 1;
/// The destination is a stream of the C library.
pub const STREAM: u32 = 2;
/// The result depends on the data, and the program uses it.
pub const RESULT: u32 = 4;
