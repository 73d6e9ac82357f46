//! Labels of arguments and results, passed beside the call in thread-local memory.
//!
//! The tag says for whom the labels are: a caller sets it to the callee's address, a callee that
//! does not find itself there was called by code without instrumentation and takes its arguments
//! as concrete. On the way back the callee sets it to its address plus [`RETURNED`]; a caller that does
//! not find that called code without instrumentation. Calls through libc (`qsort` calling a comparison)
//! thus never see labels that were left by somebody else.

/// Symbol of the thread-local block.
pub const SYMBOL: &str = "__cairn_tls";
/// Labels of arguments a call can pass, one per scalar; those of later arguments are counted as lost.
pub const MAX_ARGS: usize = 64;
/// Labels of a result; an aggregate has one per scalar.
pub const MAX_RESULTS: usize = 16;
/// Structs passed by value whose shadow a call can pass; labels in later ones are counted as lost.
pub const MAX_BYVAL: usize = 16;

/// What a function that returns adds to its address: a call that was never taken must not look like one.
pub const RETURNED: u64 = 1;

/// Entries of [`Tls::instrumented`].
pub const INSTRUMENTED: usize = 128;

/// Offset of a function's entry in [`Tls::instrumented`], in bytes, is its address shifted by this, masked with
/// [`INSTRUMENTED_MASK`]: functions lie at multiples of 16.
pub const INSTRUMENTED_SHIFT: u32 = 1;
/// See [`INSTRUMENTED_SHIFT`].
pub const INSTRUMENTED_MASK: u64 = (INSTRUMENTED as u64 - 1) << 3;

/// The thread-local block; instrumented code addresses its fields by offset.
#[repr(C)]
pub struct Tls {
    /// Address of the function the labels are meant for, or that has returned.
    pub tag: u64,
    /// Labels of the result.
    pub results: [u32; MAX_RESULTS],
    /// Labels of the arguments.
    pub args: [u32; MAX_ARGS],
    /// Where structs passed by value were copied from.
    pub byval: [u64; MAX_BYVAL],
    /// Address of the [`Variadic`] of a call with variadic arguments.
    pub variadic: u64,
    /// Whether calls through pointers are told to the runtime; 0 or 1.
    pub logging: u64,
    /// A cache of functions that have left their tag, by their addresses. Calls of others look at the memory that they hand
    /// over, before the callee can change it.
    pub instrumented: [u64; INSTRUMENTED],
}

/// Bytes in which a variadic function keeps its six integer and eight vector registers.
pub const REGISTER_AREA: u32 = 6 * 8 + 8 * 16;

/// Where a call of a variadic function puts its arguments; a constant of the caller's unit.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Variadic {
    /// Bytes of arguments on the stack.
    pub stack_bytes: u32,
    /// How many [`Piece`]s follow.
    pub pieces: u32,
}

/// A scalar or a struct among the arguments of a variadic call.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Piece {
    /// Its offset in the register area, or [`REGISTER_AREA`] plus its offset on the stack.
    pub place: u32,
    /// Its bytes.
    pub size: u32,
    /// Index of its label among [`Tls::args`], or [`MAX_ARGS`] plus its index among [`Tls::byval`].
    pub source: u32,
}
