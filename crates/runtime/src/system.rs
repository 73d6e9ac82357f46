//! Typed system calls.
//!
//! The program may define functions with the names of the C library's (`read`, `kill`, `getenv`), and the
//! linker would then bind the runtime to these. So the runtime calls none of them. Results are the kernel's:
//! a negative one is an error number.

use crate::syscall::{call, signal_return};
use cairn_wire::control::PAGE;
use core::ffi::{CStr, c_int, c_long, c_void};
use core::mem::MaybeUninit;
use core::ops::Range;

/// Bytes of a signal set.
const SET_SIZE: u64 = 8;
/// Flag of actions with a restorer, which x86-64 requires.
const SA_RESTORER: u64 = 0x0400_0000;

// The linker resolves `__register_atfork` and `__fork` in the C library: their names are reserved.
unsafe extern "C" {
    /// Glibc's own name of `fork`. Besides the system call it resets what the library knows of threads and
    /// locks.
    fn __fork() -> c_int;
    fn __register_atfork(
        before: *const c_void,
        in_parent: *const c_void,
        in_child: extern "C" fn(),
        library: *const c_void,
    ) -> c_int;
}

/// The kernel's `struct sigaction`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct SignalAction {
    /// Address of the handler, or `SIG_DFL` or `SIG_IGN`.
    pub handler: usize,
    /// Flags, `SA_*`.
    pub flags: u64,
    /// Code that returns from the handler.
    pub restorer: usize,
    /// Signals blocked during the handler.
    pub mask: u64,
}

impl SignalAction {
    /// The default action.
    pub const DEFAULT: SignalAction = SignalAction { handler: libc::SIG_DFL, flags: 0, restorer: 0, mask: 0 };

    /// Returns an action that calls one of our handlers.
    pub fn calling(handler: usize, flags: c_int) -> SignalAction {
        let restorer = signal_return();
        SignalAction { handler, flags: flags as u64 | SA_RESTORER, restorer, mask: 0 }
    }

    /// Returns a signal's action.
    pub fn of(signal: c_int) -> SignalAction {
        let mut action = SignalAction::DEFAULT;
        call(libc::SYS_rt_sigaction, [signal as u64, 0, &raw mut action as u64, SET_SIZE]);
        action
    }

    /// Sets a signal's action; returns the previous one.
    pub fn set(&self, signal: c_int) -> SignalAction {
        let mut before = SignalAction::DEFAULT;
        let (new, old) = (&raw const *self as u64, &raw mut before as u64);
        call(libc::SYS_rt_sigaction, [signal as u64, new, old, SET_SIZE]);
        before
    }
}

/// Unblocks a signal.
pub fn unblock(signal: c_int) {
    let set = 1u64 << (signal - 1);
    call(libc::SYS_rt_sigprocmask, [libc::SIG_UNBLOCK as u64, &raw const set as u64, 0, SET_SIZE]);
}

/// Returns the C library's `errno` of this thread.
pub fn errno() -> c_int {
    // SAFETY: the thread's own error number.
    unsafe { *libc::__errno_location() }
}

/// Forks the process; returns -1 with `errno` set on failure.
pub fn fork() -> c_int {
    // SAFETY: callers continue in both processes with what both have.
    unsafe { __fork() }
}

/// Registers a function that is called in every child that the program forks.
pub fn at_fork(in_child: extern "C" fn()) {
    // SAFETY: the function exists as long as the process.
    unsafe { __register_atfork(core::ptr::null(), core::ptr::null(), in_child, core::ptr::null()) };
}

/// Sends a signal; returns 0 or an error.
pub fn kill(pid: c_int, signal: c_int) -> c_int {
    call(libc::SYS_kill, [pid as u64, signal as u64]) as c_int
}

/// Sends a signal to the calling thread.
pub fn raise(signal: c_int) {
    let (process, thread) = (call(libc::SYS_getpid, []), call(libc::SYS_gettid, []));
    call(libc::SYS_tgkill, [process as u64, thread as u64, signal as u64]);
}

/// Waits for a child; returns its number, 0 if none has changed, or an error.
pub fn wait(
    pid: c_int,
    status: Option<&mut c_int>,
    options: c_int,
    usage: Option<&mut libc::rusage>,
) -> c_int {
    let status = status.map_or(0, |status| status as *mut c_int as u64);
    let usage = usage.map_or(0, |usage| usage as *mut libc::rusage as u64);
    call(libc::SYS_wait4, [pid as u64, status, options as u64, usage]) as c_int
}

/// Ends the process, without the program's exit handlers.
pub fn exit(code: c_int) -> ! {
    call(libc::SYS_exit_group, [code as u64]);
    unreachable_end()
}

fn unreachable_end() -> ! {
    // SAFETY: an instruction that ends the process if it is ever reached.
    unsafe { core::arch::asm!("ud2", options(noreturn)) }
}

/// Sets an attribute of this process (`prctl`).
pub fn set_attribute(option: c_int, value: c_int) {
    call(libc::SYS_prctl, [option as u64, value as u64]);
}

