//! The memory image: a copy of all memory that a run may change, from which it is restored.
//!
//! It holds the mappings that the kernel lists as private and writable, without what the runtime has reserved
//! for itself. Restoring compares page by page and copies pages that differ. For programs with many megabytes
//! that would cost more than a fork, so they do not get persistent mode.

use crate::memory::{make_read_only, reserve, reserve_guarded, reserved};
use crate::recorder::recorder;
use crate::system::read_file;
use cairn_wire::control::PAGE;
use cairn_wire::shadow;
use core::arch::{asm, global_asm};
use core::ops::Range;
use core::ptr::null_mut;

/// Largest image, a chosen bound: comparing more after every run is assumed to cost more than a fork.
const MAX_BYTES: usize = 1 << 20;
/// Largest number of regions; a chosen bound.
const MAX_REGIONS: usize = 64;
/// Room for `/proc/self/maps`.
const MAX_LISTING: usize = 1 << 16;
const PAGE_BYTES: usize = PAGE as usize;

/// A range of memory and its copy.
#[derive(Clone, Copy)]
struct Region {
    start: usize,
    len: usize,
    copy: *mut u8,
}

/// The image, and where its copies are.
pub struct MemoryImage {
    regions: [Region; MAX_REGIONS],
    count: usize,
    bytes: usize,
    /// Heap of the C library before the first run.
    heap: Range<u64>,
    copies: *mut u8,
}

impl MemoryImage {
    /// Collects the regions to copy; false if they are too large, or cannot be determined.
    pub fn prepare(&mut self, stack: usize) -> bool {
        (self.count, self.bytes, self.heap) = (0, 0, 0..0);
        if reserved().is_none() {
            return false;
        }
        self.copies = reserve_guarded(MAX_BYTES);
        let room = reserve(MAX_LISTING);
        // SAFETY: a fresh reservation of this size.
        let room = unsafe { core::slice::from_raw_parts_mut(room, MAX_LISTING) };
        let text = read_file(c"/proc/self/maps", room).filter(|text| text.len() < MAX_LISTING);
        let Some(text) = text else { return false };
        let found = text.split(|byte| *byte == b'\n').all(|line| self.add_line(line, stack));
        self.assign_copies();
        found
    }

    /// Assigns each region its part of the memory for copies.
    fn assign_copies(&mut self) {
        let mut used = 0;
        for region in &mut self.regions[..self.count] {
            region.copy = self.copies.wrapping_add(used);
            used += region.len;
        }
    }

    fn add_line(&mut self, line: &[u8], stack: usize) -> bool {
        let Some(ListedMapping { range, is_shared, name }) = parse(line) else { return true };
        if is_shared {
            // Contents of shared memory outlive a forked run as well, but labels there would not be cleared:
            // only the memory shared with the driver, which has none, is allowed.
            return is_driver_memory(&range);
        }
        if range.contains(&stack) {
            return self.add(stack..range.end);
        }
        if name == b"[heap]" {
            self.heap = range.start as u64..range.end as u64;
        }
        self.add_unreserved(range)
    }

    /// Adds the parts of a mapping that the runtime has not reserved: the kernel merges adjacent mappings.
    fn add_unreserved(&mut self, range: Range<usize>) -> bool {
        let own = own_memory().find(|own| own.start < range.end && range.start < own.end);
        let Some(own) = own else { return self.add(range) };
        let before = range.start..own.start.max(range.start);
        let after = own.end.min(range.end)..range.end;
        (before.is_empty() || self.add_unreserved(before)) && (after.is_empty() || self.add_unreserved(after))
    }

    fn add(&mut self, range: Range<usize>) -> bool {
        let fits = self.bytes + range.len() <= MAX_BYTES && self.count < MAX_REGIONS;
        if fits {
            self.regions[self.count] = Region { start: range.start, len: range.len(), copy: null_mut() };
            (self.count, self.bytes) = (self.count + 1, self.bytes + range.len());
        }
        fits
    }

    /// Makes the copies, which are read-only from then on: a wild write of the program cannot change them.
    pub fn copy(&mut self) {
        for region in &self.regions[..self.count] {
            copy_words(region.start as *const u8, region.copy, region.len);
        }
        make_read_only(self.copies, MAX_BYTES);
    }

