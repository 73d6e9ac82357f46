//! A copy of all memory that a run may change, and putting it back.
//!
//! That is what the system lists as private and writable, without what the runtime has reserved for itself. It is compared page by page
//! and copied where it differs: programs of many megabytes would pay more for that than a fork costs, and are left alone.

use crate::memory::{make_read_only, reserve, reserve_apart, reserved};
use crate::state::state;
use crate::system::read_file;
use cairn_wire::control::PAGE;
use cairn_wire::shadow;
use core::arch::{asm, global_asm};
use core::ops::Range;
use core::ptr::null_mut;

/// Most memory that is worth comparing after every run.
const MOST: usize = 1 << 20;
const MOST_REGIONS: usize = 64;
/// Room for what the system says of the address space.
const LISTING: usize = 1 << 16;
const PAGE_BYTES: usize = PAGE as usize;

/// Memory and where its copy is.
#[derive(Clone, Copy)]
struct Region {
    start: usize,
    len: usize,
    copy: *mut u8,
}

/// What is put back after a run.
pub struct Image {
    regions: [Region; MOST_REGIONS],
    count: usize,
    bytes: usize,
    /// What the C library's `malloc` has had from the start.
    heap: Range<u64>,
    copies: *mut u8,
}

impl Image {
    /// Finds out what is to be copied; false if that is too much, or if nobody knows.
    pub fn prepare(&mut self, stack: usize) -> bool {
        (self.count, self.bytes, self.heap) = (0, 0, 0..0);
        if reserved().is_none() {
            return false;
        }
        self.copies = reserve_apart(MOST);
        let room = reserve(LISTING);
        // SAFETY: a fresh reservation of this size.
        let room = unsafe { core::slice::from_raw_parts_mut(room, LISTING) };
        let text = read_file(c"/proc/self/maps", room).filter(|text| text.len() < LISTING);
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
        let Some(Mapping { range, is_shared, name }) = parse(line) else { return true };
        if is_shared {
            // What is there stays whoever runs, but nobody would take the labels off.
            return is_ours(&range);
        }
        if range.contains(&stack) {
            return self.add(stack..range.end);
        }
        if name == b"[heap]" {
            self.heap = range.start as u64..range.end as u64;
        }
        self.add_unreserved(range)
    }

    /// Adds what nobody of ours has reserved: the system joins neighbours.
    fn add_unreserved(&mut self, range: Range<usize>) -> bool {
        let own = own_memory().find(|own| own.start < range.end && range.start < own.end);
        let Some(own) = own else { return self.add(range) };
        let before = range.start..own.start.max(range.start);
        let after = own.end.min(range.end)..range.end;
        (before.is_empty() || self.add_unreserved(before)) && (after.is_empty() || self.add_unreserved(after))
    }

    fn add(&mut self, range: Range<usize>) -> bool {
        let fits = self.bytes + range.len() <= MOST && self.count < MOST_REGIONS;
        if fits {
            self.regions[self.count] = Region { start: range.start, len: range.len(), copy: null_mut() };
            (self.count, self.bytes) = (self.count + 1, self.bytes + range.len());
        }
        fits
    }

    /// Takes the copy. From here on nobody writes to it, not even by mistake.
    pub fn copy(&mut self) {
        for region in &self.regions[..self.count] {
            copy_words(region.start as *const u8, region.copy, region.len);
        }
        make_read_only(self.copies, MOST);
    }

    /// Puts everything back that differs.
    pub fn put_back(&self) {
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

    /// What is in the copy.
    pub fn ranges(&self) -> impl Iterator<Item = Range<u64>> {
        self.regions[..self.count]
            .iter()
            .map(|region| region.start as u64..(region.start + region.len) as u64)
    }

    /// The heap before the first run, if there was one.
    pub fn heap(&self) -> Option<Range<u64>> {
        (!self.heap.is_empty()).then(|| self.heap.clone())
    }
}

struct Mapping<'a> {
    range: Range<usize>,
    is_shared: bool,
    name: &'a [u8],
}

/// A mapping, if a run may write to it: what it can write to it can read, whatever its rights.
fn parse(line: &[u8]) -> Option<Mapping<'_>> {
    let mut fields = line.split(|byte| *byte == b' ').filter(|field| !field.is_empty());
    let (addresses, rights) = (fields.next()?, fields.next()?);
    if rights.get(1) != Some(&b'w') {
        return None;
    }
    let mut bounds = addresses.split(|byte| *byte == b'-').map(hexadecimal);
    let range = bounds.next()??..bounds.next()??;
    Some(Mapping { range, is_shared: rights.get(3) == Some(&b's'), name: fields.nth(3).unwrap_or(b"") })
}

/// Whether it is a part of the memory that is shared with the driver.
fn is_ours(range: &Range<usize>) -> bool {
    let state = state();
    let start = state.control as usize;
    let all = start..start + state.control().layout.total as usize;
    all.contains(&range.start) || range.start == &raw const __start_cairn_cov as usize
}

fn hexadecimal(digits: &[u8]) -> Option<usize> {
    let digit = |byte: &u8| (*byte as char).to_digit(16);
    digits.iter().try_fold(0usize, |n, byte| Some(n << 4 | digit(byte)? as usize))
}

// A program may be without them.
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

/// What is the runtime's own: what it has reserved, and what the compiler has written down for it, which can be large and never changes.
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

/// Whether so many words differ, eight at a time.
fn differ(a: *const u64, b: *const u64, words: usize) -> bool {
    // SAFETY: both are readable, and word by word: the program's `memcmp` may be its own.
    let (a, b) = unsafe { (core::slice::from_raw_parts(a, words), core::slice::from_raw_parts(b, words)) };
    a.chunks(64).zip(b.chunks(64)).any(|(a, b)| a.iter().zip(b).fold(0, |or, (a, b)| or | (a ^ b)) != 0)
}

/// Copies whole words without the help of anybody whose memory that may be.
fn copy_words(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: both ranges are mapped and do not overlap.
    unsafe {
        asm!("rep movsq", inout("rsi") from => _, inout("rdi") to => _, inout("rcx") bytes / 8 => _, options(nostack));
    }
}
