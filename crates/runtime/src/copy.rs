//! Wrappers of the functions that move bytes: their labels go along.

use crate::shadow::{__cairn_copy, __cairn_fill};
use crate::tls::argument;
use libc::{c_void, size_t};

#[unsafe(no_mangle)]
unsafe extern "C" fn __cairn_w_memcpy(to: *mut c_void, from: *const c_void, len: size_t) -> *mut c_void {
    __cairn_copy(to as u64, from as u64, len as u64);
    // SAFETY: as the program's own call.
    unsafe { libc::memcpy(to, from, len) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __cairn_w_memmove(to: *mut c_void, from: *const c_void, len: size_t) -> *mut c_void {
    __cairn_copy(to as u64, from as u64, len as u64);
    // SAFETY: as the program's own call.
    unsafe { libc::memmove(to, from, len) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __cairn_w_memset(to: *mut c_void, byte: i32, len: size_t) -> *mut c_void {
    let label = argument(__cairn_w_memset as *const () as usize, 1);
    __cairn_fill(to as u64, label, len as u64);
    // SAFETY: as the program's own call.
    unsafe { libc::memset(to, byte, len) }
}
