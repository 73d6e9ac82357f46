//! The branch log of this run; see [`cairn_wire::log`] for its layout.
//!
//! Patched branches append to the open piece through the cursor of their thread (`log_cursor.rs`). A piece is
//! closed, that is copied to the end of the log, whenever the path takes a step: so the log says which
//! branches lie between two steps.

use crate::branch_patching::patch_branches;
use crate::log_cursor;
use crate::tls::tls;
use cairn_wire::control::{Control, flag};
use cairn_wire::log::{Callee, HEAD, MAX_CALLEES, Open, PLACES, TAIL, Word, kept};
use core::ptr::null_mut;

/// The branch log, and the table of functions called through pointers.
pub struct BranchLog {
    open: *mut Open,
    words: *mut Word,
    capacity: u64,
    callees: *mut Callee,
    /// True if the program's branches are patched, false if they cannot be; `None` before the first attempt.
    patched: Option<bool>,
    active: bool,
}

impl BranchLog {
    /// Returns a log with no room.
    pub const fn empty() -> BranchLog {
        let (open, words, callees) = (null_mut(), null_mut(), null_mut());
        BranchLog { open, words, capacity: 0, callees, patched: None, active: false }
    }

    /// Gives the log its memory.
    pub fn attach(&mut self, log: *mut u8, capacity: u64, callees: *mut u8) {
        self.open = log as *mut Open;
        self.words = log.wrapping_add(Open::SIZE as usize) as *mut Word;
        self.capacity = capacity;
        self.callees = callees as *mut Callee;
    }

    /// Patches the program's branches on the first call; the server does so before it forks, for all runs
    /// that follow. True if this was that call.
    pub fn prepare(&mut self) -> bool {
        let is_first = self.patched.is_none();
        self.patched.get_or_insert_with(patch_branches);
        is_first
    }

    /// Starts the log of a run, in its first thread.
    pub fn begin(&mut self, control: &mut Control) {
        self.active = self.patched == Some(true);
        if !self.active {
            control.flags |= flag::NO_LOG;
            return;
        }
        self.open_piece();
    }

    /// Ends the log in a process that the program has forked.
    pub fn leave(&mut self) {
        self.active = false;
        log_cursor::point_to_sink();
        tls().logging = 0;
    }

    fn open_piece(&mut self) {
        // SAFETY: attached logs point to an `Open` in shared memory.
        unsafe {
            (&raw mut (*self.open).entries[0]).write_volatile(0);
            (&raw mut (*self.open).laps).write_volatile(0);
        }
        log_cursor::point_to(self.open);
    }

    fn entry(&self, index: usize) -> Word {
        // SAFETY: callers stay below the number of entries; branches of a signal handler may write at any
        // time.
        unsafe { (&raw const (*self.open).entries).cast::<Word>().add(index).read_volatile() }
    }

    /// Closes the open piece, because the path has taken a step. Only in the thread that the log is of.
    pub fn close_piece(&mut self, control: &mut Control) {
        if !self.active {
            return;
        }
        // The cursor points into the open piece.
        let at = log_cursor::get() as usize;
        // SAFETY: as in `open_piece`.
        let laps = unsafe { (&raw const (*self.open).laps).read_volatile() };
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

    /// Copies the open piece: its head, then its ring from the oldest entry on.
    fn append(&self, control: &mut Control, total: usize, kept: usize, filled: usize) {
        let oldest = if total > PLACES { filled + 1 } else { HEAD };
        // SAFETY: there is room for that many words.
        let put = |position: usize, word: Word| unsafe {
            *self.words.add(control.log_used as usize + position) = word;
        };
        put(0, total.min(Word::MAX as usize) as Word);
        for position in 0..kept {
            let from =
                if position < HEAD { position } else { HEAD + (position - HEAD + oldest - HEAD) % TAIL };
            put(1 + position, self.entry(from));
        }
        control.log_used += 1 + kept as u64;
    }

    /// Adds a callee to the table, if it is not there and there is room; the caller holds the lock.
    pub fn add_callee(&mut self, callee: Callee) {
        let hash = (callee.type_hash ^ callee.offset).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        for slot in (0..MAX_CALLEES).map(|step| (hash + step) % MAX_CALLEES) {
            // SAFETY: the table has that many slots.
            let there = unsafe { &mut *self.callees.add(slot as usize) };
            if there.offset == 0 {
                *there = callee;
            }
            if *there == callee {
                return;
            }
        }
    }
}
