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
        let mut used = 0;
        for region in &mut self.regions[..self.count] {
            region.copy = self.copies.wrapping_add(used);
            used += region.len;
        }
        found
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
