//! The recorder: writes the trace of the run into shared memory, and holds the modes the run is in.
//!
//! The trace consists of the label table (`table.rs`), the event log (here) and the branch log
//! (`branch_log.rs`). One static cell holds all three: a target has one runtime. Modes and addresses change
//! only before the program's own code runs; table and logs are written under the lock. Input objects
//! (`input.rs`) and snapshots (`snapshot.rs`) have cells of their own.

use crate::branch_log::BranchLog;
use crate::lock;
use crate::memory::populate;
use crate::table::LabelTable;
use crate::tls::tls;
use cairn_wire::control::{self, Control, mode};
use cairn_wire::event::NO_SITE;
use cairn_wire::shadow;
use cairn_wire::{Event, EventKind, LabelEntry};
use core::cell::UnsafeCell;
use core::mem::offset_of;
use core::ptr::null_mut;

/// Losses that a run records without diagnosis: a bound on the log, chosen well above what one report lists.
const MAX_LOSSES: u32 = 1024;
/// Site of the last loss before there is one; no site has this number.
const NO_LOSS: u32 = u32::MAX;

/// Modes of the run, and the parts of the trace.
pub struct Recorder {
    /// Labels are handed out. Without it every label is 0 and no slow path is ever taken.
    pub tracing: bool,
    /// Every labelled value is recorded for the oracle.
    pub checking: bool,
    /// Every lost value is recorded, not only the first of each series.
    pub diagnosing: bool,
    /// Site of the last recorded loss.
    last_loss: u32,
    /// Number of recorded losses.
    losses: u32,
    /// Thread that the run began in.
    first_thread: usize,
    /// Control page of the shared memory.
    pub control: *mut Control,
    /// Event log.
    events: *mut Event,
    /// Capacity of the event log.
    event_capacity: u32,
    /// Label table.
    pub table: LabelTable,
    /// Branch log.
    pub log: BranchLog,
}

/// Storage of the recorder; slow-path stubs read it by offset (`slow_path_stubs.rs`).
pub struct RecorderCell(UnsafeCell<Recorder>);

/// Offset of [`Recorder::checking`], for slow-path stubs.
pub const CHECKING_OFFSET: usize = offset_of!(Recorder, checking);
/// Offset of [`Recorder::table`], for slow-path stubs.
pub const TABLE_OFFSET: usize = offset_of!(Recorder, table);

// SAFETY: see `recorder`.
unsafe impl Sync for RecorderCell {}

/// The recorder of this process.
pub static RECORDER: RecorderCell = RecorderCell(UnsafeCell::new(Recorder {
    tracing: false,
    checking: false,
    diagnosing: false,
    last_loss: NO_LOSS,
    losses: 0,
    first_thread: 0,
    control: null_mut(),
    events: null_mut(),
    event_capacity: 0,
    table: LabelTable::empty(),
    log: BranchLog::empty(),
}));

/// Borrows the recorder. Callers take short exclusive borrows and call no code of the target meanwhile.
pub fn recorder() -> &'static mut Recorder {
    // SAFETY: threads of one target share it, and write to what it points to under a lock only.
    unsafe { &mut *RECORDER.0.get() }
}

/// Returns an identifier of this thread: the address of its thread-local block.
fn this_thread() -> usize {
    tls() as *const _ as usize
}

impl Recorder {
    /// Connects the recorder to a mapped shared memory.
    ///
    /// # Safety
    /// `base` must be the start of a mapping as large as its control page says.
    pub unsafe fn attach(&mut self, base: *mut u8) {
        self.control = base as *mut Control;
        // SAFETY: the mapping begins with a control page the driver has filled in.
        let layout = unsafe { (*self.control).layout };
        let region = |offset: u64| base.wrapping_add(offset as usize);
        self.events = region(layout.events) as *mut Event;
        self.event_capacity = layout.event_capacity as u32;
        self.log.attach(region(layout.log), layout.log_capacity, region(layout.callees));
        // Once here, instead of a fault for each page in each run.
        populate(shadow::SUMMARY as *mut u8, shadow::SUMMARY_SIZE);
        self.table.attach(region(layout.labels) as *mut LabelEntry, layout.label_capacity as u32);
    }

    /// Starts a run: empty table, empty logs, the modes the driver asks for.
    pub fn begin_run(&mut self) {
        let control = self.control();
        control.objects = control.objects_given.min(control::MAX_OBJECTS as u32);
        (control.labels, control.events, control.flags, control.lost) = (1, 0, 0, 0);
        (control.crash, control.stale, control.snapshots_used) = ([0; control::CRASH_FRAMES], 0, 0);
        (control.log_used, control.log_lost) = (0, 0);
        (control.fault, control.outside, control.message) = (0, 0, [0; control::MESSAGE_WORDS]);
        let mode = control.mode;
        self.tracing = mode & mode::TRACE != 0;
        self.checking = mode & mode::CHECK != 0;
        self.diagnosing = mode & mode::DIAGNOSE != 0;
        (self.last_loss, self.losses) = (NO_LOSS, 0);
        self.first_thread = this_thread();
        if mode & mode::LOG != 0 {
            self.log.begin(control);
        }
        if mode & mode::CALLEES != 0 {
            tls().logging = 1;
        }
    }

