//! Memory that a run asks the system for: the heap's end, and mappings.

use super::calls::{Verdict, call, call_with};
use crate::memory;
use cairn_wire::control::PAGE;
use core::ops::Range;
use libc::c_int;

/// Mappings that can be remembered, and their size.
const MAPPINGS: usize = 32;
const MAPPED_BYTES: u64 = 4 << 20;
/// A heap that has grown by more is given back: looking through it would take longer.
const GROWN_BYTES: u64 = 1 << 20;

/// The end of the heap, as `brk` sets it. Pages that a run has had stay for the next one, as zeros that nobody can touch.
pub struct Heap {
    /// Before the first run.
    first: u64,
    /// As the program knows it.
    now: u64,
    /// As far as this run has come.
    highest: u64,
    /// As the kernel knows it.
    reached: u64,
}

impl Heap {
    /// Looks where it ends before the first run.
    pub fn prepare(&mut self) {
        let end = call(libc::SYS_brk, [0]) as u64;
        *self = Heap { first: end, now: end, highest: end, reached: end };
    }

    /// As `brk` does: the new end, or the old one if it cannot be had.
    pub fn set_end(&mut self, end: u64) -> Verdict {
        if (1..self.first).contains(&end) {
            return Verdict::Lasting;
        }
        if end > self.now {
            self.grow(end);
        } else if end != 0 {
            self.shrink(end);
        }
        Verdict::Done(self.now as i64)
    }

    fn grow(&mut self, end: u64) {
        if end > self.reached {
            let reached = call(libc::SYS_brk, [end]) as u64;
            if reached < end {
                return;
            }
            // What is new can be touched already.
            protect(self.now..self.reached, libc::PROT_READ | libc::PROT_WRITE);
            self.reached = reached;
        } else {
            protect(self.now..end, libc::PROT_READ | libc::PROT_WRITE);
        }
        self.now = end;
        self.highest = self.highest.max(end);
    }

    /// The rest of the last page stays as it is.
    fn shrink(&mut self, end: u64) {
        let given_back = page_after(end)..page_after(self.now);
        zero(given_back.clone());
        protect(given_back, libc::PROT_NONE);
        self.now = end;
    }

    /// What the run has had beyond what was there.
    pub fn grown(&self) -> Range<u64> {
        self.first..self.highest
    }

    /// Makes it as it was.
    pub fn undo(&mut self) {
        if self.reached - self.first > GROWN_BYTES {
            memory::drop_shadow(self.first, self.reached - self.first);
            self.reached = call(libc::SYS_brk, [self.first]) as u64;
            self.now = self.first;
        } else {
            self.shrink(self.first);
        }
        self.highest = self.first;
    }

    /// Makes it end where the program believes that it does.
    pub fn let_go(&self) {
        if self.reached != self.now {
            call(libc::SYS_brk, [self.now]);
        }
    }
}

fn page_after(address: u64) -> u64 {
    address.next_multiple_of(PAGE)
}

/// Sets the rights of the pages that begin in a range.
fn protect(range: Range<u64>, rights: c_int) {
    let (start, end) = (page_after(range.start), page_after(range.end));
    if start < end {
        call(libc::SYS_mprotect, [start, end - start, rights as u64]);
    }
}

/// Makes zeros of whole pages, and writes to none that is all zeros already.
fn zero(pages: Range<u64>) {
    for page in pages.step_by(PAGE as usize) {
        // SAFETY: part of the heap, which the program has given back.
        let bytes = unsafe { core::slice::from_raw_parts_mut(page as *mut u8, PAGE as usize) };
        if bytes.iter().fold(0, |or, byte| or | byte) != 0 {
            bytes.fill(0);
        }
    }
}

#[derive(Clone, Copy)]
struct Mapping {
    start: u64,
    len: u64,
    is_there: bool,
}

/// What a run has mapped.
pub struct Mappings {
    all: [Mapping; MAPPINGS],
    count: usize,
    bytes: u64,
}

impl Mappings {
    /// None yet.
    pub fn prepare(&mut self) {
        (self.count, self.bytes) = (0, 0);
    }

    /// A private mapping where the kernel wants it is undone by unmapping.
    pub fn map(&mut self, arguments: [u64; 6]) -> Verdict {
        let [address, len, rights, flags, ..] = arguments;
        let len = len.saturating_add(PAGE - 1) / PAGE * PAGE;
        let is_plain = address == 0
            && rights as c_int & libc::PROT_EXEC == 0
            && flags as c_int & (libc::MAP_PRIVATE | libc::MAP_SHARED | libc::MAP_FIXED) == libc::MAP_PRIVATE;
        if !is_plain || self.count == MAPPINGS || self.bytes.saturating_add(len) > MAPPED_BYTES {
            return Verdict::Lasting;
        }
        let answer = call_with(libc::SYS_mmap, arguments);
        if answer > 0 {
            self.all[self.count] = Mapping { start: answer as u64, len, is_there: true };
            (self.count, self.bytes) = (self.count + 1, self.bytes + len);
        }
        Verdict::Done(answer)
    }

    /// What was mapped by the run may be unmapped as a whole.
    pub fn unmap(&mut self, start: u64, len: u64) -> Verdict {
        let len = len.saturating_add(PAGE - 1) / PAGE * PAGE;
        let mut known = self.all[..self.count].iter_mut();
        match known.find(|mapping| mapping.is_there && (mapping.start, mapping.len) == (start, len)) {
            Some(mapping) => {
                mapping.is_there = false;
                Verdict::Harmless
            }
            None => Verdict::Lasting,
        }
    }

    /// All that was mapped, also for a while only.
    pub fn ranges(&self) -> impl Iterator<Item = Range<u64>> {
        self.all[..self.count].iter().map(|mapping| mapping.start..mapping.start + mapping.len)
    }

    /// Unmaps everything, with its labels.
    pub fn undo(&mut self) {
        for mapping in &self.all[..self.count] {
            memory::drop_shadow(mapping.start, mapping.len);
            if mapping.is_there {
                call(libc::SYS_munmap, [mapping.start, mapping.len]);
            }
        }
        self.prepare();
    }
}
