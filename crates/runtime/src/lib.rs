//! The runtime inside every instrumented program.
//!
//! It lives in somebody else's process: it allocates nothing through libc, keeps no lock a signal
//! handler could meet, never unwinds, and writes to shared memory only where the driver said.
//! Instrumented code calls it on its slow paths only, that is, when some value is symbolic.
#![no_std]

mod alloc;
mod input;
mod io;
mod memory;
mod message;
mod ops;
mod server;
mod shadow;
mod state;
mod table;
mod thunk;
mod tls;

// The core library comes compiled with unwinding and names this symbol; nothing here ever unwinds.
core::arch::global_asm!(
    ".weak rust_eh_personality",
    ".hidden rust_eh_personality",
    "rust_eh_personality:",
    "ud2"
);

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    message::fatal(b"internal error in the runtime")
}
