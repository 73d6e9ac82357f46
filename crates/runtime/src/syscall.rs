//! Raw system calls: the one piece of code that they are made from.
//!
//! In persistent mode the kernel sends a signal for every system call of the process (`persistent/gate.rs`),
//! except for those made between `__cairn_calls_start` and `__cairn_calls_end`. So every system call of the
//! runtime goes through here, and so does the return from signal handlers. Results are the kernel's: a
//! negative one is an error number.

use core::arch::global_asm;
use core::ffi::c_long;
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};

global_asm!(
    ".text",
    ".hidden __cairn_calls_start",
    "__cairn_calls_start:",
    ".hidden __cairn_call",
    ".type __cairn_call,@function",
    "__cairn_call:",
    "mov rax, rdi",
    "mov r11, rsi",
    "mov rdi, [r11]",
    "mov rsi, [r11 + 8]",
    "mov rdx, [r11 + 16]",
    "mov r10, [r11 + 24]",
    "mov r8, [r11 + 32]",
    "mov r9, [r11 + 40]",
    "syscall",
    "ret",
    // `rt_sigreturn`, the restorer of all of the runtime's signal actions.
    ".hidden __cairn_return",
    ".type __cairn_return,@function",
    "__cairn_return:",
    "mov eax, 15",
    "syscall",
    "ud2",
    // The program's own call, with its registers and on its stack; then back to it. A system call clobbers
    // rcx anyway.
    ".hidden __cairn_direct",
    ".type __cairn_direct,@function",
    "__cairn_direct:",
    "syscall",
    "mov rcx, qword ptr [rip + {resume}]",
    "jmp rcx",
    ".hidden __cairn_calls_end",
    "__cairn_calls_end:",
    resume = sym RESUME,
);

/// Address at which the program continues after [`direct`]'s call.
static RESUME: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" {
    static __cairn_calls_start: u8;
    static __cairn_calls_end: u8;
    fn __cairn_call(number: c_long, arguments: *const [u64; 6]) -> i64;
    fn __cairn_return();
    fn __cairn_direct();
}

/// Makes a system call with all six arguments and returns the kernel's result.
pub fn call_with(number: c_long, arguments: [u64; 6]) -> i64 {
    // SAFETY: callers pass memory and descriptors that are theirs.
    unsafe { __cairn_call(number, &arguments) }
}

/// As [`call_with`], with zeros for the arguments that are not given.
pub fn call<const N: usize>(number: c_long, given: [u64; N]) -> i64 {
    let mut arguments = [0; 6];
    arguments[..N].copy_from_slice(&given);
    call_with(number, arguments)
}

/// Address of the code that returns from a signal handler.
pub fn signal_return() -> usize {
    __cairn_return as *const () as usize
}

/// Code that makes one system call with the program's own registers and stack, then continues the program at
/// `resume`.
pub fn direct(resume: usize) -> usize {
    RESUME.store(resume, Ordering::Relaxed);
    __cairn_direct as *const () as usize
}

/// Addresses from which system calls are never intercepted.
pub fn exempt_code() -> Range<u64> {
    &raw const __cairn_calls_start as u64..&raw const __cairn_calls_end as u64
}
