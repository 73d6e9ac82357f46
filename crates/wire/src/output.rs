//! Flags by which the pass describes a call of an output function to the runtime.

/// The destination is a `FILE` stream; otherwise it is a descriptor.
pub const STREAM: u32 = 1;
/// The result depends on the data written, and the program uses it.
pub const RESULT: u32 = 2;
