//! Wrappers of the functions that copy or fill memory: they do the same with labels.

use crate::admission::argument;
use crate::ops;
use crate::shadow::{__cairn_copy, __cairn_fill};
use crate::tls::set_result;
use core::ptr::null;
use libc::{c_void, size_t};

// The C library's functions. `scripts/trim-runtime.sh` gives them their real names back, which in the rest of
// the runtime stand for its own functions (`mem.rs`).
unsafe extern "C" {
    fn __cairn_libc_memcpy(to: *mut c_void, from: *const c_void, len: size_t) -> *mut c_void;
    fn __cairn_libc_memmove(to: *mut c_void, from: *const c_void, len: size_t) -> *mut c_void;
    fn __cairn_libc_memset(to: *mut c_void, byte: i32, len: size_t) -> *mut c_void;
}

/// Concretizes the arguments of the wrapper at `function` that are addresses and sizes, as the intrinsics'
/// are.
fn concretize_arguments<const N: usize>(function: usize, arguments: [(usize, u64); N]) {
    for (index, value) in arguments {
        ops::concretize(null(), argument(function, index, u64::BITS, value), value);
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __cairn_w_memcpy(to: *mut c_void, from: *const c_void, len: size_t) -> *mut c_void {
    let this = __cairn_w_memcpy as *const () as usize;
    concretize_arguments(this, [(0, to as u64), (1, from as u64), (2, len as u64)]);
    __cairn_copy(to as u64, from as u64, len as u64);
    set_result(this, 0);
    // SAFETY: as the program's own call.
    unsafe { __cairn_libc_memcpy(to, from, len) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __cairn_w_memmove(to: *mut c_void, from: *const c_void, len: size_t) -> *mut c_void {
    let this = __cairn_w_memmove as *const () as usize;
    concretize_arguments(this, [(0, to as u64), (1, from as u64), (2, len as u64)]);
    __cairn_copy(to as u64, from as u64, len as u64);
    set_result(this, 0);
    // SAFETY: as the program's own call.
    unsafe { __cairn_libc_memmove(to, from, len) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __cairn_w_memset(to: *mut c_void, byte: i32, len: size_t) -> *mut c_void {
    let this = __cairn_w_memset as *const () as usize;
    concretize_arguments(this, [(0, to as u64), (2, len as u64)]);
    let label = argument(this, 1, i32::BITS, u64::from(byte as u32));
    __cairn_fill(to as u64, label, len as u64);
    set_result(this, 0);
    // SAFETY: as the program's own call.
    unsafe { __cairn_libc_memset(to, byte, len) }
}
