//! The instrumented program that unit tests on the host are linked with: its sections and functions.

use core::arch::global_asm;
use core::ffi::{c_char, c_int};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Global variables of the program: start and size, as listed in the `cairn_obj` section. Not sorted.
pub const GLOBALS: [(u64, u64); 3] = [(0x5000_2000, 64), (0x5000_1000, 10), (0x5000_1010, 6)];

global_asm!(
    ".section cairn_obj,\"awR\",@progbits",
    ".quad {first}, {first_size}, {second}, {second_size}, {third}, {third_size}",
    ".section cairn_br,\"awR\",@progbits",
    ".zero 64",
    ".section cairn_meta,\"awR\",@progbits",
    ".zero 64",
    ".section cairn_cov,\"awR\",@progbits",
    ".zero 64",
    ".text",
    // The C library's functions, as `scripts/trim-runtime.sh` names them in the archive.
    "__cairn_libc_memcpy: jmp memcpy@PLT",
    "__cairn_libc_memmove: jmp memmove@PLT",
    "__cairn_libc_memset: jmp memset@PLT",
    first = const GLOBALS[0].0,
    first_size = const GLOBALS[0].1,
    second = const GLOBALS[1].0,
    second_size = const GLOBALS[1].1,
    third = const GLOBALS[2].0,
    third_size = const GLOBALS[2].1,
);

/// The program's `main`, which no test calls.
#[unsafe(no_mangle)]
extern "C" fn __cairn_user_main(_: c_int, _: *mut *mut c_char, _: *mut *mut c_char) -> c_int {
    0
}

/// Locks the runtime's global state for one test: in a program, only one thread sets it up.
pub fn exclusive() -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    LOCK.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs a check in a forked process, whose address space and descriptors it may change; true if it holds there. The
/// check must not allocate: another thread may have held the allocator's lock.
pub fn holds_in_child(check: impl FnOnce() -> bool) -> bool {
    // SAFETY: the child makes system calls only, and ends.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let code = if check() { 0 } else { 1 };
        // SAFETY: ends the process.
        unsafe { libc::_exit(code) };
    }
    let mut status = -1;
    // SAFETY: waits for our child.
    unsafe { libc::waitpid(child, &mut status, 0) };
    status == 0
}
