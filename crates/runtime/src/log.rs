//! The branch log; see [`cairn_wire::log`] for what it looks like.
//!
//! Code that marks a branch writes where the cursor of its thread points to: in the thread that the run began in to the
//! open piece, in all others, in forked processes and while there is no log to memory that nobody reads.

use crate::branch_patching::divert_marks;
use crate::tls::tls;
use crate::{crash, lock};
use cairn_wire::control::{Control, flag};
use cairn_wire::log::{Callee, HEAD, MAX_CALLEES, Open, PLACES, TAIL, Word, kept};
use core::arch::{asm, global_asm};
use core::cell::UnsafeCell;
use core::ptr::null_mut;

/// Where entries go that are not wanted.
struct Nowhere(UnsafeCell<Open>);

// SAFETY: all threads write to it, none reads.
unsafe impl Sync for Nowhere {}

static NOWHERE: Nowhere = Nowhere(UnsafeCell::new(Open { entries: [0; PLACES], beyond: 0, laps: 0 }));

global_asm!(
    ".section .tdata.__cairn_cursor,\"awT\",@progbits",
    ".globl __cairn_cursor",
    ".hidden __cairn_cursor",
    ".type __cairn_cursor,@object",
    ".balign 8",
    "__cairn_cursor:",
    ".quad {nowhere}",
    ".size __cairn_cursor, 8",
    ".text",
    nowhere = sym NOWHERE,
);

/// Where the cursor of a thread lies, relative to its thread pointer.
pub fn cursor_offset() -> usize {
    let offset;
    // SAFETY: reads what the linker filled in.
    unsafe {
        asm!("mov {0}, qword ptr [rip + __cairn_cursor@GOTTPOFF]", out(reg) offset, options(pure, readonly, nostack));
    }
    offset
}

/// This thread's cursor.
fn cursor() -> *mut *mut Word {
    let thread: usize;
    // SAFETY: the thread pointer points to itself.
    unsafe { asm!("mov {0}, qword ptr fs:[0]", out(reg) thread, options(pure, readonly, nostack)) };
    thread.wrapping_add(cursor_offset()) as *mut *mut Word
}

fn point_to(open: *mut Open) {
    // SAFETY: the cursor is this thread's own, and always points into an `Open`. Marks read it behind the compiler's back.
    unsafe { cursor().write_volatile(open as *mut Word) };
}

/// The log of this run.
pub struct Log {
    open: *mut Open,
    words: *mut Word,
    capacity: u64,
    callees: *mut Callee,
    /// Whether marks can write to it, once that was asked for.
    diverted: Option<bool>,
    active: bool,
}

impl Log {
    /// A log with no room.
    pub const fn empty() -> Log {
        let (open, words, callees) = (null_mut(), null_mut(), null_mut());
        Log { open, words, capacity: 0, callees, diverted: None, active: false }
    }

    /// Gives the log its memory.
    pub fn attach(&mut self, log: *mut u8, capacity: u64, callees: *mut u8) {
        self.open = log as *mut Open;
        self.words = log.wrapping_add(Open::SIZE as usize) as *mut Word;
        self.capacity = capacity;
        self.callees = callees as *mut Callee;
    }

    /// Has the program's code changed, if it was not; the server does so before it forks, for all runs that follow. Tells whether it
    /// has just tried.
    pub fn prepare(&mut self) -> bool {
        let is_first = self.diverted.is_none();
        self.diverted.get_or_insert_with(divert_marks);
        is_first
    }

    /// Starts the log of a run, in its first thread.
    pub fn begin(&mut self, control: &mut Control) {
        self.active = self.diverted == Some(true);
        if !self.active {
            control.flags |= flag::NO_LOG;
            return;
        }
        self.open_piece();
    }

    /// Ends it, in a process that the program has forked.
    pub fn leave(&mut self) {
        self.active = false;
        point_to(NOWHERE.0.get());
        tls().logging = 0;
    }

    fn open_piece(&mut self) {
        // SAFETY: attached logs point to an `Open` in shared memory.
        unsafe {
            (&raw mut (*self.open).entries[0]).write_volatile(0);
            (&raw mut (*self.open).laps).write_volatile(0);
        }
        point_to(self.open);
    }

    fn entry(&self, index: usize) -> Word {
        // SAFETY: callers stay below the number of entries; marks of a signal handler may write at any time.
        unsafe { (&raw const (*self.open).entries).cast::<Word>().add(index).read_volatile() }
    }

    /// Closes the open piece: the run has come to a step. Only in the thread that the log is of.
    pub fn close_piece(&mut self, control: &mut Control) {
        if !self.active {
            return;
        }
        // SAFETY: as in `open_piece`; the cursor points into the open piece.
        let (at, laps) =
            unsafe { (cursor().read_volatile() as usize, (&raw const (*self.open).laps).read_volatile()) };
        let filled = at.wrapping_sub(self.open as usize) / size_of::<Word>() % PLACES;
        let total = laps as usize * TAIL + filled;
        let kept = kept(total);
        if control.flags & flag::LOG_FULL != 0 || control.log_used + kept as u64 >= self.capacity {
            control.flags |= flag::LOG_FULL;
            control.log_lost += total as u64;
        } else {
            self.append(control, total, kept, filled);
        }
        self.open_piece();
    }

    /// Copies the open piece, its ring from the oldest entry on.
    fn append(&self, control: &mut Control, total: usize, kept: usize, filled: usize) {
        let oldest = if total > PLACES { filled + 1 } else { HEAD };
        // SAFETY: there is room for that many words.
        let put = |place: usize, word: Word| unsafe {
            *self.words.add(control.log_used as usize + place) = word;
        };
        put(0, total.min(Word::MAX as usize) as Word);
        for place in 0..kept {
            let from = if place < HEAD { place } else { HEAD + (place - HEAD + oldest - HEAD) % TAIL };
            put(1 + place, self.entry(from));
        }
        control.log_used += 1 + kept as u64;
    }

    /// Adds a callee to the table, if it is not there and there is room.
    fn add_callee(&mut self, callee: Callee) {
        let hash = (callee.type_hash ^ callee.offset).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        for place in (0..MAX_CALLEES).map(|step| (hash + step) % MAX_CALLEES) {
            // SAFETY: the table has that many places.
            let there = unsafe { &mut *self.callees.add(place as usize) };
            if there.offset == 0 {
                *there = callee;
            }
            if *there == callee {
                return;
            }
        }
    }
}

/// A call through a pointer to functions of this type.
pub extern "C" fn callee(type_hash: u64, address: u64) {
    let code = crash::code();
    if !code.contains(&(address as usize)) {
        return;
    }
    let callee = Callee { type_hash, offset: address - code.start as u64 };
    if let Some(_guard) = lock::take() {
        crate::state::state().log.add_callee(callee);
    }
}