    /// True in the thread that the run began in.
    pub fn is_first_thread(&self) -> bool {
        self.first_thread == this_thread()
    }

    /// Faults in at once the pages that the run will write to, as many as the last run used.
    pub fn populate(&mut self) {
        let control = self.control();
        self.table.populate_for(control.expected_labels);
        populate(self.events as *mut u8, u64::from(control.expected_events) * size_of::<Event>() as u64);
    }

    /// Takes the lock on table and logs; `None` when not tracing, and in a signal handler that has
    /// interrupted its own thread while that held the lock: waiting would deadlock, so the handler's value is
    /// lost.
    fn lock_for_writing(&mut self) -> Option<lock::Guard> {
        if !self.tracing {
            return None;
        }
        let Some(guard) = lock::take() else {
            self.control().lost += 1;
            return None;
        };
        if self.first_thread != this_thread() {
            self.control().flags |= control::flag::THREADS;
        }
        Some(guard)
    }

    /// True if a driver shares its memory with this process.
    pub fn is_attached(&self) -> bool {
        !self.control.is_null()
    }

    /// Borrows the control page; the recorder must be attached.
    pub fn control(&mut self) -> &'static mut Control {
        // SAFETY: attached recorders point to the control page for the life of the process.
        unsafe { &mut *self.control }
    }

    /// Returns the label of an expression that has this value; 0 when not tracing or when the table is full.
    pub fn intern(&mut self, entry: LabelEntry, value: u128) -> u32 {
        let Some(_guard) = self.lock_for_writing() else { return 0 };
        let control = self.control();
        let label = self.table.intern(entry, value, control);
        // After a full table, decisions on this label would be missing: the trace ends here, as a prefix of
        // the path.
        self.tracing = label != 0;
        label
    }

    /// Returns the row of a label.
    pub fn entry(&self, label: u32) -> LabelEntry {
        self.table.entry(label)
    }

    /// Returns the value of a label in this run; its lowest 64 bits.
    pub fn value(&self, label: u32) -> u64 {
        self.table.value(label)
    }

    /// Returns all bits of a label's value.
    pub fn wide_value(&self, label: u32) -> u128 {
        self.table.wide_value(label)
    }

    /// Returns the value of a label of this width; reads the upper half only if there is one.
    pub fn wide_value_of(&self, label: u32, width: u32) -> u128 {
        if width <= u64::BITS { self.value(label).into() } else { self.wide_value(label) }
    }

    /// True for a loss at another site than the one before, as long as the run has had few: enough to name
    /// the cause of a divergence, and cheap where a loop loses a value in each iteration.
    pub fn is_new_loss(&mut self, site: u32) -> bool {
        let is_new = self.last_loss != site && self.losses < MAX_LOSSES;
        self.last_loss = site;
        self.losses += u32::from(is_new);
        is_new
    }

    /// Appends an event to the log.
    pub fn record(&mut self, kind: EventKind, site: u32, label: u32, value: u64) {
        if let Some(_guard) = self.lock_for_writing() {
            self.append(kind, site, label, value);
        }
    }

    /// Appends a branch on a comparison that is used by this branch only, and so needs no hash-consing.
    pub fn decide(&mut self, site: u32, comparison: LabelEntry, result: u64) {
        let Some(_guard) = self.lock_for_writing() else { return };
        let control = self.control();
        let label = self.table.append(comparison, control);
        // As for `intern`.
        self.tracing = label != 0;
        if self.checking && label != 0 {
            self.append(EventKind::Check, NO_SITE, label, result);
        }
        if self.tracing {
            self.append(EventKind::Branch, site, label, result);
        }
    }

    /// Appends an event; the caller holds the lock.
    fn append(&mut self, kind: EventKind, site: u32, label: u32, value: u64) {
        let control = self.control();
        if control.events >= self.event_capacity {
            control.flags |= control::flag::EVENTS_FULL;
            self.tracing = false;
            return;
        }
        if kind.step().is_some() && self.first_thread == this_thread() {
            self.log.close_piece(control);
        }
        // SAFETY: the index is below the capacity of the mapped log.
        unsafe { *self.events.add(control.events as usize) = Event::new(kind, site, label, value) };
        control.events += 1;
    }

    /// Records a labelled value for the oracle, in check mode; returns the label.
    pub fn check(&mut self, label: u32, value: u64) -> u32 {
        if self.checking && label != 0 {
            self.record(EventKind::Check, NO_SITE, label, value);
        }
        label
    }
}
