//! The allocator's wrappers: memory that is handed out again must not keep old labels.

use crate::memory::drop_shadow;
use crate::shadow::{__cairn_clear, __cairn_copy};
use crate::state::state;
use cairn_wire::control::PAGE;
use libc::{c_void, size_t};

/// From here on dropping pages is cheaper than looking at them.
const LARGE: u64 = 1 << 17;

fn fresh(at: *mut c_void, size: u64) {
    if at.is_null() || !state().tracing {
        return;
    }
    if size >= LARGE {
        drop_shadow(at as u64, size);
        __cairn_clear(at as u64, PAGE);
        __cairn_clear(at as u64 + size - PAGE, PAGE);
    } else {
        __cairn_clear(at as u64, size);
    }
}

#[unsafe(no_mangle)]
extern "C" fn __cairn_w_malloc(size: size_t) -> *mut c_void {
    // SAFETY: as the program's own call.
    let at = unsafe { libc::malloc(size) };
    fresh(at, size as u64);
    at
}

#[unsafe(no_mangle)]
extern "C" fn __cairn_w_calloc(count: size_t, size: size_t) -> *mut c_void {
    // SAFETY: as the program's own call.
    let at = unsafe { libc::calloc(count, size) };
    fresh(at, (count as u64).wrapping_mul(size as u64));
    at
}

#[unsafe(no_mangle)]
extern "C" fn __cairn_w_realloc(old: *mut c_void, size: size_t) -> *mut c_void {
    // SAFETY: as the program's own calls; the old block is alive until realloc.
    unsafe {
        let old_size = if old.is_null() { 0 } else { libc::malloc_usable_size(old) as u64 };
        let at = libc::realloc(old, size);
        if at.is_null() || !state().tracing {
            return at;
        }
        let kept = old_size.min(size as u64);
        if at != old {
            __cairn_copy(at as u64, old as u64, kept);
        }
        __cairn_clear(at as u64 + kept, size as u64 - kept);
        at
    }
}
