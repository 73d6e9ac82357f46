//! Mappings of the runtime: the shadow and its summary, private reservations, the shared memory.

use crate::message::fatal;
use crate::syscall::call;
use crate::system;
use cairn_wire::control::PAGE;
use cairn_wire::shadow;
use core::cell::UnsafeCell;
use core::ops::Range;
use libc::{
    MAP_ANONYMOUS, MAP_FIXED, MAP_FIXED_NOREPLACE, MAP_NORESERVE, MAP_PRIVATE, MAP_SHARED, PROT_EXEC,
    PROT_READ, PROT_WRITE,
};

/// Access rights of data.
const READ_WRITE: i32 = PROT_READ | PROT_WRITE;
/// Flags of private reservations.
const PRIVATE: i32 = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
/// Since Linux 5.14; older kernels return EINVAL, which does no harm.
const MADV_POPULATE_WRITE: i32 = 23;

/// Called before all constructors of the program and of its libraries, which may be instrumented.
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

/// Maps zeroed private memory at this address; false if something else is there.
fn reserve_at(at: u64, bytes: u64) -> bool {
    // SAFETY: a fresh mapping that replaces nothing.
    unsafe {
        let got = system::map(at, bytes, READ_WRITE, PRIVATE | MAP_FIXED_NOREPLACE, -1, 0);
        if got != Some(at as *mut u8) {
            return false;
        }
        // A labelled byte must cost a small page, not a huge one; and core dumps do not need the shadow.
        system::advise(at..at + bytes, libc::MADV_NOHUGEPAGE);
        system::advise(at..at + bytes, libc::MADV_DONTDUMP);
    }
    true
}

/// Maps zeroed private memory that costs nothing until it is touched.
pub fn reserve(bytes: usize) -> *mut u8 {
    // SAFETY: a fresh mapping at an address of the kernel's choice.
    let at = unsafe { system::map(0, bytes as u64, READ_WRITE, PRIVATE, -1, 0) };
    let Some(at) = at else { fatal(b"cannot reserve memory for the label table") };
    // SAFETY: the process has one thread whenever memory is reserved.
    unsafe { (*RESERVED.0.get()).add(at as usize..at as usize + bytes.next_multiple_of(PAGE as usize)) };
    at
}

/// As [`reserve`], between guard pages: out-of-bounds writes of the program do not reach it.
pub fn reserve_guarded(bytes: usize) -> *mut u8 {
    let page = PAGE as usize;
    let inside = bytes.next_multiple_of(page);
    let at = reserve(inside + 2 * page);
    for guard in [at, at.wrapping_add(page + inside)] {
        // SAFETY: pages of the reservation.
        unsafe { system::protect(guard as usize..guard as usize + page, libc::PROT_NONE) };
    }
    at.wrapping_add(page)
}

/// Makes memory read-only.
pub fn make_read_only(from: *mut u8, bytes: usize) {
    // SAFETY: our own memory, which is not written to any more.
    unsafe { system::protect(from as usize..from as usize + bytes, PROT_READ) };
}

/// Returns all reservations made by [`reserve`], in order; `None` if there were more than can be tracked.
pub fn reserved() -> Option<&'static [Range<usize>]> {
    // SAFETY: as in `reserve`.
    let list = unsafe { &*RESERVED.0.get() };
    list.ranges.get(..list.count)
}

/// Unmaps a reservation, and drops its labels.
pub fn release(range: &Range<usize>) {
    drop_shadow(range.start as u64, range.len() as u64);
    // SAFETY: our own mapping, which is not used any more.
    unsafe { system::unmap(range.clone()) };
}

/// Drops the contents of whole pages, which read as zeros afterwards.
pub fn drop_pages(range: Range<usize>) {
    // SAFETY: the caller no longer needs what is there; what is not mapped stays so.
    unsafe { system::advise(range.start as u64..range.end as u64, libc::MADV_DONTNEED) };
}

/// Reservations that are tracked; a chosen bound.
const MAX_RESERVATIONS: usize = 64;

struct Reservations {
    ranges: [Range<usize>; MAX_RESERVATIONS],
    /// Number of reservations made, which may exceed those tracked.
    count: usize,
}

impl Reservations {
    fn add(&mut self, range: Range<usize>) {
        if let Some(slot) = self.ranges.get_mut(self.count) {
            *slot = range;
        }
        self.count += 1;
    }
}

struct ReservationsCell(UnsafeCell<Reservations>);

// SAFETY: see `reserve`.
unsafe impl Sync for ReservationsCell {}

static RESERVED: ReservationsCell =
    ReservationsCell(UnsafeCell::new(Reservations { ranges: [const { 0..0 }; MAX_RESERVATIONS], count: 0 }));

/// Maps `len` bytes of the shared memory anywhere.
pub fn map_shared(fd: i32, len: u64) -> Option<*mut u8> {
    // SAFETY: a fresh mapping at an address of the kernel's choice.
    unsafe { system::map(0, len, READ_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0) }
}

/// Maps zeroed memory so close to code that relative jumps reach it.
pub fn reserve_near(code: &Range<usize>, bytes: usize) -> Option<*mut u8> {
    /// Distance between the addresses that are tried.
    const STEP: usize = 64 << 20;
    /// Reach of a relative jump.
    const REACH: usize = 1 << 31;
    // Nothing else is mapped below the program. Above it lies the heap, which needs room to grow.
    let below = (0..16).filter_map(|n| code.start.checked_sub(bytes + (1 << 20) + n * STEP));
    let above = (0..16).map(|n| code.end + (REACH - 2 * bytes - STEP).min(REACH / 2 + n * STEP));
    let page = PAGE as usize;
    let mut candidates = below.chain(above).map(|at| at / page * page).filter(|at| *at >= 16 * page);
    candidates.find_map(|at| {
        let reaches = code.start.abs_diff(at + bytes).max(code.end.abs_diff(at)) < REACH - page;
        let flags = PRIVATE | MAP_FIXED_NOREPLACE;
        // SAFETY: a fresh mapping that replaces nothing.
        let got = || unsafe { system::map(at as u64, bytes as u64, READ_WRITE, flags, -1, 0) };
        let wanted = at as *mut u8;
        (reaches && got() == Some(wanted)).then_some(wanted)
    })
}

/// Makes code writable, or read-only again; false if the system does not allow it.
pub fn make_writable(code: &Range<usize>, writable: bool) -> bool {
    let start = code.start / PAGE as usize * PAGE as usize;
    let access = PROT_READ | PROT_EXEC | if writable { PROT_WRITE } else { 0 };
    // SAFETY: the program's own code stays executable.
    unsafe { system::protect(start..code.end, access) }
}

/// Makes memory executable and read-only; false if the system does not allow it.
pub fn make_executable(from: *mut u8, bytes: usize) -> bool {
    // SAFETY: our own memory, which is not written to any more.
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
    call(libc::SYS_madvise, [start, len, MADV_POPULATE_WRITE as u64]);
}

/// Drops the shadow pages of a large range without reading them.
pub fn drop_shadow(addr: u64, len: u64) {
    let start = shadow::address(addr).next_multiple_of(PAGE);
    let end = (shadow::address(addr) + (len << shadow::SCALE_SHIFT)) / PAGE * PAGE;
    if start < end {
        // SAFETY: whole pages of the shadow of this range; they read as zeros afterwards.
        unsafe { system::advise(start..end, libc::MADV_DONTNEED) };
    }
}
