//! Effects on the address space: the program break, and mappings.

use super::verdict::Verdict;
use crate::memory;
use crate::syscall::{call, call_with};
use cairn_wire::control::PAGE;
use core::ops::Range;
use libc::c_int;

/// Mappings of a run that are tracked; a chosen bound.
const MAX_MAPPINGS: usize = 32;
/// Their total size; a chosen bound.
const MAX_MAPPED_BYTES: u64 = 4 << 20;
/// Growth of the heap beyond which it is returned to the system: zeroing it would take longer. A chosen
/// bound.
const MAX_KEPT_GROWTH: u64 = 1 << 20;

/// The program break, which `brk` sets. Pages that a run has had stay mapped for the next one, as
/// inaccessible zeros.
pub struct ProgramBreak {
    /// Break before the first run.
    first: u64,
    /// Break as the program knows it.
    now: u64,
    /// Highest break of this run.
    highest: u64,
    /// Break as the kernel knows it.
    reached: u64,
}

impl ProgramBreak {
    /// Notes the break before the first run.
    pub fn prepare(&mut self) {
        let end = call(libc::SYS_brk, [0]) as u64;
        *self = ProgramBreak { first: end, now: end, highest: end, reached: end };
    }

    /// Does what `brk` does: returns the new break, or the old one if it cannot be moved.
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
            // Pages that are new to the kernel are accessible already.
            protect(self.now..self.reached, libc::PROT_READ | libc::PROT_WRITE);
            self.reached = reached;
        } else {
            protect(self.now..end, libc::PROT_READ | libc::PROT_WRITE);
        }
        self.now = end;
        self.highest = self.highest.max(end);
    }

    /// Lowers the break; the rest of its page stays as it is.
    fn shrink(&mut self, end: u64) {
        let released = page_after(end)..page_after(self.now);
        zero(released.clone());
        protect(released, libc::PROT_NONE);
        self.now = end;
    }

    /// Returns the memory that the run has had beyond the first break.
    pub fn grown(&self) -> Range<u64> {
        self.first..self.highest
    }

    /// Restores the first break.
    pub fn undo(&mut self) {
        if self.reached - self.first > MAX_KEPT_GROWTH {
            memory::drop_shadow(self.first, self.reached - self.first);
            self.reached = call(libc::SYS_brk, [self.first]) as u64;
            self.now = self.first;
        } else {
            self.shrink(self.first);
        }
        self.highest = self.first;
    }

    /// Sets the kernel's break to the program's, in a run that becomes an ordinary one.
    pub fn release(&self) {
        if self.reached != self.now {
            call(libc::SYS_brk, [self.now]);
        }
    }
}

fn page_after(address: u64) -> u64 {
    address.next_multiple_of(PAGE)
}

/// Sets the access rights of the pages that begin in a range.
fn protect(range: Range<u64>, rights: c_int) {
    let (start, end) = (page_after(range.start), page_after(range.end));
    if start < end {
        call(libc::SYS_mprotect, [start, end - start, rights as u64]);
    }
}

/// Zeroes whole pages, without writing to those that are all zeros already.
fn zero(pages: Range<u64>) {
    for page in pages.step_by(PAGE as usize) {
        // SAFETY: part of the heap, which the program has released.
        let bytes = unsafe { core::slice::from_raw_parts_mut(page as *mut u8, PAGE as usize) };
        if bytes.iter().fold(0, |or, byte| or | byte) != 0 {
            bytes.fill(0);
        }
    }
}

#[derive(Clone, Copy)]
struct RunMapping {
    start: u64,
    len: u64,
    is_mapped: bool,
}

/// Mappings that the run has made.
pub struct RunMappings {
    all: [RunMapping; MAX_MAPPINGS],
    count: usize,
    bytes: u64,
}

impl RunMappings {
    /// Starts without mappings.
    pub fn prepare(&mut self) {
        (self.count, self.bytes) = (0, 0);
    }

    /// Maps memory, if it is private and at an address of the kernel's choice: unmapping undoes that.
    pub fn map(&mut self, arguments: [u64; 6]) -> Verdict {
        let [address, len, rights, flags, ..] = arguments;
        let len = len.saturating_add(PAGE - 1) / PAGE * PAGE;
        let is_plain = address == 0
            && rights as c_int & libc::PROT_EXEC == 0
            && flags as c_int & (libc::MAP_PRIVATE | libc::MAP_SHARED | libc::MAP_FIXED) == libc::MAP_PRIVATE;
        if !is_plain || self.count == MAX_MAPPINGS || self.bytes.saturating_add(len) > MAX_MAPPED_BYTES {
            return Verdict::Lasting;
        }
        let answer = call_with(libc::SYS_mmap, arguments);
        if answer > 0 {
            self.all[self.count] = RunMapping { start: answer as u64, len, is_mapped: true };
            (self.count, self.bytes) = (self.count + 1, self.bytes + len);
        }
        Verdict::Done(answer)
    }