    /// Restores the pages that differ.
    pub fn restore(&self) {
        for region in &self.regions[..self.count] {
            let mut done = 0;
            while done < region.len {
                let at = region.start + done;
                let len = (PAGE_BYTES - at % PAGE_BYTES).min(region.len - done);
                let copy = region.copy.wrapping_add(done);
                if differ(at as *const u64, copy as *const u64, len / 8) {
                    copy_words(copy, at as *mut u8, len);
                }
                done += len;
            }
        }
    }

    /// Returns the ranges that the image holds.
    pub fn ranges(&self) -> impl Iterator<Item = Range<u64>> {
        self.regions[..self.count]
            .iter()
            .map(|region| region.start as u64..(region.start + region.len) as u64)
    }

    /// Returns the heap before the first run, if there was one.
    pub fn heap(&self) -> Option<Range<u64>> {
        (!self.heap.is_empty()).then(|| self.heap.clone())
    }
}

struct ListedMapping<'a> {
    range: Range<usize>,
    is_shared: bool,
    name: &'a [u8],
}

/// Parses a line of `/proc/self/maps`; `None` if a run may not write to the mapping. On x86-64 writable
/// memory is readable, too.
fn parse(line: &[u8]) -> Option<ListedMapping<'_>> {
    let mut fields = line.split(|byte| *byte == b' ').filter(|field| !field.is_empty());
    let (addresses, rights) = (fields.next()?, fields.next()?);
    if rights.get(1) != Some(&b'w') {
        return None;
    }
    let mut bounds = addresses.split(|byte| *byte == b'-').map(hexadecimal);
    let range = bounds.next()??..bounds.next()??;
    Some(ListedMapping { range, is_shared: rights.get(3) == Some(&b's'), name: fields.nth(3).unwrap_or(b"") })
}

/// True if it is a part of the memory that is shared with the driver.
fn is_driver_memory(range: &Range<usize>) -> bool {
    let recorder = recorder();
    let start = recorder.control as usize;
    let all = start..start + recorder.control().layout.total as usize;
    all.contains(&range.start) || range.start == &raw const __start_cairn_cov as usize
}

fn hexadecimal(digits: &[u8]) -> Option<usize> {
    let digit = |byte: &u8| (*byte as char).to_digit(16);
    digits.iter().try_fold(0usize, |n, byte| Some(n << 4 | digit(byte)? as usize))
}

// A program may lack these sections.
global_asm!(
    ".weak __start_cairn_br",
    ".weak __stop_cairn_br",
    ".weak __start_cairn_meta",
    ".weak __stop_cairn_meta",
    ".weak __start_cairn_obj",
    ".weak __stop_cairn_obj",
);

unsafe extern "C" {
    static __start_cairn_cov: u8;
    static __start_cairn_br: u64;
    static __stop_cairn_br: u64;
    static __start_cairn_meta: u64;
    static __stop_cairn_meta: u64;
    static __start_cairn_obj: u64;
    static __stop_cairn_obj: u64;
}

/// Returns the runtime's own memory: its reservations, and the sections that the pass has emitted for it,
/// which can be large and never change.
fn own_memory() -> impl Iterator<Item = Range<usize>> {
    let range = |start: u64, len: u64| start as usize..(start + len) as usize;
    let fixed = [range(shadow::BASE, shadow::SIZE), range(shadow::SUMMARY, shadow::SUMMARY_SIZE)];
    let words =
        |start: *const u64, stop: *const u64| (start as usize).next_multiple_of(8)..stop as usize / 8 * 8;
    let sections = [
        words(&raw const __start_cairn_br, &raw const __stop_cairn_br),
        words(&raw const __start_cairn_meta, &raw const __stop_cairn_meta),
        words(&raw const __start_cairn_obj, &raw const __stop_cairn_obj),
    ];
    reserved().into_iter().flatten().cloned().chain(fixed).chain(sections)
}

/// True if so many words differ; compares 64 at a time, without a branch for each.
fn differ(a: *const u64, b: *const u64, words: usize) -> bool {
    // SAFETY: both are readable, and word by word: the program's `memcmp` may be its own.
    let (a, b) = unsafe { (core::slice::from_raw_parts(a, words), core::slice::from_raw_parts(b, words)) };
    a.chunks(64).zip(b.chunks(64)).any(|(a, b)| a.iter().zip(b).fold(0, |or, (a, b)| or | (a ^ b)) != 0)
}

