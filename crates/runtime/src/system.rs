//! System calls, made by the runtime itself.
//!
//! The program may define functions with the names of the C library's (`read`, `kill`, `getenv`), which the linker would
//! then bind the runtime to. So the runtime calls none of them. Answers are the kernel's: a negative one is an error number.

use crate::persistent::call;
use cairn_wire::control::PAGE;
use core::ffi::{CStr, c_int, c_long, c_void};
use core::mem::MaybeUninit;
use core::ops::Range;

/// Bytes of a set of signals.
const SET: u64 = 8;
const SA_RESTORER: u64 = 0x0400_0000;

// The linker resolves `__register_atfork` and `__fork` in the C library: their names are reserved.
unsafe extern "C" {
    /// Glibc's own name of `fork`. Besides the system call it resets what the library knows of threads and locks.
    fn __fork() -> c_int;
    fn __register_atfork(
        before: *const c_void,
        in_parent: *const c_void,
        in_child: extern "C" fn(),
        library: *const c_void,
    ) -> c_int;
    fn __cairn_return();
}

/// The kernel's form of a signal's action.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Action {
    pub handler: usize,
    pub flags: u64,
    pub restorer: usize,
    pub mask: u64,
}

impl Action {
    pub const DEFAULT: Action = Action { handler: libc::SIG_DFL, flags: 0, restorer: 0, mask: 0 };

    /// An action that calls a handler of ours.
    pub fn calling(handler: usize, flags: c_int) -> Action {
        let restorer = __cairn_return as *const () as usize;
        Action { handler, flags: flags as u64 | SA_RESTORER, restorer, mask: 0 }
    }

    /// A signal's action.
    pub fn of(signal: c_int) -> Action {
        let mut action = Action::DEFAULT;
        call(libc::SYS_rt_sigaction, [signal as u64, 0, &raw mut action as u64, SET]);
        action
    }

    /// Sets a signal's action; gives the one before it.
    pub fn set(&self, signal: c_int) -> Action {
        let mut before = Action::DEFAULT;
        let (new, old) = (&raw const *self as u64, &raw mut before as u64);
        call(libc::SYS_rt_sigaction, [signal as u64, new, old, SET]);
        before
    }
}

/// Lets a signal through.
pub fn unblock(signal: c_int) {
    let set = 1u64 << (signal - 1);
    call(libc::SYS_rt_sigprocmask, [libc::SIG_UNBLOCK as u64, &raw const set as u64, 0, SET]);
}

/// The C library's error number of this thread.
pub fn errno() -> c_int {
    // SAFETY: the thread's own error number.
    unsafe { *libc::__errno_location() }
}

/// Forks the process; -1 and an error number of the C library if that cannot be.
pub fn fork() -> c_int {
    // SAFETY: callers go on in both processes with what both have.
    unsafe { __fork() }
}

/// Has a function called in every child that the program forks.
pub fn at_fork(in_child: extern "C" fn()) {
    // SAFETY: the function is there as long as the process.
    unsafe { __register_atfork(core::ptr::null(), core::ptr::null(), in_child, core::ptr::null()) };
}

/// Sends a signal; 0 or an error.
pub fn kill(pid: c_int, signal: c_int) -> c_int {
    call(libc::SYS_kill, [pid as u64, signal as u64]) as c_int
}

/// Sends a signal to the calling thread.
pub fn raise(signal: c_int) {
    let (process, thread) = (call(libc::SYS_getpid, []), call(libc::SYS_gettid, []));
    call(libc::SYS_tgkill, [process as u64, thread as u64, signal as u64]);
}

/// Waits for a child; its number, 0 if none has changed, or an error.
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

/// Sets an attribute of this process.
pub fn set_attribute(what: c_int, value: c_int) {
    call(libc::SYS_prctl, [what as u64, value as u64]);
}

/// Closes a descriptor.
pub fn close(descriptor: c_int) {
    call(libc::SYS_close, [descriptor as u64]);
}

/// Reads from a descriptor; bytes or an error.
///
/// # Safety
/// `to` must have room for `len` bytes.
pub unsafe fn read(descriptor: c_int, to: *mut u8, len: usize) -> isize {
    call(libc::SYS_read, [descriptor as u64, to as u64, len as u64]) as isize
}

