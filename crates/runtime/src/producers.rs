//! Values that producers return, and the program's reactions to them; see [`cairn_wire::produced`].
//!
//! A reaction is the set of sides that the program takes between the return of a producer and its next entry. It
//! is found in the coverage bytes: a side that was taken stores 1, and a look at it turns that to [`SEEN`]. So
//! the coverage of the run stays complete, and needs no second map.

use crate::recorder::recorder;
use crate::sites::site_id;
use cairn_wire::control::mode;
use cairn_wire::event::NO_SITE;
use cairn_wire::produced::{MAX_PRODUCED, MAX_REACTIONS, Produced, SIDES_SHIFT, state};
use cairn_wire::site::SiteRecord;
use core::cell::UnsafeCell;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicU64, Ordering};

/// Value of a coverage byte whose side was taken, and that an earlier look has found.
const SEEN: u64 = 2;
/// A word of bytes that are 1.
const ONES: u64 = 0x0101_0101_0101_0101;
/// Slots that are searched for the activation that returns: producers call each other, but not deeply.
const MAX_OPEN: u32 = 64;

unsafe extern "C" {
    static mut __start_cairn_cov: u8;
    static mut __stop_cairn_cov: u8;
}

/// The log of this run.
struct ProducedLog {
    slots: *mut Produced,
    /// Words of reactions, and how many are in use.
    reactions: *mut u32,
    reactions_used: u32,
    is_active: bool,
    /// Site whose values are recorded, with reactions; [`NO_SITE`] for the values of all, without.
    site: u32,
    /// Where a producer's caller finds the value, if not in the result: site, address and size.
    result: (u32, usize, u32),
}

struct LogCell(UnsafeCell<ProducedLog>);

// SAFETY: see `produced_log`.
unsafe impl Sync for LogCell {}

static LOG: LogCell = LogCell(UnsafeCell::new(ProducedLog {
    slots: null_mut(),
    reactions: null_mut(),
    reactions_used: 0,
    is_active: false,
    site: NO_SITE,
    result: (NO_SITE, 0, 0),
}));

/// Borrows the log, for a moment.
fn produced_log() -> &'static mut ProducedLog {
    // SAFETY: only the thread that the run began in writes to it, and no borrow outlives a call of the runtime.
    unsafe { &mut *LOG.0.get() }
}

/// Gives the log its memory.
pub fn attach(slots: *mut u8, reactions: *mut u8) {
    (produced_log().slots, produced_log().reactions) = (slots as *mut Produced, reactions as *mut u32);
}

/// Starts the log of a run.
pub fn begin_run() {
    let (control, log) = (recorder().control(), produced_log());
    control.produced = 0;
    log.is_active = control.mode & mode::PRODUCED != 0;
    log.reactions_used = 0;
    (log.site, log.result) = (control.producer, (NO_SITE, 0, 0));
}

/// Ends the log, in a process that the program has forked.
pub fn leave() {
    produced_log().is_active = false;
}

impl ProducedLog {
    /// Returns the number of a producer's site if its values are recorded.
    fn recorded_site(&self, record: *const SiteRecord) -> Option<u32> {
        let site = site_id(record).filter(|site| self.site == NO_SITE || self.site == *site)?;
        recorder().is_first_thread().then_some(site)
    }

    /// Borrows a slot below the maximum.
    fn slot(&mut self, index: u32) -> &mut Produced {
        // SAFETY: the log has that many slots.
        unsafe { &mut *self.slots.add(index as usize) }
    }

    /// Appends a word of a reaction, if there is room.
    fn add(&mut self, word: u32) {
        if self.reactions_used < MAX_REACTIONS {
            // SAFETY: there is room for that many words.
            unsafe { *self.reactions.add(self.reactions_used as usize) = word };
            self.reactions_used += 1;
        }
    }

