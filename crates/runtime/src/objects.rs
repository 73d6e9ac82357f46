//! Objects of the program that an address may point into: heap blocks and global variables.
//!
//! Heap blocks have a word per 16 bytes of address space, by a direct map: at the start of a block it says
//! how large it is. So `malloc` and `free` write one word, and the block around an address is found by
//! looking back. Global variables are listed by the pass.

use crate::crash;
use crate::memory::reserve;
use cairn_wire::control::PAGE;
use cairn_wire::object::ObjectRecord;
use cairn_wire::shadow::ADDRESS_MASK;
use core::arch::global_asm;
use core::ops::Range;
use core::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use libc::c_void;

const GRANULE: u64 = 16;
/// How far back the start of a block is looked for.
const MAX_INTERIOR: u64 = 1 << 16;

/// A word of the map: the size of the block that begins there and one more, or 0.
type Mark = u32;

/// The map of block starts.
static STARTS: AtomicPtr<Mark> = AtomicPtr::new(core::ptr::null_mut());
/// First and last byte of the blocks there have been: below the program's libraries, where its own data and the heap that
/// grows from it are, and among the mappings above.
static BOUNDS: [Bounds; 2] =
    [const { Bounds { lowest: AtomicU64::new(u64::MAX), highest: AtomicU64::new(0) } }; 2];
/// The bit of an address that tells these regions apart.
const MAPPED: u64 = 1 << 45;

struct Bounds {
    lowest: AtomicU64,
    highest: AtomicU64,
}

fn bounds_of(address: u64) -> &'static Bounds {
    &BOUNDS[usize::from(address & MAPPED != 0)]
}

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
    let marks = ((ADDRESS_MASK + 1) / GRANULE) as usize;
    STARTS.store(reserve(marks * size_of::<Mark>()) as *mut Mark, Ordering::Relaxed);
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

/// A listed global variable that holds the byte at an address.
pub fn global_at(address: u64) -> Option<Extent> {
    let count = GLOBALS.load(Ordering::Relaxed);
    // SAFETY: the list is not written to once it is sorted.
    let all = unsafe { core::slice::from_raw_parts(&raw const __start_cairn_obj, count) };
    let after = all.partition_point(|object| object.address <= address);
    let object = all[..after].last()?;
    let end = object.address + object.size;
    (address < end).then_some(Extent { start: object.address, end })
}

fn mark_of(address: u64) -> Option<*mut Mark> {
    let starts = STARTS.load(Ordering::Relaxed);
    (!starts.is_null()).then(|| starts.wrapping_add(((address & ADDRESS_MASK) / GRANULE) as usize))
}

/// The heap block that holds the byte at an address.
pub fn block_at(address: u64) -> Option<Extent> {
    let bounds = bounds_of(address);
    if !(bounds.lowest.load(Ordering::Relaxed)..=bounds.highest.load(Ordering::Relaxed)).contains(&address) {
        return None;
    }
    let lowest = address.saturating_sub(MAX_INTERIOR);
    let mut start = address / GRANULE * GRANULE;
    while start > lowest {
        // SAFETY: all of the map is readable.
        let mark = unsafe { *mark_of(start)? };
        if mark != 0 {
            let end = start + u64::from(mark - 1);
            return (address < end).then_some(Extent { start, end });
        }
        start -= GRANULE;
    }
    None
}

/// A block was allocated.
pub fn allocated(at: *mut c_void, size: u64) {
    if let Some(mark) = mark_of(at as u64).filter(|_| !at.is_null()) {
        // SAFETY: a word of the map. One that is too large for it is not told apart from none.
        unsafe { *mark = Mark::try_from(size.saturating_add(1)).unwrap_or(0) };
        let bounds = bounds_of(at as u64);
        if (at as u64) < bounds.lowest.load(Ordering::Relaxed) {
            bounds.lowest.store(at as u64, Ordering::Relaxed);
        }
        let last = (at as u64).saturating_add(size);
        if last > bounds.highest.load(Ordering::Relaxed) {
            bounds.highest.store(last, Ordering::Relaxed);
        }
    }
}

/// A block is about to be freed; gives its size, if that is known.
pub fn freed(at: *mut c_void) -> Option<u64> {
    let mark = mark_of(at as u64)?;
    // SAFETY: a word of the map.
    let size = unsafe { core::mem::replace(&mut *mark, 0) };
    size.checked_sub(1).map(u64::from)
}

/// Forgets all blocks in a range.
pub fn forget(range: Range<u64>) {
    let Some(first) = mark_of(range.start) else { return };
    let count = (range.end - range.start).div_ceil(GRANULE) as usize;
    // SAFETY: so many words of the map.
    unsafe { core::slice::from_raw_parts_mut(first, count) }.fill(0);
}
