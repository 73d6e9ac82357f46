//! The random bytes that the kernel passes to a program (`AT_RANDOM`), and the stack canary made of them: the
//! same in every fork server, so that a resumed campaign and `cairn replay` see what the campaign saw.
//!
//! The C library's pointer guard keeps its random value: pointers that were mangled with it exist already.

use core::arch::asm;
use core::ffi::c_char;

/// Bytes in place of the kernel's; arbitrary.
const BYTES: [u8; 16] = *b"Cairn's AT_RANDO";

/// Overwrites the bytes and the canary of this thread. Frames that have the old canary must never return.
///
/// # Safety
/// `environment` must be the array that the kernel has put on the stack, still whole: behind it lies the
/// auxiliary vector.
pub unsafe fn fix(environment: *mut *mut c_char) {
    // SAFETY: as the caller says.
    if let Some(bytes) = unsafe { find(environment) } {
        // SAFETY: the kernel has put 16 bytes on the stack, which is writable.
        unsafe { *bytes = BYTES };
        set_canary();
    }
}

/// Returns the address of the bytes.
///
/// # Safety
/// As for [`fix`].
unsafe fn find(environment: *mut *mut c_char) -> Option<*mut [u8; 16]> {
    let mut next = environment as *const u64;
    // SAFETY: stays within the array up to its null, and within the vector up to AT_NULL.
    unsafe {
        while *next != 0 {
            next = next.add(1);
        }
        next = next.add(1);
        while *next != libc::AT_NULL {
            if *next == libc::AT_RANDOM {
                return Some(*next.add(1) as *mut [u8; 16]);
            }
            next = next.add(2);
        }
    }
    None
}

/// Sets the stack canary as the C library does: its lowest byte is 0, so that no string runs over it.
fn set_canary() {
    let canary = u128::from_le_bytes(BYTES) as u64 & !0xff;
    // SAFETY: the canary of this thread. No caller of ours that has the old one returns: the C library calls
    // `exit` after `main`.
    unsafe { asm!("mov qword ptr fs:[0x28], {}", in(reg) canary, options(nostack)) };
}
