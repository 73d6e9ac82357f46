//! What the runtime knows about the run it is in.
//!
//! One static cell: a target has one runtime, and the fields change only before its own code runs.

use crate::lock;
use crate::log::Log;
use crate::memory::populate;
use crate::table::Table;
use crate::tls::tls;
use cairn_wire::control::{self, Control, mode};
use cairn_wire::event::NO_SITE;
use cairn_wire::shadow;
use cairn_wire::site::SiteRecord;
use cairn_wire::{Event, EventKind, LabelEntry, ObjectEntry};
use core::cell::UnsafeCell;
use core::mem::offset_of;
use core::ptr::null_mut;

/// Most losses that are recorded of a run without diagnosis.
const MAX_LOSSES: u32 = 1024;
/// No site has this number.
const NO_LOSS: u32 = u32::MAX;

/// Everything the runtime keeps.
pub struct State {
    /// Labels are handed out. Without it every label is 0 and no slow path is ever taken.
    pub tracing: bool,
    /// Every labelled value is recorded for the oracle.
    pub checking: bool,
    /// Every value that is lost is recorded, not only the first of each series.
    pub diagnosing: bool,
    /// Site of the last recorded loss, and how many were recorded.
    last_loss: u32,
    losses: u32,
    /// The thread that the run began in.
    thread: usize,
    /// Control page of the shared memory.
    pub control: *mut Control,
    /// Event log.
    pub events: *mut Event,
    /// Events that fit.
    pub event_capacity: u32,
    /// Input objects.
    pub objects: *mut ObjectEntry,
    /// The next object that the program gets when it asks for one.
    pub next_object: u32,
    /// Bytes of the input objects.
    pub input: *mut u8,
    /// Room for them.
    pub input_size: u64,
    /// Copies of memory.
    pub snapshots: *mut u8,
    /// Room for them.
    pub snapshot_size: u64,
    /// Label table.
    pub table: Table,
    /// Branch log.
    pub log: Log,
}

/// The state, where doors look at it (`slow_path_stubs.rs`).
pub struct Cell(UnsafeCell<State>);

/// Where doors find what they look at.
pub const CHECKING: usize = offset_of!(State, checking);
pub const TABLE: usize = offset_of!(State, table);

// SAFETY: see `state`.
unsafe impl Sync for Cell {}

pub static STATE: Cell = Cell(UnsafeCell::new(State {
    tracing: false,
    checking: false,
    diagnosing: false,
    last_loss: NO_LOSS,
    losses: 0,
    thread: 0,
    control: null_mut(),
    events: null_mut(),
    event_capacity: 0,
    objects: null_mut(),
    next_object: 0,
    input: null_mut(),
    input_size: 0,
    snapshots: null_mut(),
    snapshot_size: 0,
    table: Table::empty(),
    log: Log::empty(),
}));

/// The one state. Callers take short exclusive borrows and call nothing of the target meanwhile.
pub fn state() -> &'static mut State {
    // SAFETY: threads of one target share it, and write to what it points to under a lock only.
    unsafe { &mut *STATE.0.get() }
}

/// What tells this thread from others.
fn this_thread() -> usize {
    tls() as *const _ as usize
}

unsafe extern "C" {
    static __start_cairn_br: SiteRecord;
    static __stop_cairn_br: SiteRecord;
}

/// Site records of the program.
pub fn site_count() -> u32 {
    let bytes = (&raw const __stop_cairn_br) as usize - (&raw const __start_cairn_br) as usize;
    (bytes / size_of::<SiteRecord>()) as u32
}

/// Id of the site whose record this is; `None` for a record of a shared object, which has its own
/// section and no ids yet.
pub fn site_id(record: *const SiteRecord) -> Option<u32> {
    let offset = (record as usize).wrapping_sub((&raw const __start_cairn_br) as usize);
    let index = (offset / size_of::<SiteRecord>()) as u32;
    (offset < usize::MAX / 2 && index < site_count()).then_some(index)
}