    /// Returns the last activation of a producer that has come as far as `wanted`.
    fn last(&mut self, site: u32, wanted: u32, used: u32) -> Option<u32> {
        let is_wanted = |log: &mut Self, index| {
            let slot = log.slot(index);
            (slot.site, slot.state) == (site, wanted)
        };
        (used.saturating_sub(MAX_OPEN)..used).rev().find(|index| is_wanted(self, *index))
    }
}

/// Notes that a producer is entered.
#[unsafe(no_mangle)]
pub extern "C" fn __cairn_enter(record: *const SiteRecord) {
    let log = produced_log();
    if !log.is_active {
        return;
    }
    let Some(site) = log.recorded_site(record) else { return };
    let control = recorder().control();
    let used = control.produced.min(MAX_PRODUCED);
    if log.site != NO_SITE {
        let first = log.reactions_used;
        each_side(|word| log.add(word));
        let count = log.reactions_used - first;
        if let Some(last) = used.checked_sub(1)
            && log.slot(last).state == state::RETURNED
        {
            let slot = log.slot(last);
            (slot.state, slot.first, slot.count) = (state::FOLLOWED, first, count);
        }
    }
    if log.result.0 == site {
        log.result = (NO_SITE, 0, 0);
    }
    if used < MAX_PRODUCED {
        let events = control.events;
        *log.slot(used) = Produced { site, state: state::ENTERED, entered: events, ..Produced::default() };
        control.produced = used + 1;
    }
}

/// Notes where a producer's caller finds the value, if not in the result.
#[unsafe(no_mangle)]
pub extern "C" fn __cairn_result(record: *const SiteRecord, address: u64, bytes: u32) {
    let log = produced_log();
    if log.is_active
        && let Some(site) = log.recorded_site(record)
    {
        log.result = (site, address as usize, bytes.min(8));
    }
}

/// Notes that a producer returns a value.
#[unsafe(no_mangle)]
pub extern "C" fn __cairn_produce(record: *const SiteRecord, value: u64) {
    let log = produced_log();
    if !log.is_active {
        return;
    }
    let Some(site) = log.recorded_site(record) else { return };
    let control = recorder().control();
    let used = control.produced.min(MAX_PRODUCED);
    let Some(index) = log.last(site, state::ENTERED, used) else { return };
    let value = match log.result {
        (of, address, bytes) if of == site => read(address, bytes),
        _ => value,
    };
    let reacts = log.site != NO_SITE;
    let slot = log.slot(index);
    if !reacts && index + 1 == used && slot.entered == control.events {
        // It has read no input: the slot is for one that has.
        control.produced = index;
        return;
    }
    (slot.state, slot.returned, slot.value) = (state::RETURNED, control.events, value);
    if reacts {
        each_side(|_| {});
    }
}

/// Reads an integer that the producer has stored in this activation.
fn read(address: usize, bytes: u32) -> u64 {
    let mut value = [0; 8];
    // SAFETY: the producer has stored so many bytes there, for its caller to read.
    unsafe { core::ptr::copy_nonoverlapping(address as *const u8, value.as_mut_ptr(), bytes as usize) };
    u64::from_le_bytes(value)
}

/// Calls `found` with each word of sides taken since the last call.
fn each_side(mut found: impl FnMut(u32)) {
    let start = &raw mut __start_cairn_cov;
    let words = ((&raw mut __stop_cairn_cov) as usize - start as usize) / size_of::<u64>();
    let first = start as *mut AtomicU64;
    for index in 0..words {
        // SAFETY: the section is page aligned and whole pages long, and it is written to by stores of bytes alone.
        let word = unsafe { &*first.add(index) };
        let mut taken = word.load(Ordering::Relaxed);
        if taken & ONES == 0 {
            continue;
        }
        let seen = |word: u64| ((word | (word / SEEN)) & ONES) * SEEN;
        while let Err(now) =
            word.compare_exchange_weak(taken, seen(taken), Ordering::Relaxed, Ordering::Relaxed)
        {
            taken = now;
        }
        // The product's upper byte has the lowest bit of each byte, the first byte's lowest.
        let sides = (taken & ONES).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        found((index as u32) << SIDES_SHIFT | sides as u32);
    }
}
