//! The object map: extents of heap blocks and global variables, by address.
//!
//! Heap blocks are in a direct map with a word for each 16 bytes of address space, which holds the size of
//! the block that starts there. So `malloc` and `free` write one word, and the block around an address is
//! found by scanning backwards. Global variables are listed by the pass.

use crate::crash;
use crate::memory::reserve;
use cairn_wire::control::PAGE;
use cairn_wire::object::ObjectRecord;
use cairn_wire::shadow::ADDRESS_MASK;
use core::arch::global_asm;
use core::ops::Range;
use core::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use libc::c_void;

/// Alignment of heap blocks.
const GRANULE: u64 = 16;
/// Distance up to which the start of a block is searched backwards; a chosen bound on the cost of a lookup.
const MAX_INTERIOR: u64 = 1 << 16;

/// A word of the map: the size of the block that starts there plus one, or 0.
type SizeWord = u32;

/// The map of block starts.
static STARTS: AtomicPtr<SizeWord> = AtomicPtr::new(core::ptr::null_mut());
/// Bounds of all blocks so far, in two regions: below the program's libraries, where its own data and the
/// heap that grows from it are, and among the mappings above.
static BOUNDS: [Bounds; 2] =
    [const { Bounds { lowest: AtomicU64::new(u64::MAX), highest: AtomicU64::new(0) } }; 2];
/// Bit of an address that distinguishes these regions.
const MAPPED: u64 = 1 << 45;

struct Bounds {
    lowest: AtomicU64,
    highest: AtomicU64,
}

fn bounds_of(address: u64) -> &'static Bounds {
    &BOUNDS[usize::from(address & MAPPED != 0)]
}

/// Number of global variables in the list, once it is sorted.
static GLOBALS: AtomicUsize = AtomicUsize::new(0);

// A program may have no global variables.
global_asm!(".weak __start_cairn_obj", ".weak __stop_cairn_obj");

unsafe extern "C" {
    static mut __start_cairn_obj: ObjectRecord;
    static __stop_cairn_obj: ObjectRecord;
}

/// Addresses of an object.
#[derive(Clone, Copy)]
pub struct Extent {
    /// First address.
    pub start: u64,
    /// Address after the last.
    pub end: u64,
}

/// Reserves the map and sorts the list of global variables.
pub fn prepare() {
    let words = ((ADDRESS_MASK + 1) / GRANULE) as usize;
    STARTS.store(reserve(words * size_of::<SizeWord>()) as *mut SizeWord, Ordering::Relaxed);
    let start = &raw mut __start_cairn_obj;
    let count = ((&raw const __stop_cairn_obj) as usize - start as usize) / size_of::<ObjectRecord>();
    // SAFETY: the linker's bounds of the section; no other code uses it.
    let all = unsafe { core::slice::from_raw_parts_mut(start, count) };
    all.sort_unstable_by_key(|object| object.address);
    GLOBALS.store(count, Ordering::Relaxed);
}

/// Returns the object that holds the byte at an address.
pub fn find(address: u64) -> Option<Extent> {
    global_at(address).or_else(|| block_at(address))
}

/// Returns the end of the memory that can be read from `base` on, given that the byte at `accessed` can.
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

/// Returns the listed global variable that holds the byte at an address.
pub fn global_at(address: u64) -> Option<Extent> {
    let count = GLOBALS.load(Ordering::Relaxed);
    // SAFETY: the list does not change once it is sorted.
    let all = unsafe { core::slice::from_raw_parts(&raw const __start_cairn_obj, count) };
    let after = all.partition_point(|object| object.address <= address);
    let object = all[..after].last()?;
    let end = object.address + object.size;
    (address < end).then_some(Extent { start: object.address, end })
}

fn size_word(address: u64) -> Option<*mut SizeWord> {
    let starts = STARTS.load(Ordering::Relaxed);
    (!starts.is_null()).then(|| starts.wrapping_add(((address & ADDRESS_MASK) / GRANULE) as usize))
}

/// Returns the heap block that holds the byte at an address.
pub fn block_at(address: u64) -> Option<Extent> {
    let bounds = bounds_of(address);
    if !(bounds.lowest.load(Ordering::Relaxed)..=bounds.highest.load(Ordering::Relaxed)).contains(&address) {
        return None;
    }
    let lowest = address.saturating_sub(MAX_INTERIOR);
    let mut start = address / GRANULE * GRANULE;
    while start > lowest {
        // SAFETY: all of the map is readable.
        let word = unsafe { *size_word(start)? };
        if word != 0 {
            let end = start + u64::from(word - 1);
            return (address < end).then_some(Extent { start, end });
        }
        start -= GRANULE;
    }
    None
}

/// Notes an allocated block.
pub fn note_allocated(at: *mut c_void, size: u64) {
    if let Some(word) = size_word(at as u64).filter(|_| !at.is_null()) {
        // SAFETY: a word of the map. A block too large for it is treated as none.
        unsafe { *word = SizeWord::try_from(size.saturating_add(1)).unwrap_or(0) };
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

/// Notes that a block is about to be freed; returns its size, if that is known.
pub fn note_freed(at: *mut c_void) -> Option<u64> {
    let word = size_word(at as u64)?;
    // SAFETY: a word of the map.
    let size = unsafe { core::mem::replace(&mut *word, 0) };
    size.checked_sub(1).map(u64::from)
}

/// Removes all blocks that start in a range.
pub fn forget(range: Range<u64>) {
    let Some(first) = size_word(range.start) else { return };
    let count = (range.end - range.start).div_ceil(GRANULE) as usize;
    // SAFETY: the words of the map for this range.
    unsafe { core::slice::from_raw_parts_mut(first, count) }.fill(0);
}
