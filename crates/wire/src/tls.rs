//! Calling convention for labels: arguments and results pass theirs in thread-local memory.
//!
//! The tag names the function that the labels are for: a caller sets it to the callee's address; a callee
//! that does not find its own address there was called by uninstrumented code and treats its arguments as
//! concrete. On return the callee sets the tag to its address plus [`RETURNED`]; a caller that finds another
//! value has called uninstrumented code. Calls through libc (`qsort` calling a comparison) thus never see
//! stale labels of another call.

/// Symbol of the thread-local block.
pub const SYMBOL: &str = "__cairn_tls";
/// Maximum number of argument labels of a call, one per scalar; labels of later arguments are counted as
/// lost.
pub const MAX_ARGS: usize = 64;
/// Maximum number of labels of a result; an aggregate has one per scalar.
pub const MAX_RESULTS: usize = 16;
/// Maximum number of structs passed by value whose shadow a call passes; labels in later ones are counted as
/// lost.
pub const MAX_BYVAL: usize = 16;

/// Offset that a returning function adds to its address, so that the caller's own tag is not mistaken for a
/// return.
pub const RETURNED: u64 = 1;

/// Number of entries of [`Tls::instrumented`].
pub const INSTRUMENTED: usize = 128;

/// Shift from a function's address to the byte offset of its entry in [`Tls::instrumented`], before masking
/// with [`INSTRUMENTED_MASK`]: functions are aligned to 16 bytes.
pub const INSTRUMENTED_SHIFT: u32 = 1;
/// Mask of the byte offset; see [`INSTRUMENTED_SHIFT`].
pub const INSTRUMENTED_MASK: u64 = (INSTRUMENTED as u64 - 1) << 3;

/// The thread-local block; instrumented code addresses its fields by offset.
#[repr(C)]
pub struct Tls {
    /// Address of the function that the labels are for, or that has returned.
    pub tag: u64,
    /// Labels of the result.
    pub results: [u32; MAX_RESULTS],
    /// Labels of the arguments.
    pub args: [u32; MAX_ARGS],
    /// Addresses that structs passed by value were copied from.
    pub byval: [u64; MAX_BYVAL],
    /// Address of the [`Variadic`] of a call with variadic arguments.
    pub variadic: u64,
    /// 1 if indirect calls are reported to the runtime, otherwise 0.
    pub logging: u64,
    /// Cache of functions that have set their tag, by address. Before a call of any other function the memory
    /// that it is handed is inspected, while the callee cannot have changed it yet.
    pub instrumented: [u64; INSTRUMENTED],
}

/// Size of the area in which a variadic function saves its six integer and eight vector registers (System V
/// ABI).
pub const REGISTER_AREA: u32 = 6 * 8 + 8 * 16;

/// Layout of the arguments of a variadic call; a constant of the caller's unit.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Variadic {
    /// Bytes of arguments on the stack.
    pub stack_bytes: u32,
    /// Number of [`Piece`]s that follow.
    pub pieces: u32,
}

/// A scalar or a struct among the arguments of a variadic call.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Offset in the register area, or [`REGISTER_AREA`] plus the offset on the stack.
    pub place: u32,
    /// Size in bytes.
    pub size: u32,
    /// Index of its label among [`Tls::args`], or [`MAX_ARGS`] plus its index among [`Tls::byval`].
    pub source: u32,
}