/// Writes to a descriptor; bytes or an error.
pub fn write(descriptor: c_int, bytes: &[u8]) -> isize {
    call(libc::SYS_write, [descriptor as u64, bytes.as_ptr() as u64, bytes.len() as u64]) as isize
}

/// Maps memory; none if the system refuses.
///
/// # Safety
/// As for the system call: with `MAP_FIXED` whatever was there is gone.
pub unsafe fn map(at: u64, len: u64, rights: c_int, flags: c_int, fd: c_int, offset: u64) -> Option<*mut u8> {
    let answer = call(libc::SYS_mmap, [at, len, rights as u64, flags as u64, fd as u64, offset]);
    // Errors are the last page of addresses.
    (answer as u64 <= u64::MAX - PAGE).then_some(answer as *mut u8)
}

/// Unmaps memory.
///
/// # Safety
/// Nothing may use it any more.
pub unsafe fn unmap(range: Range<usize>) {
    call(libc::SYS_munmap, [range.start as u64, range.len() as u64]);
}

/// Sets the rights of whole pages; false if the system does not allow it.
///
/// # Safety
/// Nothing may use the pages in a way that they no longer allow.
pub unsafe fn protect(range: Range<usize>, rights: c_int) -> bool {
    call(libc::SYS_mprotect, [range.start as u64, range.len() as u64, rights as u64]) == 0
}

/// Tells the system how memory is used.
///
/// # Safety
/// Some advice drops what is there.
pub unsafe fn advise(range: Range<u64>, advice: c_int) {
    call(libc::SYS_madvise, [range.start, range.end - range.start, advice as u64]);
}

/// What the system knows of the file at a path.
pub fn status_of(path: &CStr) -> Option<libc::stat> {
    status(libc::SYS_stat, path.as_ptr() as u64)
}

/// What the system knows of the file behind a descriptor.
pub fn status_of_open(descriptor: c_int) -> Option<libc::stat> {
    status(libc::SYS_fstat, descriptor as u64)
}

/// How a descriptor was opened; 0 if it is none.
pub fn mode_of_open(descriptor: c_int) -> c_int {
    call(libc::SYS_fcntl, [descriptor as u64, libc::F_GETFL as u64]).max(0) as c_int
}

fn status(number: c_long, of: u64) -> Option<libc::stat> {
    let mut status = MaybeUninit::<libc::stat>::uninit();
    let answer = call(number, [of, status.as_mut_ptr() as u64]);
    // SAFETY: the kernel has filled in the structure when it answers 0; it has the C library's layout.
    (answer == 0).then(|| unsafe { status.assume_init() })
}

/// Lets the process have so many mebibytes of data more than it has now. A limit in bytes would say nothing: the shadow
/// memory alone has 64 TiB.
pub fn limit_data(mebibytes: u64) {
    let Some(pages) = data_pages() else { return };
    let most = pages * PAGE + (mebibytes << 20);
    let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
    call(libc::SYS_setrlimit, [libc::RLIMIT_DATA as u64, &raw const limit as u64]);
}

/// Pages that the limit counts now.
fn data_pages() -> Option<u64> {
    const FIELD: usize = 5;
    let mut room = [0; 256];
    let text = read_file(c"/proc/self/statm", &mut room)?;
    number(text.split(|byte| *byte == b' ').nth(FIELD)?)
}

/// A file of the kernel's, as far as there is room for it; none if it cannot be read.
pub fn read_file<'a>(path: &CStr, to: &'a mut [u8]) -> Option<&'a [u8]> {
    let flags = libc::O_RDONLY | libc::O_CLOEXEC;
    let file = call(libc::SYS_open, [path.as_ptr() as u64, flags as u64, 0]) as c_int;
    let mut len = 0;
    let got_all = loop {
        let rest = &mut to[len..];
        // SAFETY: the kernel writes into the room it is given, and no further.
        match unsafe { read(file, rest.as_mut_ptr(), rest.len()) } {
            0 => break true,
            got if got < 0 => break false,
            got => len += got as usize,
        }
    };
    close(file);
    got_all.then_some(&to[..len])
}

/// The number that decimal digits make.
pub fn number(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0u64, |n, digit| digit.is_ascii_digit().then(|| n * 10 + u64::from(digit - b'0')))
}