impl State {
    /// Connects the state with a mapped shared memory.
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
        self.objects = region(layout.objects) as *mut ObjectEntry;
        self.input = region(layout.input);
        self.input_size = layout.input_size;
        self.snapshots = region(layout.snapshots);
        self.snapshot_size = layout.snapshot_size;
        self.log.attach(region(layout.log), layout.log_capacity, region(layout.callees));
        // Once here, instead of a fault for each page in each run.
        populate(shadow::SUMMARY as *mut u8, shadow::SUMMARY_SIZE);
        self.table.attach(region(layout.labels) as *mut LabelEntry, layout.label_capacity as u32);
    }

    /// Starts a run: empty table, empty log, the mode the driver asks for.
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
        self.thread = this_thread();
        self.next_object = 0;
        if mode & mode::LOG != 0 {
            self.log.begin(control);
        }
        if mode & mode::CALLEES != 0 {
            tls().logging = 1;
        }
    }

    /// Faults in at once what the run will write to, by what the last one did.
    pub fn populate(&mut self) {
        let control = self.control();
        self.table.expect(control.expected_labels);
        populate(self.events as *mut u8, u64::from(control.expected_events) * size_of::<Event>() as u64);
    }

    /// The right to write to table and log; none when not tracing, nor to a signal handler that has
    /// interrupted its own thread in the middle of writing: there is nothing it could wait for, so its value is lost.
    fn writing(&mut self) -> Option<lock::Guard> {
        if !self.tracing {
            return None;
        }
        let Some(guard) = lock::take() else {
            self.control().lost += 1;
            return None;
        };
        if self.thread != this_thread() {
            self.control().flags |= control::flag::THREADS;
        }
        Some(guard)
    }

    /// True if a driver shares its memory with this process.
    pub fn is_attached(&self) -> bool {
        !self.control.is_null()
    }

    /// The control page; only of an attached state.
    pub fn control(&mut self) -> &'static mut Control {
        // SAFETY: attached states point to the control page for the life of the process.
        unsafe { &mut *self.control }
    }

    /// Label of an expression that has this value; 0 when not tracing or when the table is full.
    pub fn intern(&mut self, entry: LabelEntry, value: u128) -> u32 {
        let Some(_guard) = self.writing() else { return 0 };
        let control = self.control();
        let label = self.table.intern(entry, value, control);
        // With no room for this one, decisions would be missing from here on: the path ends, as a prefix of the whole.
        self.tracing = label != 0;
        label
    }

    /// Row of a label.
    pub fn entry(&self, label: u32) -> LabelEntry {
        self.table.entry(label)
    }

    /// Value of a label in this run; its lowest 64 bits.
    pub fn value(&self, label: u32) -> u64 {
        self.table.value(label)
    }

    /// All bits of a label's value.
    pub fn wide_value(&self, label: u32) -> u128 {
        self.table.wide_value(label)
    }

    /// Value of a label of this width.
    pub fn wide_value_of(&self, label: u32, width: u32) -> u128 {
        if width <= u64::BITS { self.value(label).into() } else { self.wide_value(label) }
    }

    /// True for a loss at another site than the one before, unless the run has had many: enough to name what a divergence
    /// comes after, at little cost where a loop loses a value in each round.
    pub fn is_other_loss(&mut self, site: u32) -> bool {
        let is_other = self.last_loss != site && self.losses < MAX_LOSSES;
        self.last_loss = site;
        self.losses += u32::from(is_other);
        is_other
    }

    /// Appends to the log.
    pub fn record(&mut self, kind: EventKind, site: u32, label: u32, value: u64) {
        if let Some(_guard) = self.writing() {
            self.append(kind, site, label, value);
        }
    }

    /// Appends a decision on a comparison that nobody else will ask for again.
    pub fn decide(&mut self, site: u32, comparison: LabelEntry, result: u64) {
        let Some(_guard) = self.writing() else { return };
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

    /// Appends to the log; only for who has the right to write.
    fn append(&mut self, kind: EventKind, site: u32, label: u32, value: u64) {
        let control = self.control();
        if control.events >= self.event_capacity {
            control.flags |= control::flag::EVENTS_FULL;
            self.tracing = false;
            return;
        }
        if kind.step().is_some() && self.thread == this_thread() {
            self.log.close_piece(control);
        }
        // SAFETY: the index is below the capacity of the mapped log.
        unsafe { *self.events.add(control.events as usize) = Event::new(kind, site, label, value) };
        control.events += 1;
    }

    /// Records a labelled value for the oracle, in check mode.
    pub fn check(&mut self, label: u32, value: u64) -> u32 {
        if self.checking && label != 0 {
            self.record(EventKind::Check, NO_SITE, label, value);
        }
        label
    }
}
