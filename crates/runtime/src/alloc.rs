//! Wrappers of the allocator: memory that is handed out again must not keep old labels.

use crate::admission::argument;
use crate::memory::drop_shadow;
use crate::objects::{note_allocated, note_freed};
use crate::ops::concretize;
use crate::recorder::recorder;
use crate::shadow::{__cairn_clear, __cairn_copy};
use crate::size;
use crate::tls::set_result;
use cairn_wire::control::PAGE;
use core::ptr::null;
use libc::{c_void, size_t};

/// Size from which on dropping shadow pages is assumed cheaper than clearing them; the threshold at which
/// `malloc` maps a block by itself.
const LARGE: u64 = 1 << 17;

/// Handles a block that was allocated for a size with these labels, or refused.
fn allocation_done(at: *mut c_void, size: u64, labels: [u32; 2]) {
    if !recorder().tracing {
        return;
    }
    if at.is_null() {
        return size::refused(labels, size);
    }
    note_allocated(at, size);
    if size >= LARGE {
        drop_shadow(at as u64, size);
        __cairn_clear(at as u64, PAGE);
        __cairn_clear(at as u64 + size - PAGE, PAGE);
    } else {
        __cairn_clear(at as u64, size);
    }
}

/// Returns the label of argument `index` of the wrapper at `function`, a requested size.
fn size_label(function: usize, index: usize, size: size_t) -> u32 {
    argument(function, index, u64::BITS, size as u64)
}

/// Concretizes argument `index` of the wrapper at `function`, the address of a block.
fn concretize_block(function: usize, index: usize, block: *mut c_void) {
    concretize(null(), argument(function, index, u64::BITS, block as u64), block as u64);
}

/// Leaves the tag of the wrapper at `function`, so that a call through a pointer counts as instrumented.
fn leave_tag(function: usize) {
    set_result(function, 0);
}

#[unsafe(no_mangle)]
extern "C" fn __cairn_w_malloc(size: size_t) -> *mut c_void {
    let label = size_label(__cairn_w_malloc as *const () as usize, 0, size);
    size::requested(label, size as u64);
    // SAFETY: as the program's own call.
    let at = unsafe { libc::malloc(size) };
    allocation_done(at, size as u64, [label, 0]);
    leave_tag(__cairn_w_malloc as *const () as usize);
    at
}

#[unsafe(no_mangle)]
extern "C" fn __cairn_w_calloc(count: size_t, size: size_t) -> *mut c_void {
    let function = __cairn_w_calloc as *const () as usize;
    let labels = [size_label(function, 0, count), size_label(function, 1, size)];
    size::requested_array(labels, count as u64, size as u64);
    // SAFETY: as the program's own call.
    let at = unsafe { libc::calloc(count, size) };
    allocation_done(at, (count as u64).saturating_mul(size as u64), labels);
    leave_tag(__cairn_w_calloc as *const () as usize);
    at
}

#[unsafe(no_mangle)]
extern "C" fn __cairn_w_realloc(old: *mut c_void, size: size_t) -> *mut c_void {
    concretize_block(__cairn_w_realloc as *const () as usize, 0, old);
    let label = size_label(__cairn_w_realloc as *const () as usize, 1, size);
    size::requested(label, size as u64);
    if !old.is_null() {
        size::decide_empty(label, size as u64);
    }
    // A block from uninstrumented code has no known size; it may be as large as the new one.
    let old_size = if old.is_null() { 0 } else { note_freed(old).unwrap_or(size as u64) };
    leave_tag(__cairn_w_realloc as *const () as usize);
    // SAFETY: as the program's own calls; the old block is alive until realloc.
    unsafe {
        let at = libc::realloc(old, size);
        if !recorder().tracing {
            return at;
        }
        if at.is_null() {
            if size > 0 {
                // The old block is still allocated.
                note_allocated(old, old_size);
                size::refused([label, 0], size as u64);
            }
            return at;
        }
        note_allocated(at, size as u64);
        let kept = old_size.min(size as u64);
        if at != old {
            __cairn_copy(at as u64, old as u64, kept);
        }
        __cairn_clear(at as u64 + kept, size as u64 - kept);
        at
    }
}

#[unsafe(no_mangle)]
extern "C" fn __cairn_w_free(block: *mut c_void) {
    concretize_block(__cairn_w_free as *const () as usize, 0, block);
    note_freed(block);
    leave_tag(__cairn_w_free as *const () as usize);
    // SAFETY: as the program's own call.
    unsafe { libc::free(block) }
}
