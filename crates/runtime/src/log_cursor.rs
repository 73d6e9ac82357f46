//! The cursor of each thread into the branch log.
//!
//! Patched branches (`branch_patching.rs`) write to where the cursor of their thread points: in the thread
//! that the run began in to the open piece of the log; in other threads, in forked processes and without a
//! log to memory that is never read. So patched code needs no test of whether it should log.

use cairn_wire::log::{Open, PLACES, Word};
use core::arch::{asm, global_asm};
use core::cell::UnsafeCell;

/// Memory that takes the entries of threads which do not log.
struct Sink(UnsafeCell<Open>);

// SAFETY: all threads write to it, none reads.
unsafe impl Sync for Sink {}

static SINK: Sink = Sink(UnsafeCell::new(Open { entries: [0; PLACES], beyond: 0, laps: 0 }));

global_asm!(
    ".section .tdata.__cairn_cursor,\"awT\",@progbits",
    ".globl __cairn_cursor",
    ".hidden __cairn_cursor",
    ".type __cairn_cursor,@object",
    ".balign 8",
    "__cairn_cursor:",
    ".quad {sink}",
    ".size __cairn_cursor, 8",
    ".text",
    sink = sym SINK,
);

/// Returns the offset of the cursor from a thread's thread pointer.
pub fn offset() -> usize {
    let offset;
    // SAFETY: reads what the linker filled in.
    unsafe {
        asm!("mov {0}, qword ptr [rip + __cairn_cursor@GOTTPOFF]", out(reg) offset, options(pure, readonly, nostack));
    }
    offset
}

fn cursor() -> *mut *mut Word {
    let thread: usize;
    // SAFETY: the thread pointer points to itself.
    unsafe { asm!("mov {0}, qword ptr fs:[0]", out(reg) thread, options(pure, readonly, nostack)) };
    thread.wrapping_add(offset()) as *mut *mut Word
}

/// Reads this thread's cursor: the address of the next entry.
pub fn get() -> *mut Word {
    // SAFETY: the cursor is this thread's own. Patched branches write to it behind the compiler's back.
    unsafe { cursor().read_volatile() }
}

/// Points this thread's cursor to the start of an open piece.
pub fn point_to(open: *mut Open) {
    // SAFETY: the cursor is this thread's own, and always points into an `Open`. Patched branches read it
    // behind the compiler's back.
    unsafe { cursor().write_volatile(open as *mut Word) };
}

/// Stops logging in this thread.
pub fn point_to_sink() {
    point_to(SINK.0.get());
}
