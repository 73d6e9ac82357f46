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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{self, exclusive};
    use std::sync::{MutexGuard, Once};

    /// Addresses of blocks: tests use ranges of their own, which are never accessed.
    const LOW: u64 = 0x6000_0000;
    const HIGH: u64 = MAPPED | 0x1000_0000;

    fn prepared() -> MutexGuard<'static, ()> {
        static ONCE: Once = Once::new();
        let guard = exclusive();
        ONCE.call_once(prepare);
        guard
    }

    fn allocate(start: u64, size: u64) {
        note_allocated(start as *mut c_void, size);
    }

    fn free(start: u64) -> Option<u64> {
        note_freed(start as *mut c_void)
    }

    fn bounds(address: u64) -> Option<(u64, u64)> {
        find(address).map(|object| (object.start, object.end))
    }

    #[test]
    fn a_block_is_found_by_its_bytes_and_not_by_its_end() {
        let _guard = prepared();
        for region in [LOW, HIGH] {
            let start = region + 0x10_0000;
            allocate(start, 100);
            for inner in [0, 1, 15, 16, 17, 64, 99] {
                assert_eq!(bounds(start + inner), Some((start, start + 100)), "{inner}");
            }
            for outer in [start - 1, start + 100, start + 111, start + 112, start + 1000] {
                assert_eq!(bounds(outer), None, "{outer:x}");
            }
            // The end of one block is the start of the next.
            allocate(start + 112, 16);
            assert_eq!(bounds(start + 112), Some((start + 112, start + 128)));
            assert_eq!(bounds(start + 111), None);
        }
    }

    #[test]
    fn a_freed_block_is_not_found_and_has_no_size() {
        let _guard = prepared();
        let start = LOW + 0x20_0000;
        allocate(start, 40);
        allocate(start + 48, 8);
        assert_eq!(free(start), Some(40));
        assert_eq!((bounds(start), bounds(start + 39)), (None, None));
        assert_eq!(bounds(start + 50), Some((start + 48, start + 56)));
        assert_eq!(free(start), None, "it was freed before");
        assert_eq!(free(start + 0x1000), None, "it was never allocated");
        // The same address again, with another size.
        allocate(start, 8);
        assert_eq!(bounds(start + 7), Some((start, start + 8)));
        assert_eq!((bounds(start + 8), free(start)), (None, Some(8)));
    }

    #[test]
    fn an_empty_block_has_no_bytes_but_a_size() {
        let _guard = prepared();
        let start = LOW + 0x30_0000;
        allocate(start, 0);
        assert_eq!((bounds(start), free(start)), (None, Some(0)));
    }

    #[test]
    fn a_null_pointer_is_no_block() {
        let _guard = prepared();
        allocate(0, 64);
        assert_eq!((bounds(0), bounds(8)), (None, None));
    }

    #[test]
    fn the_start_of_a_block_is_searched_for_up_to_a_bound() {
        let _guard = prepared();
        let start = LOW + 0x40_0000;
        allocate(start, 1 << 20);
        let end = start + (1 << 20);
        assert_eq!(bounds(start + MAX_INTERIOR - 1), Some((start, end)));
        assert_eq!(bounds(start + MAX_INTERIOR), None);
        free(start);
    }

    #[test]
    fn a_block_too_large_for_the_map_is_treated_as_none() {
        let _guard = prepared();
        let start = HIGH + 0x4000_0000;
        let largest = u64::from(SizeWord::MAX) - 1;
        allocate(start, largest + 1);
        assert_eq!((bounds(start), free(start)), (None, None));
        allocate(start, largest);
        assert_eq!((bounds(start), free(start)), (Some((start, start + largest)), Some(largest)));
    }

    #[test]
    fn blocks_in_a_range_are_forgotten() {
        let _guard = prepared();
        let start = LOW + 0x60_0000;
        let starts = [0, 32, 64, 96].map(|offset| start + offset);
        starts.iter().for_each(|start| allocate(*start, 20));
        // From the second to the third, whose last granule is not whole.
        forget(starts[1]..starts[2] + 1);
        assert_eq!(starts.map(|start| bounds(start).is_some()), [true, false, false, true]);
    }

    #[test]
    fn globals_are_found_by_their_bytes() {
        let _guard = prepared();
        for (start, size) in host::GLOBALS {
            let expected = Some((start, start + size));
            assert_eq!((bounds(start), bounds(start + size - 1)), (expected, expected));
        }
        let [(last, last_size), (first, first_size), _] = host::GLOBALS;
        assert_eq!(
            (bounds(first - 1), bounds(first + first_size), bounds(last + last_size)),
            (None, None, None)
        );
    }

    #[test]
    fn memory_is_readable_to_the_end_of_its_object_or_page() {
        let _guard = prepared();
        let start = LOW + 0x70_0000;
        allocate(start, 5000);
        assert_eq!(readable_from(start + 8, start + 8), start + 5000);
        let unknown = LOW + 0x80_0000 + 100;
        assert_eq!(readable_from(unknown, unknown + 50), LOW + 0x80_0000 + PAGE);
        assert_eq!(readable_from(unknown, unknown + PAGE), unknown);
    }
}
