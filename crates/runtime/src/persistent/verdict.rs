//! The verdict on a system call of the program.

use core::ffi::c_int;

/// Decision on an intercepted system call.
pub enum Verdict {
    /// Has no lasting effect, or one that was noted: the call may be made.
    Harmless,
    /// Was made already, with this result.
    Done(i64),
    /// Has no lasting effect that was not noted, but must be made with the program's own registers and stack.
    Direct,
    /// Ends the program with this code.
    Ends(c_int),
    /// Has an effect that cannot be undone.
    Lasting,
}
