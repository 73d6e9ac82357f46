//! Objects of the program that an address may point into: heap blocks and global variables.
//!
//! Heap blocks have a byte per 16 bytes of address space, by a direct map: at the start of a block it says
//! how much larger the block is than was asked for. So `malloc` and `free` write one byte, and the block
//! around an address is found by looking back. Global variables are listed by the pass.

use crate::crash;
use crate::memory::reserve;
use cairn_wire::control::PAGE;
use cairn_wire::object::ObjectRecord;
use cairn_wire::shadow::ADDRESS_MASK;
use core::arch::global_asm;
use core::ops::Range;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use libc::c_void;

const GRANULE: u64 = 16;
/// How far back the start of a block is looked for.
const MAX_INTERIOR: u64 = 1 << 16;

/// The map of block starts.
static STARTS: AtomicPtr<u8> = AtomicPtr::new(core::ptr::null_mut());
/// Global variables in the list, once it is sorted.
static GLOBALS: AtomicUsize = AtomicUsize::new(0);

// A program may have no global variable at all.
global_asm!(".weak __start_cairn_obj", ".weak __stop_cairn_obj");

unsafe extern "C" {
    static mut __start_cairn_obj: ObjectRecord;
    static __stop_cairn_obj: ObjectRecord;
}

/// Where an object is.
#[derive(Clone, Copy)]
pub struct Extent {
    pub start: u64,
    pub end: u64,
}

/// Prepares for the runs to come.
pub fn prepare() {
    STARTS.store(reserve(((ADDRESS_MASK + 1) / GRANULE) as usize), Ordering::Relaxed);
    let start = &raw mut __start_cairn_obj;
    let count = ((&raw const __stop_cairn_obj) as usize - start as usize) / size_of::<ObjectRecord>();
    // SAFETY: the linker's bounds of the section; nobody else looks at it.
    let all = unsafe { core::slice::from_raw_parts_mut(start, count) };
    all.sort_unstable_by_key(|object| object.address);
    GLOBALS.store(count, Ordering::Relaxed);
}

/// The object that holds the byte at an address.
pub fn find(address: u64) -> Option<Extent> {
    global_at(address).or_else(|| block_at(address))
}

/// Up to where memory can be read from `base` on, given that the byte at `accessed` can.
pub fn readable_from(base: u64, accessed: u64) -> u64 {
    if let Some(object) = find(base) {
        return object.end;
    }
    crash::stack_above(base).unwrap_or(if base / PAGE == accessed / PAGE {
        (base / PAGE + 1) * PAGE
    } else {
        base
    })
}

/// The object around an address, as far as that is known without reading the object itself, which may be gone: a heap
/// block ends where the next one starts.
pub fn around(address: u64) -> Option<Extent> {
    global_at(address).or_else(|| {
        let start = start_of_block(address)?;
        let limit = address.saturating_add(MAX_INTERIOR);
        let mut end = start + GRANULE;
        // SAFETY: all of the map is readable.
        while end < limit && unsafe { *mark_of(end)? } == 0 {
            end += GRANULE;
        }
        Some(Extent { start, end })
    })
}

/// True if an object starts there: a heap block, a listed global variable, or something on the stack.
pub fn is_start(address: u64) -> bool {
    let is_block = || {
        // SAFETY: all of the map is readable.
        address.is_multiple_of(GRANULE) && mark_of(address).is_some_and(|mark| unsafe { *mark } != 0)
    };
    crash::stack_above(address).is_some() || is_block() || global_at(address).is_some()
}

fn global_at(address: u64) -> Option<Extent> {
    let count = GLOBALS.load(Ordering::Relaxed);
    // SAFETY: the list is not written to once it is sorted.
    let all = unsafe { core::slice::from_raw_parts(&raw const __start_cairn_obj, count) };
    let after = all.partition_point(|object| object.address <= address);
    let object = all[..after].last()?;
    let end = object.address + object.size;
    (address < end).then_some(Extent { start: object.address, end })
}

fn mark_of(address: u64) -> Option<*mut u8> {
    let starts = STARTS.load(Ordering::Relaxed);
    (!starts.is_null()).then(|| starts.wrapping_add(((address & ADDRESS_MASK) / GRANULE) as usize))
}

fn block_at(address: u64) -> Option<Extent> {
    let start = start_of_block(address)?;
    // SAFETY: a byte of the map, and a block that was allocated and not freed.
    let (mark, usable) = unsafe { (*mark_of(start)?, libc::malloc_usable_size(start as *mut c_void) as u64) };
    let end = start + usable.saturating_sub(u64::from(mark - 1));
    (address < end).then_some(Extent { start, end })
}

/// The next start of a heap block at an address or below it.
fn start_of_block(address: u64) -> Option<u64> {
    let lowest = address.saturating_sub(MAX_INTERIOR);
    let mut start = address / GRANULE * GRANULE;
    while start > lowest {
        // SAFETY: all of the map is readable.
        if unsafe { *mark_of(start)? } != 0 {
            return Some(start);
        }
        start -= GRANULE;
    }
    None
}

/// A block was allocated.
pub fn allocated(at: *mut c_void, size: u64) {
    if let Some(mark) = mark_of(at as u64).filter(|_| !at.is_null()) {
        // SAFETY: a live block, and a byte of the map.
        unsafe {
            let spare = (libc::malloc_usable_size(at) as u64).saturating_sub(size);
            // One that is much larger is not told apart from none.
            *mark = u8::try_from(spare + 1).unwrap_or(0);
        }
    }
}

/// A block is about to be freed.
pub fn freed(at: *mut c_void) {
    if let Some(mark) = mark_of(at as u64) {
        // SAFETY: a byte of the map.
        unsafe { *mark = 0 };
    }
}

/// Forgets all blocks in a range.
pub fn forget(range: Range<u64>) {
    let Some(first) = mark_of(range.start) else { return };
    let count = (range.end - range.start).div_ceil(GRANULE) as usize;
    // SAFETY: so many bytes of the map.
    unsafe { core::slice::from_raw_parts_mut(first, count) }.fill(0);
}
