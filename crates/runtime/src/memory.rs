//! Address space: the shadow and its hints, private reservations, the shared memory.

use crate::message::fatal;
use crate::persistent;
use crate::system;
use cairn_wire::control::PAGE;
use cairn_wire::shadow;
use core::cell::UnsafeCell;
use core::ops::Range;
use libc::{
    MAP_ANONYMOUS, MAP_FIXED, MAP_FIXED_NOREPLACE, MAP_NORESERVE, MAP_PRIVATE, MAP_SHARED, PROT_EXEC,
    PROT_READ, PROT_WRITE,
};

const READ_WRITE: i32 = PROT_READ | PROT_WRITE;
const PRIVATE: i32 = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
/// Linux 5.14; older kernels answer EINVAL, which costs nothing.
const MADV_POPULATE_WRITE: i32 = 23;

/// Runs before every constructor of the program and of its libraries: they may be instrumented.
#[used]
#[unsafe(link_section = ".preinit_array")]
static MAP_SHADOW: extern "C" fn() = map_shadow;

extern "C" fn map_shadow() {
    if !reserve_at(shadow::BASE, shadow::SIZE) {
        fatal(b"cannot reserve the shadow memory (64 TiB of addresses): lift the address space limit (ulimit -v)");
    }
    if !reserve_at(shadow::SUMMARY, shadow::SUMMARY_SIZE) {
        fatal(b"cannot reserve memory at 0x70000000: link the program as position-independent (-pie)");
    }
}

/// Zeroed private memory at this address; false if something else is there.
fn reserve_at(at: u64, bytes: u64) -> bool {
    // SAFETY: a fresh mapping that replaces nothing.
    unsafe {
        let got = system::map(at, bytes, READ_WRITE, PRIVATE | MAP_FIXED_NOREPLACE, -1, 0);
        if got != Some(at as *mut u8) {
            return false;
        }
        // A labelled byte must cost a small page, not two megabytes of zeros; and no core dump needs them.
        system::advise(at..at + bytes, libc::MADV_NOHUGEPAGE);
        system::advise(at..at + bytes, libc::MADV_DONTDUMP);
    }
    true
}

/// Zeroed private memory that costs nothing until touched.
pub fn reserve(bytes: usize) -> *mut u8 {
    // SAFETY: a fresh mapping at an address of the kernel's choice.
    let at = unsafe { system::map(0, bytes as u64, READ_WRITE, PRIVATE, -1, 0) };
    let Some(at) = at else { fatal(b"cannot reserve memory for the label table") };
    // SAFETY: the process has one thread whenever memory is reserved.
    unsafe { (*RESERVED.0.get()).add(at as usize..at as usize + bytes.next_multiple_of(PAGE as usize)) };
    at
}

/// The same between pages that nobody can touch: the program's writes beyond its own memory do not come there.
pub fn reserve_apart(bytes: usize) -> *mut u8 {
    let page = PAGE as usize;
    let inside = bytes.next_multiple_of(page);
    let at = reserve(inside + 2 * page);
    for guard in [at, at.wrapping_add(page + inside)] {
        // SAFETY: pages of the reservation.
        unsafe { system::protect(guard as usize..guard as usize + page, libc::PROT_NONE) };
    }
    at.wrapping_add(page)
}

/// Lets memory no longer be written to.
pub fn make_read_only(from: *mut u8, bytes: usize) {
    // SAFETY: memory of ours, which nobody writes to any more.
    unsafe { system::protect(from as usize..from as usize + bytes, PROT_READ) };
}

/// Everything that was reserved by [`reserve`], in order; nothing if that was more than can be remembered.
pub fn reserved() -> Option<&'static [Range<usize>]> {
    // SAFETY: as in `reserve`.
    let list = unsafe { &*RESERVED.0.get() };
    list.ranges.get(..list.count)
}

/// Gives a reservation back, and its labels.
pub fn release(range: &Range<usize>) {
    drop_shadow(range.start as u64, range.len() as u64);
    // SAFETY: a mapping of ours that nobody uses any more.
    unsafe { system::unmap(range.clone()) };
}

/// Drops the contents of whole pages: they are zeros afterwards.
pub fn drop_pages(range: Range<usize>) {
    // SAFETY: the caller no longer needs what is there; what is not mapped stays so.
    unsafe { system::advise(range.start as u64..range.end as u64, libc::MADV_DONTNEED) };
}

