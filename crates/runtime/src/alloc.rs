//! The allocator's wrappers: memory that is handed out again must not keep old labels.

use crate::memory::drop_shadow;
use crate::objects::{allocated, freed};
use crate::ops::pin;
use crate::shadow::{__cairn_clear, __cairn_copy};
use crate::size;
use crate::state::state;
use crate::tls::{argument, give_result};
use cairn_wire::control::PAGE;
use core::ptr::null;
use libc::{c_void, size_t};

/// From here on dropping pages is cheaper than looking at them.
const LARGE: u64 = 1 << 17;

/// A block was given for a size with these labels, or refused.
fn fresh(at: *mut c_void, size: u64, labels: [u32; 2]) {
    if !state().tracing {
        return;
    }
    if at.is_null() {
        return size::refused(labels, size);
    }
    allocated(at, size);
    if size >= LARGE {
        drop_shadow(at as u64, size);
        __cairn_clear(at as u64, PAGE);
        __cairn_clear(at as u64 + size - PAGE, PAGE);
    } else {
        __cairn_clear(at as u64, size);
    }
}

/// Label of argument `index` of the wrapper at `function`, which says how much memory is asked for.
fn label_of(function: usize, index: usize, size: size_t) -> u32 {
    argument(function, index, u64::BITS, size as u64)
}

/// Concretizes argument `index` of the wrapper at `function`, the address of a block.
fn named(function: usize, index: usize, block: *mut c_void) {
    pin(null(), argument(function, index, u64::BITS, block as u64), block as u64);
}

/// Says that the wrapper at `function` was here, to those who called it through a pointer.
fn leave(function: usize) {
    give_result(function, 0);
}

#[unsafe(no_mangle)]
extern "C" fn __cairn_w_malloc(size: size_t) -> *mut c_void {
    let label = label_of(__cairn_w_malloc as *const () as usize, 0, size);
    size::asked(label, size as u64);
    // SAFETY: as the program's own call.
    let at = unsafe { libc::malloc(size) };
    fresh(at, size as u64, [label, 0]);
    leave(__cairn_w_malloc as *const () as usize);
    at
}

#[unsafe(no_mangle)]
extern "C" fn __cairn_w_calloc(count: size_t, size: size_t) -> *mut c_void {
    let function = __cairn_w_calloc as *const () as usize;
    let labels = [label_of(function, 0, count), label_of(function, 1, size)];
    size::asked_array(labels, count as u64, size as u64);
    // SAFETY: as the program's own call.
    let at = unsafe { libc::calloc(count, size) };
    fresh(at, (count as u64).saturating_mul(size as u64), labels);
    leave(__cairn_w_calloc as *const () as usize);
    at
}

#[unsafe(no_mangle)]
extern "C" fn __cairn_w_realloc(old: *mut c_void, size: size_t) -> *mut c_void {
    named(__cairn_w_realloc as *const () as usize, 0, old);
    let label = label_of(__cairn_w_realloc as *const () as usize, 1, size);
    size::asked(label, size as u64);
    if !old.is_null() {
        size::decide_empty(label, size as u64);
    }
    // A block that came from elsewhere may be as large as the new one.
    let old_size = if old.is_null() { 0 } else { freed(old).unwrap_or(size as u64) };
    leave(__cairn_w_realloc as *const () as usize);
    // SAFETY: as the program's own calls; the old block is alive until realloc.
    unsafe {
        let at = libc::realloc(old, size);
        if !state().tracing {
            return at;
        }
        if at.is_null() {
            if size > 0 {
                // The old one is still there.
                allocated(old, old_size);
                size::refused([label, 0], size as u64);
            }
            return at;
        }
        allocated(at, size as u64);
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
    named(__cairn_w_free as *const () as usize, 0, block);
    freed(block);
    leave(__cairn_w_free as *const () as usize);
    // SAFETY: as the program's own call.
    unsafe { libc::free(block) }
}