/// Closes a descriptor.
pub fn close(descriptor: c_int) {
    call(libc::SYS_close, [descriptor as u64]);
}

/// Reads from a descriptor; returns the number of bytes or an error.
///
/// # Safety
/// `to` must have room for `len` bytes.
pub unsafe fn read(descriptor: c_int, to: *mut u8, len: usize) -> isize {
    call(libc::SYS_read, [descriptor as u64, to as u64, len as u64]) as isize
}

/// Writes to a descriptor; returns the number of bytes or an error.
pub fn write(descriptor: c_int, bytes: &[u8]) -> isize {
    call(libc::SYS_write, [descriptor as u64, bytes.as_ptr() as u64, bytes.len() as u64]) as isize
}

/// Maps memory; `None` if the system refuses.
///
/// # Safety
/// As for the system call: with `MAP_FIXED` the previous mapping is gone.
pub unsafe fn map(at: u64, len: u64, rights: c_int, flags: c_int, fd: c_int, offset: u64) -> Option<*mut u8> {
    let answer = call(libc::SYS_mmap, [at, len, rights as u64, flags as u64, fd as u64, offset]);
    // Error numbers are the addresses of the last page.
    (answer as u64 <= u64::MAX - PAGE).then_some(answer as *mut u8)
}

/// Unmaps memory.
///
/// # Safety
/// Nothing may use it any more.
pub unsafe fn unmap(range: Range<usize>) {
    call(libc::SYS_munmap, [range.start as u64, range.len() as u64]);
}

/// Sets the access rights of whole pages; false if the system does not allow it.
///
/// # Safety
/// Nothing may use the pages in a way that they no longer allow.
pub unsafe fn protect(range: Range<usize>, rights: c_int) -> bool {
    call(libc::SYS_mprotect, [range.start as u64, range.len() as u64, rights as u64]) == 0
}

/// Advises the system on memory (`madvise`).
///
/// # Safety
/// Some advice drops the contents.
pub unsafe fn advise(range: Range<u64>, advice: c_int) {
    call(libc::SYS_madvise, [range.start, range.end - range.start, advice as u64]);
}

/// Returns the status of the file at a path.
pub fn status_of(path: &CStr) -> Option<libc::stat> {
    status(libc::SYS_stat, path.as_ptr() as u64)
}

/// Returns the status of the file behind a descriptor.
pub fn status_of_open(descriptor: c_int) -> Option<libc::stat> {
    status(libc::SYS_fstat, descriptor as u64)
}

/// Returns the flags a descriptor was opened with; 0 if it is not open.
pub fn mode_of_open(descriptor: c_int) -> c_int {
    call(libc::SYS_fcntl, [descriptor as u64, libc::F_GETFL as u64]).max(0) as c_int
}

fn status(number: c_long, of: u64) -> Option<libc::stat> {
    let mut status = MaybeUninit::<libc::stat>::uninit();
    let answer = call(number, [of, status.as_mut_ptr() as u64]);
    // SAFETY: the kernel has filled in the structure when it returns 0; it has the C library's layout.
    (answer == 0).then(|| unsafe { status.assume_init() })
}

/// Limits the data of the process to so many mebibytes more than it has now. An absolute limit would be
/// meaningless: the shadow alone has 64 TiB.
pub fn limit_data(mebibytes: u64) {
    let Some(pages) = data_pages() else { return };
    let limit = pages * PAGE + (mebibytes << 20);
    let limit = libc::rlimit { rlim_cur: limit, rlim_max: limit };
    call(libc::SYS_setrlimit, [libc::RLIMIT_DATA as u64, &raw const limit as u64]);
}

/// Returns the pages that count towards that limit now.
fn data_pages() -> Option<u64> {
    const FIELD: usize = 5;
    let mut room = [0; 256];
    let text = read_file(c"/proc/self/statm", &mut room)?;
    parse_number(text.split(|byte| *byte == b' ').nth(FIELD)?)
}

/// Reads a file of the kernel, as far as there is room for it; `None` if it cannot be read.
pub fn read_file<'a>(path: &CStr, to: &'a mut [u8]) -> Option<&'a [u8]> {
    let flags = libc::O_RDONLY | libc::O_CLOEXEC;
    let file = call(libc::SYS_open, [path.as_ptr() as u64, flags as u64, 0]) as c_int;
    let mut len = 0;
    let is_complete = loop {
        let rest = &mut to[len..];
        // SAFETY: the kernel writes no further than the room it is given.
        match unsafe { read(file, rest.as_mut_ptr(), rest.len()) } {
            0 => break true,
            got if got < 0 => break false,
            got => len += got as usize,
        }
    };
    close(file);
    is_complete.then_some(&to[..len])
}

/// Parses decimal digits.
pub fn parse_number(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0u64, |n, digit| digit.is_ascii_digit().then(|| n * 10 + u64::from(digit - b'0')))
}