const MOST_RESERVED: usize = 64;

struct Reserved {
    ranges: [Range<usize>; MOST_RESERVED],
    /// May be larger than there is room for.
    count: usize,
}

impl Reserved {
    fn add(&mut self, range: Range<usize>) {
        if let Some(place) = self.ranges.get_mut(self.count) {
            *place = range;
        }
        self.count += 1;
    }
}

struct List(UnsafeCell<Reserved>);

// SAFETY: see `reserve`.
unsafe impl Sync for List {}

static RESERVED: List = List(UnsafeCell::new(Reserved { ranges: [const { 0..0 }; MOST_RESERVED], count: 0 }));

/// Maps `len` bytes of the shared memory anywhere.
pub fn map_shared(fd: i32, len: u64) -> Option<*mut u8> {
    // SAFETY: a fresh mapping at an address of the kernel's choice.
    unsafe { system::map(0, len, READ_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0) }
}

/// Zeroed memory so close to code that it can jump there and back.
pub fn reserve_near(code: &Range<usize>, bytes: usize) -> Option<*mut u8> {
    const STEP: usize = 64 << 20;
    const REACH: usize = 1 << 31;
    // Below the program there is nothing. Above is the heap, which should have room to grow.
    let below = (0..16).filter_map(|n| code.start.checked_sub(bytes + (1 << 20) + n * STEP));
    let above = (0..16).map(|n| code.end + (REACH - 2 * bytes - STEP).min(REACH / 2 + n * STEP));
    let page = PAGE as usize;
    let mut places = below.chain(above).map(|at| at / page * page).filter(|at| *at >= 16 * page);
    places.find_map(|at| {
        let reaches = code.start.abs_diff(at + bytes).max(code.end.abs_diff(at)) < REACH - page;
        let flags = PRIVATE | MAP_FIXED_NOREPLACE;
        // SAFETY: a fresh mapping that replaces nothing.
        let got = || unsafe { system::map(at as u64, bytes as u64, READ_WRITE, flags, -1, 0) };
        let wanted = at as *mut u8;
        (reaches && got() == Some(wanted)).then_some(wanted)
    })
}

/// Lets code be changed, or no longer; false if the system does not allow it.
pub fn make_writable(code: &Range<usize>, writable: bool) -> bool {
    let start = code.start / PAGE as usize * PAGE as usize;
    let access = PROT_READ | PROT_EXEC | if writable { PROT_WRITE } else { 0 };
    // SAFETY: the program's own code stays executable.
    unsafe { system::protect(start..code.end, access) }
}

/// Lets memory be executed and no longer be written; false if the system does not allow it.
pub fn make_executable(from: *mut u8, bytes: usize) -> bool {
    // SAFETY: memory of ours, which nobody writes to any more.
    unsafe { system::protect(from as usize..from as usize + bytes, PROT_READ | PROT_EXEC) }
}

/// Maps a part of the shared memory over the program's own pages at `at`.
///
/// # Safety
/// The pages must hold nothing but bytes meant to be shared.
pub unsafe fn map_over(at: *mut u8, len: u64, fd: i32, offset: u64) -> bool {
    let flags = MAP_SHARED | MAP_FIXED;
    // SAFETY: the caller vouches for the pages.
    unsafe { system::map(at as u64, len, READ_WRITE, flags, fd, offset) == Some(at) }
}

/// Faults in pages that will be written soon, all at once.
pub fn populate(from: *mut u8, bytes: u64) {
    let start = from as u64 / PAGE * PAGE;
    let len = (from as u64 + bytes - start).next_multiple_of(PAGE);
    persistent::call(libc::SYS_madvise, [start, len, MADV_POPULATE_WRITE as u64]);
}

/// Drops the shadow of a large range without looking at it.
pub fn drop_shadow(addr: u64, len: u64) {
    let start = shadow::address(addr).next_multiple_of(PAGE);
    let end = (shadow::address(addr) + (len << shadow::SCALE_SHIFT)) / PAGE * PAGE;
    if start < end {
        // SAFETY: whole pages of the shadow of this range; they read as zeros afterwards.
        unsafe { system::advise(start..end, libc::MADV_DONTNEED) };
    }
}
