//! The runtime inside every instrumented program.
//!
//! It lives in somebody else's process: it allocates nothing through libc, keeps no lock a signal
//! handler could meet, never unwinds, and writes to shared memory only where the driver said.
//! Instrumented code calls it on its slow paths only, that is, when some value is symbolic.
#![no_std]

mod admission;
mod alloc;
mod arguments;
mod branch_patching;
mod copy;
mod crash;
mod denied;
mod environment;
mod float;
mod input;
mod io;
mod library;
mod lock;
mod log;
mod mem;
mod memory;
mod message;
mod objects;
mod ops;
mod outputs;
mod persistent;
mod read;
mod server;
mod shadow;
mod shared;
mod size;
mod slow_path_stubs;
mod snapshot;
mod state;
mod supervisor;
mod system;
mod table;
mod tls;
mod uninstrumented_calls;
mod variadic;

use core::alloc::{GlobalAlloc, Layout};

// The core library comes compiled with unwinding and names this symbol; nothing here ever unwinds.
core::arch::global_asm!(
    ".weak rust_eh_personality",
    ".hidden rust_eh_personality",
    "rust_eh_personality:",
    "ud2"
);

/// The metadata blob's types allocate; the runtime uses none of them, and has nothing to give.
struct Nothing;

// SAFETY: an allocator may refuse.
unsafe impl GlobalAlloc for Nothing {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        core::ptr::null_mut()
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static NOTHING: Nothing = Nothing;

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    message::fatal(b"internal error in the runtime")
}
