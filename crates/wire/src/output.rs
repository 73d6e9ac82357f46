//! Bits by which the pass tells the runtime what an output function does with its data.

/// The destination is a stream of the C library; otherwise it is a descriptor.
pub const STREAM: u32 = 1;
/// The result depends on the data, and the program uses it.
pub const RESULT: u32 = 2;
