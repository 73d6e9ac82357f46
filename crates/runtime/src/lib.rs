//! The runtime that is linked into every instrumented program.
//!
//! It is a guest in the program's process: it allocates nothing through libc, holds no lock on which a signal
//! handler could deadlock, never unwinds, and writes to shared memory only where the driver allows.
//! Instrumented code calls it on its slow paths only, that is, when some value is symbolic.
//!
//! Modules depend on those of the same layer or below, without cycles:
//!
//! ```text
//! entry points  slow-path stubs; fork server, its supervision of runs, launch of a run
//! persistent    persistent mode
//! program       wrappers, and support of library models: alloc, copy, io, outputs, arguments, ...
//! labels        operations, producers, shadow, object map, symbolic loads, snapshots, input objects, crash reports
//! trace         recorder, label table, branch log
//! foundation    thread-local block, lock, memory, system calls
//! ```
//!
//! Unit tests run on the host, with the standard library; `host.rs` then stands for the instrumented program.
#![cfg_attr(not(test), no_std)]
#![cfg_attr(test, allow(dead_code, reason = "the entry points are not linked into unit tests"))]

mod admission;
mod alloc;
mod arguments;
mod branch_log;
mod branch_patching;
mod copy;
mod crash;
mod denied;
mod environment;
mod float;
#[cfg(test)]
mod host;
mod indirect_calls;
mod input;
mod io;
mod launch;
mod library;
mod lock;
mod log_cursor;
mod mapped_files;
mod mem;
mod memory;
mod message;
mod objects;
mod ops;
mod outputs;
mod parameters;
mod persistent;
mod process_id;
mod producers;
mod reachable;
mod recorder;
#[cfg(not(test))]
mod server;
mod shadow;
mod sites;
mod size;
mod slow_path_stubs;
mod snapshot;
#[cfg(not(test))]
mod startup_random;
mod supervisor;
mod symbolic_access;
mod syscall;
mod system;
mod table;
mod tls;
mod uninstrumented_calls;
mod unmodelled_input;

// The core library is compiled with unwinding and refers to this symbol; nothing here ever unwinds.
#[cfg(not(test))]
core::arch::global_asm!(
    ".weak rust_eh_personality",
    ".hidden rust_eh_personality",
    "rust_eh_personality:",
    "ud2"
);

/// An allocator that always fails: types of the wire crate's metadata allocate, but the runtime uses none of
/// them.
#[cfg(not(test))]
struct NoAllocator;

// SAFETY: an allocator may refuse.
#[cfg(not(test))]
unsafe impl core::alloc::GlobalAlloc for NoAllocator {
    unsafe fn alloc(&self, _: core::alloc::Layout) -> *mut u8 {
        core::ptr::null_mut()
    }

    unsafe fn dealloc(&self, _: *mut u8, _: core::alloc::Layout) {}
}

#[cfg(not(test))]
#[global_allocator]
static ALLOCATOR: NoAllocator = NoAllocator;

#[cfg(not(test))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    message::fatal(b"internal error in the runtime")
}
