//! The start of a run in its process: everything between the fork and the program's `main`.

use crate::recorder::recorder;
use crate::syscall::call;
use crate::{arguments, float, input, io, persistent, producers, size};
use core::arch::global_asm;
use core::ffi::{c_char, c_int};

global_asm!(
    ".text",
    ".hidden __cairn_launch",
    ".type __cairn_launch,@function",
    "__cairn_launch:",
    "push rbp",
    "push rbx",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "push rdi",
    "push rsi",
    "push rdx",
    "mov rdi, rsp",
    "lea rsi, [rip + 2f]",
    "call {begin}",
    // Every run of a persistent process begins here, with the stack as it is now.
    "2:",
    "mov rsi, [rsp + 8]",
    "mov rdi, [rsp + 16]",
    "call {prepare}",
    "mov edx, eax",
    // The program finds no trace of the runtime below its stack pointer.
    "lea rdi, [rsp - {zeroed}]",
    "mov ecx, {zeroed} / 8",
    "xor eax, eax",
    "rep stosq",
    "mov edi, edx",
    "mov rsi, [rsp + 8]",
    "mov rdx, [rsp]",
    "call {main}",
    "add rsp, 24",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    "ret",
    begin = sym persistent::begin,
    prepare = sym prepare,
    main = sym __cairn_user_main,
    zeroed = const persistent::ZEROED_STACK,
);

unsafe extern "C" {
    /// The program's own `main`, as the pass has renamed it, or that of fuzz targets
    /// (`include/cairn_fuzzer.c`).
    pub fn __cairn_user_main(argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char) -> c_int;
    fn __cairn_launch(argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char) -> c_int;
}

/// Runs the program, in persistent mode again and again; returns the status of `main` in the last run, if
/// that returns.
pub fn launch(argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char) -> c_int {
    // SAFETY: the process's own arguments; the stack pointer is what it was when this returns.
    let status = unsafe { __cairn_launch(argc, argv, envp) };
    arguments::keep_status(__cairn_user_main as *const () as usize);
    status
}

/// Does everything that precedes the program's own `main` in each run; returns the number of its arguments.
extern "C" fn prepare(argc: c_int, argv: *mut *mut c_char) -> c_int {
    begin_run();
    // SAFETY: argc and argv are those of the process.
    let (argc, label) = unsafe { arguments::replace(argc, argv) };
    arguments::pass_to_main(__cairn_user_main as *const () as usize, label);
    // SAFETY: the thread's own error number, which is 0 when a program starts.
    unsafe { *libc::__errno_location() = 0 };
    persistent::close_gate();
    argc
}

fn begin_run() {
    // The file offset of standard input is shared with the server and with earlier runs.
    call(libc::SYS_lseek, [0, 0, libc::SEEK_SET as u64]);
    let recorder = recorder();
    recorder.begin_run();
    input::begin_run();
    match persistent::last_index_bits() {
        Some(bits) => recorder.table.start_with_index(bits),
        None => recorder.populate(),
    }
    io::begin_run();
    size::begin_run();
    float::begin_run();
    arguments::begin_run();
    producers::begin_run();
}