    /// Notes that a mapping is about to be unmapped; only a whole mapping of the run's own can be.
    pub fn unmap(&mut self, start: u64, len: u64) -> Verdict {
        let len = len.saturating_add(PAGE - 1) / PAGE * PAGE;
        let mut known = self.all[..self.count].iter_mut();
        match known.find(|mapping| mapping.is_mapped && (mapping.start, mapping.len) == (start, len)) {
            Some(mapping) => {
                mapping.is_mapped = false;
                Verdict::Harmless
            }
            None => Verdict::Lasting,
        }
    }

    /// Returns all mappings that the run has made, including those it has unmapped.
    pub fn ranges(&self) -> impl Iterator<Item = Range<u64>> {
        self.all[..self.count].iter().map(|mapping| mapping.start..mapping.start + mapping.len)
    }

    /// Unmaps all mappings, and clears their labels.
    pub fn undo(&mut self) {
        for mapping in &self.all[..self.count] {
            memory::drop_shadow(mapping.start, mapping.len);
            if mapping.is_mapped {
                call(libc::SYS_munmap, [mapping.start, mapping.len]);
            }
        }
        self.prepare();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{exclusive, holds_in_child};
    use core::mem::MaybeUninit;

    fn program_break() -> ProgramBreak {
        let mut heap = ProgramBreak { first: 0, now: 0, highest: 0, reached: 0 };
        heap.prepare();
        heap
    }

    fn mappings() -> RunMappings {
        // SAFETY: all fields are numbers.
        unsafe { MaybeUninit::<RunMappings>::zeroed().assume_init() }
    }

    fn is_done(verdict: Verdict, expected: u64) -> bool {
        matches!(verdict, Verdict::Done(result) if result as u64 == expected)
    }

    /// True if a page is mapped, whatever its rights.
    fn is_mapped(page: u64) -> bool {
        let mut resident = 0u8;
        call(libc::SYS_mincore, [page, PAGE, &raw mut resident as u64]) == 0
    }

    /// True if a page can be read: the kernel does so for a pipe, and reports an error instead of a signal.
    fn is_readable(page: u64) -> bool {
        let mut ends = [0i32; 2];
        call(libc::SYS_pipe2, [&raw mut ends as u64, 0]);
        let result = call(libc::SYS_write, [ends[1] as u64, page, 1]);
        ends.iter().for_each(|end| _ = call(libc::SYS_close, [*end as u64]));
        result == 1
    }

    fn first_page(heap: &ProgramBreak) -> u64 {
        page_after(heap.first)
    }

    #[test]
    fn a_grown_heap_is_zero_again_in_the_next_run() {
        let _guard = exclusive();
        assert!(holds_in_child(|| {
            let mut heap = program_break();
            let (first, end) = (heap.first, first_page(&heap) + 3 * PAGE);
            let word = first_page(&heap) as *mut u64;
            let mut holds = true;
            for _ in 0..2 {
                holds &= is_done(heap.set_end(end), end) && heap.grown() == (first..end);
                // SAFETY: part of the heap now.
                holds &= unsafe { word.read_volatile() } == 0;
                // SAFETY: as above.
                unsafe { word.write_volatile(7) };
                heap.undo();
                holds &= is_done(heap.set_end(0), first) && heap.grown().is_empty();
                // The pages stay, but the program cannot tell.
                holds &= is_mapped(word as u64) && !is_readable(word as u64);
            }
            holds
        }));
    }

    #[test]
    fn a_heap_that_shrinks_and_grows_within_a_run_is_zero() {
        let _guard = exclusive();
        assert!(holds_in_child(|| {
            let mut heap = program_break();
            let (page, end) = (first_page(&heap), first_page(&heap) + 2 * PAGE);
            let mut holds = is_done(heap.set_end(end), end);
            // SAFETY: part of the heap now.
            unsafe { ((page + PAGE) as *mut u64).write_volatile(7) };
            holds &= is_done(heap.set_end(page + PAGE), page + PAGE) && !is_readable(page + PAGE);
            holds &= is_done(heap.set_end(end), end) && heap.grown().end == end;
            // SAFETY: as above.
            holds && unsafe { ((page + PAGE) as *const u64).read_volatile() } == 0
        }));
    }

    #[test]
    fn a_heap_that_has_grown_much_is_returned_to_the_system() {
        let _guard = exclusive();
        assert!(holds_in_child(|| {
            let mut heap = program_break();
            let (page, end) = (first_page(&heap), first_page(&heap) + MAX_KEPT_GROWTH + PAGE);
            let mut holds = is_done(heap.set_end(end), end) && is_mapped(page);
            heap.undo();
            holds &= !is_mapped(page) && call(libc::SYS_brk, [0]) as u64 == heap.first;
            holds && is_done(heap.set_end(page + PAGE), page + PAGE) && is_readable(page)
        }));
    }

    #[test]
    fn the_first_heap_cannot_shrink() {
        let _guard = exclusive();
        let mut heap = program_break();
        assert!(matches!(heap.set_end(heap.first - 1), Verdict::Lasting));
        assert!(is_done(heap.set_end(0), heap.first), "a query");
    }

    const READ_WRITE: u64 = (libc::PROT_READ | libc::PROT_WRITE) as u64;
    const ANONYMOUS: u64 = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as u64;

    fn map(mappings: &mut RunMappings, len: u64) -> u64 {
        match mappings.map([0, len, READ_WRITE, ANONYMOUS, u64::MAX, 0]) {
            Verdict::Done(start) if start > 0 => start as u64,
            _ => 0,
        }
    }

    #[test]
    fn mappings_of_a_run_are_unmapped() {
        let _guard = exclusive();
        assert!(holds_in_child(|| {
            let mut mappings = mappings();
            let (first, second) = (map(&mut mappings, PAGE), map(&mut mappings, 3 * PAGE - 1));
            let mut holds = is_mapped(first) && is_mapped(second + 2 * PAGE);
            holds &= mappings.ranges().eq([first..first + PAGE, second..second + 3 * PAGE]);
            mappings.undo();
            holds &= !is_mapped(first) && !is_mapped(second) && !is_mapped(second + 2 * PAGE);
            holds && mappings.ranges().next().is_none()
        }));
    }

    #[test]
    fn a_mapping_can_be_unmapped_once_and_only_as_a_whole() {
        let _guard = exclusive();
        assert!(holds_in_child(|| {
            let mut mappings = mappings();
            let start = map(&mut mappings, 2 * PAGE);
            let mut holds = matches!(mappings.unmap(start, PAGE), Verdict::Lasting);
            holds &= matches!(mappings.unmap(start + PAGE, PAGE), Verdict::Lasting);
            holds &= matches!(mappings.unmap(start, 2 * PAGE), Verdict::Harmless);
            holds &= matches!(mappings.unmap(start, 2 * PAGE), Verdict::Lasting);
            // What it held may have labels, which are cleared in any case.
            holds &= mappings.ranges().eq(Some(start..start + 2 * PAGE));
            // The gate makes the call; another mapping there must survive.
            mappings.undo();
            holds && is_mapped(start)
        }));
    }

    #[test]
    fn mappings_with_lasting_effects_are_refused() {
        let _guard = exclusive();
        let mut mappings = mappings();
        let shared = (libc::MAP_SHARED | libc::MAP_ANONYMOUS) as u64;
        let fixed = ANONYMOUS | libc::MAP_FIXED as u64;
        let executable = READ_WRITE | libc::PROT_EXEC as u64;
        for arguments in [
            [0, PAGE, READ_WRITE, shared, u64::MAX, 0],
            [0x7000_0000, PAGE, READ_WRITE, fixed, u64::MAX, 0],
            [0, PAGE, executable, ANONYMOUS, u64::MAX, 0],
            [0, MAX_MAPPED_BYTES + 1, READ_WRITE, ANONYMOUS, u64::MAX, 0],
        ] {
            assert!(matches!(mappings.map(arguments), Verdict::Lasting), "{arguments:x?}");
        }
        assert!((0..MAX_MAPPINGS).all(|_| map(&mut mappings, PAGE) != 0));
        assert_eq!(map(&mut mappings, PAGE), 0, "one more than are tracked");
        mappings.undo();
        assert_ne!(map(&mut mappings, PAGE), 0, "the next run has all of them again");
        mappings.undo();
    }
}