/// Copies whole words without calling a function, whose data may be among what is restored.
fn copy_words(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: both ranges are mapped and do not overlap.
    unsafe {
        asm!("rep movsq", inout("rsi") from => _, inout("rdi") to => _, inout("rcx") bytes / 8 => _, options(nostack));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::exclusive;
    use cairn_wire::control::Control;
    use core::mem::MaybeUninit;

    /// Pages of a test, in a mapping of their own.
    struct Pages {
        start: usize,
        count: usize,
    }

    impl Pages {
        fn map(count: usize) -> Pages {
            let (rights, flags) =
                (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            // SAFETY: a fresh mapping.
            let start =
                unsafe { libc::mmap(core::ptr::null_mut(), count * PAGE_BYTES, rights, flags, -1, 0) };
            assert_ne!(start, libc::MAP_FAILED);
            Pages { start: start as usize, count }
        }

        fn words(&mut self) -> &mut [u64] {
            // SAFETY: mapped, and borrowed from the only owner.
            unsafe { core::slice::from_raw_parts_mut(self.start as *mut u64, self.count * PAGE_BYTES / 8) }
        }

        fn range(&self) -> Range<usize> {
            self.start..self.start + self.count * PAGE_BYTES
        }

        /// Sets the rights of one page.
        fn protect(&self, page: usize, rights: i32) {
            // SAFETY: a page of the mapping.
            let result = unsafe {
                libc::mprotect((self.start + page * PAGE_BYTES) as *mut libc::c_void, PAGE_BYTES, rights)
            };
            assert_eq!(result, 0);
        }
    }

    impl Drop for Pages {
        fn drop(&mut self) {
            // SAFETY: the mapping is ours, and nothing borrows from it.
            unsafe { libc::munmap(self.start as *mut libc::c_void, self.count * PAGE_BYTES) };
        }
    }

    /// Returns an image without regions.
    fn empty() -> Box<MemoryImage> {
        // SAFETY: all fields are numbers and pointers.
        let mut image = Box::new(unsafe { MaybeUninit::<MemoryImage>::zeroed().assume_init() });
        image.copies = reserve_guarded(MAX_BYTES);
        image
    }

    /// Returns the copied image of some ranges.
    fn image_of(ranges: impl IntoIterator<Item = Range<usize>>) -> Box<MemoryImage> {
        let mut image = empty();
        assert!(ranges.into_iter().all(|range| image.add(range)));
        image.assign_copies();
        image.copy();
        image
    }

    #[test]
    fn changed_pages_are_restored() {
        let _guard = exclusive();
        let mut pages = Pages::map(4);
        pages.words().iter_mut().zip(1..).for_each(|(word, n)| *word = n);
        let expected = pages.words().to_vec();
        let image = image_of(Some(pages.range()));
        let page = PAGE_BYTES / 8;
        // The first and the last word of a page, one in the middle, a whole page, and none.
        let changes: [&[usize]; 5] =
            [&[0], &[page - 1, page], &[2 * page + 77], &[3 * page, 4 * page - 1], &[]];
        for change in changes {
            change.iter().for_each(|index| pages.words()[*index] ^= 1 << 40);
            image.restore();
            assert_eq!(pages.words(), expected, "{change:?}");
        }
        pages.words()[page..2 * page].fill(0);
        image.restore();
        assert_eq!(pages.words(), expected);
    }

    #[test]
    fn unchanged_pages_are_not_written() {
        let _guard = exclusive();
        let mut pages = Pages::map(3);
        pages.words().fill(7);
        let image = image_of(Some(pages.range()));
        pages.words()[0] = 8;
        // A write to the second page would end the test by a signal.
        pages.protect(1, libc::PROT_READ);
        image.restore();
        pages.protect(1, libc::PROT_READ | libc::PROT_WRITE);
        assert!(pages.words().iter().all(|word| *word == 7));
    }

    #[test]
    fn regions_may_begin_and_end_inside_a_page() {
        let _guard = exclusive();
        let mut pages = Pages::map(3);
        pages.words().fill(1);
        let page = PAGE_BYTES / 8;
        let (first, end) = (page - 3, 2 * page + 5);
        let image = image_of(Some(pages.start + first * 8..pages.start + end * 8));
        pages.words().fill(2);
        image.restore();
        let restored: Vec<usize> = (0..3 * page).filter(|index| pages.words()[*index] == 1).collect();
        assert_eq!(restored, (first..end).collect::<Vec<_>>());
    }

    #[test]
    fn each_region_has_its_own_copy() {
        let _guard = exclusive();
        let mut pages = [Pages::map(1), Pages::map(2)];
        for (pages, value) in pages.iter_mut().zip([10, 20]) {
            pages.words().fill(value);
        }
        let image = image_of(pages.each_ref().map(Pages::range));
        let ranges: Vec<Range<u64>> = image.ranges().collect();
        assert_eq!(ranges.iter().map(|range| range.end - range.start).collect::<Vec<_>>(), [PAGE, 2 * PAGE]);
        pages.iter_mut().for_each(|pages| pages.words().fill(0));
        image.restore();
        for (pages, value) in pages.iter_mut().zip([10, 20]) {
            assert!(pages.words().iter().all(|word| *word == value), "{value}");
        }
    }

    #[test]
    fn too_much_memory_has_no_image() {
        let _guard = exclusive();
        let mut image = empty();
        assert!(image.add(0x10_0000..0x10_0000 + MAX_BYTES));
        assert!(!image.add(0x40_0000..0x40_0008), "no byte more");
        let mut image = empty();
        let region = |n: usize| 0x10_0000 + n * 16..0x10_0000 + n * 16 + 8;
        assert!((0..MAX_REGIONS).all(|n| image.add(region(n))));
        assert!(!image.add(region(MAX_REGIONS)), "no region more");
    }

    #[test]
    fn memory_of_the_runtime_is_left_out() {
        let _guard = exclusive();
        let own = reserve(3 * PAGE_BYTES) as usize;
        let range = own - 16 * PAGE_BYTES..own + 16 * PAGE_BYTES;
        let mut image = empty();
        assert!(image.add_unreserved(range.clone()));
        let regions: Vec<Range<usize>> =
            image.ranges().map(|range| range.start as usize..range.end as usize).collect();
        for page in range.clone().step_by(PAGE_BYTES) {
            let is_own = own_memory().any(|own| own.contains(&page));
            assert_eq!(
                regions.iter().any(|region| region.contains(&page)),
                !is_own,
                "{:x}",
                page - range.start
            );
        }
        assert!(!regions.iter().any(|region| region.contains(&own)));
    }

    #[test]
    fn private_writable_mappings_are_listed() {
        let line = b"5000-7000 rw-p 00002000 fd:00 17                  /lib/x.so";
        let mapping = parse(line).unwrap();
        assert_eq!(
            (mapping.range, mapping.is_shared, mapping.name),
            (0x5000..0x7000, false, &b"/lib/x.so"[..])
        );
        assert!(parse(b"5000-7000 rw-s 00000000 00:01 5 /memfd:x").unwrap().is_shared);
        for line in [&b"5000-7000 r--p 00000000 00:00 0"[..], b"5000-7000 ---p 00000000 00:00 0", b""] {
            assert!(parse(line).is_none());
        }
    }

    #[test]
    fn stack_heap_and_shared_memory_are_special() {
        let _guard = exclusive();
        let mut control = Control::default();
        control.layout.total = 0x3000;
        recorder().control = &mut control;
        let start = recorder().control as usize;
        let mut image = empty();
        let stack = 0x7ff0_1238;
        assert!(image.add_line(b"7ff00000-7ff03000 rw-p 00000000 00:00 0 [stack]", stack));
        assert!(image.add_line(b"60000000-60002000 rw-p 00000000 00:00 0 [heap]", stack));
        assert!(image.add_line(b"70000-71000 r-xp 00000000 00:00 0", stack), "nothing to copy");
        let expected = [stack as u64..0x7ff0_3000, 0x6000_0000..0x6000_2000];
        assert_eq!(image.ranges().collect::<Vec<_>>(), expected);
        assert_eq!(image.heap(), Some(0x6000_0000..0x6000_2000));
        let shared = |start: usize| format!("{start:x}-{:x} rw-s 00000000 00:01 5 /memfd:x", start + 0x1000);
        assert!(image.add_line(shared(start + 0x1000).as_bytes(), stack), "memory of the driver");
        assert!(!image.add_line(shared(0x100_0000).as_bytes(), stack), "memory of others");
        recorder().control = null_mut();
    }
}
