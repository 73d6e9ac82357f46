//! The control page and the input objects: written before a run, read back and checked afterwards.

use crate::input::{Input, Object};
use crate::run_error::RunError;
use crate::shm::SharedMemory;
use crate::spec::Limits;
use cairn_wire::control::{CRASH_FRAMES, DENIED_WORDS, MAGIC, MAX_OBJECTS, MESSAGE_WORDS, PAGE};
use cairn_wire::event::NO_SITE;
use cairn_wire::log::{Callee, MAX_CALLEES, Open, Word};
use cairn_wire::produced::{MAX_PRODUCED, MAX_REACTIONS, Produced};
use cairn_wire::{ABI_VERSION, Control, Event, LabelEntry, Layout, ObjectEntry, ObjectKind};

/// Alignment of objects in the input region.
const OBJECT_ALIGNMENT: u64 = 16;

/// Lays out the regions of the shared memory one after the other.
pub(crate) fn layout(coverage: usize, limits: &Limits) -> Layout {
    let mut end = PAGE;
    let mut region = |bytes: u64| {
        let start = end;
        end += bytes.next_multiple_of(PAGE);
        start
    };
    let coverage_size = (coverage.max(1) as u64).next_multiple_of(PAGE);
    let (events, labels) = (u64::from(limits.events), u64::from(limits.labels));
    let regions = Layout {
        objects: region((MAX_OBJECTS * size_of::<ObjectEntry>()) as u64),
        input: region(limits.input_bytes),
        input_size: limits.input_bytes.next_multiple_of(PAGE),
        coverage: region(coverage_size),
        coverage_size,
        events: region(events * size_of::<Event>() as u64),
        event_capacity: events,
        labels: region(labels * size_of::<LabelEntry>() as u64),
        label_capacity: labels,
        snapshots: region(limits.snapshot_bytes),
        snapshot_size: limits.snapshot_bytes.next_multiple_of(PAGE),
        log: region(Open::SIZE + limits.log_words * size_of::<Word>() as u64),
        log_capacity: limits.log_words,
        callees: region(MAX_CALLEES * size_of::<Callee>() as u64),
        produced: region(u64::from(MAX_PRODUCED) * size_of::<Produced>() as u64),
        reactions: region(u64::from(MAX_REACTIONS) * size_of::<u32>() as u64),
        total: 0,
    };
    Layout { total: end, ..regions }
}

/// Mode bits and producer of a run that records nothing.
pub(crate) const NATIVE: (u32, u32) = (0, NO_SITE);

/// Counts and facts that a run has recorded in the control page, checked for plausibility.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Recorded {
    /// First unused label; at most the capacity.
    pub(crate) labels: u32,
    /// Number of events; at most the capacity.
    pub(crate) events: u32,
    /// Flag bits.
    pub(crate) flags: u32,
    /// Losses.
    pub(crate) lost: u32,
    /// Labelled bytes that uninstrumented code has overwritten.
    pub(crate) stale: u64,
    /// Stack of a fatal signal.
    pub(crate) crash: [u64; CRASH_FRAMES],
    /// Bits that describe an invalid access.
    pub(crate) fault: u32,
    /// Its address.
    pub(crate) fault_address: u64,
    /// Message of the C library before it aborted.
    pub(crate) message: [u64; MESSAGE_WORDS],
    /// Words of the branch log; at most the capacity.
    pub(crate) log_used: u64,
    /// Branches that did not fit.
    pub(crate) log_lost: u64,
    /// Slots of the log of produced values; at most the capacity.
    pub(crate) produced: u32,
    /// True if the control page is implausible.
    pub(crate) damaged: bool,
    /// First file that was denied to the program.
    pub(crate) denied: [u64; DENIED_WORDS],
}

/// Access to the control page, the object table and the input region.
pub(crate) struct ControlRegion<'a> {
    /// The shared memory.
    pub(crate) memory: &'a SharedMemory,
    /// Its layout; the driver's own copy.
    pub(crate) layout: &'a Layout,
}

impl ControlRegion<'_> {
    /// Writes an input for the next run: in a mode, with the producer whose values are recorded. `name` returns the name of an object in the target.
    pub(crate) fn write_input<'i>(
        &self,
        input: &'i Input,
        (mode, producer): (u32, u32),
        last: Recorded,
        name: impl Fn(&'i Object) -> &'i str,
    ) -> Result<(), RunError> {
        if input.objects.len() > MAX_OBJECTS {
            return Err(RunError::TooManyObjects(input.objects.len()));
        }
        let mut used = 0;
        for (i, object) in input.objects.iter().enumerate() {
            let len = object.bytes.len() as u64;
            if len > self.layout.input_size - used {
                return Err(RunError::InputTooLarge(input.len()));
            }
            self.memory.store(self.entry_at(i), entry(object, used, name(object)));
            self.memory.write(self.layout.input + used, &object.bytes);
            used = (used + len).next_multiple_of(OBJECT_ALIGNMENT).min(self.layout.input_size);
        }
        self.memory.store(0, self.control(input.objects.len() as u32, used, (mode, producer), last));
        Ok(())
    }

    /// Returns the control page, which is written as a whole for every run: the previous one may have
    /// scribbled over it.
    fn control(
        &self,
        objects: u32,
        input_used: u64,
        (mode, producer): (u32, u32),
        last: Recorded,
    ) -> Control {
        Control {
            magic: MAGIC,
            abi: ABI_VERSION,
            mode,
            producer,
            layout: *self.layout,
            objects_given: objects,
            objects,
            input_used,
            labels: 1,
            expected_labels: last.labels,
            expected_events: last.events,
            ..Control::default()
        }
    }

    fn entry_at(&self, index: usize) -> u64 {
        self.layout.objects + (index * size_of::<ObjectEntry>()) as u64
    }

    /// Returns the number of events that the run in progress has recorded; any number, if the target has written
    /// over it.
    pub(crate) fn events_so_far(&self) -> u32 {
        self.memory.load::<Control>(0).events
    }

    /// Reads back the control page. An implausible page counts as damaged, and as if nothing was recorded.
    pub(crate) fn recorded(&self) -> Recorded {
        let control = self.memory.load::<Control>(0);
        let Control { labels, events, flags, lost, stale, crash, log_used, log_lost, .. } = control;
        let Control { fault, fault_address, message, denied, produced, .. } = control;
        let labels_fit = labels >= 1 && u64::from(labels) <= self.layout.label_capacity;
        let events_fit = u64::from(events) <= self.layout.event_capacity;
        let log_fits = log_used <= self.layout.log_capacity;
        let produced_fit = produced <= MAX_PRODUCED;
        let untouched = control.layout == *self.layout && control.magic == MAGIC;
        if labels_fit && events_fit && log_fits && produced_fit && untouched {
            let damaged = false;
            return Recorded {
                labels,
                events,
                flags,
                lost,
                stale,
                crash,
                fault,
                fault_address,
                message,
                log_used,
                log_lost,
                produced,
                damaged,
                denied,
            };
        }
        Recorded { labels: 1, damaged: true, ..Recorded::default() }
    }

    /// Returns the input as the target saw it, and whether the object table is sound.
    ///
    /// Only named objects can have changed: the program has set their length and name. Their bytes need not
    /// be read: they are those given, and zeros.
    pub(crate) fn read_input(&self, given: &Input) -> (Input, bool) {
        let count = self.memory.load::<Control>(0).objects as usize;
        if count < given.objects.len() || count > MAX_OBJECTS {
            return (given.clone(), false);
        }
        let mut objects = Vec::with_capacity(count);
        let mut room = self.layout.input_size;
        for i in 0..count {
            match self.object_after(i, given.objects.get(i), room) {
                Some(ObjectAfter::Seen(object)) => {
                    room -= object.bytes.len() as u64;
                    objects.push(object);
                }
                Some(ObjectAfter::Unused) => break,
                None => return (Input { objects }, false),
            }
        }
        (Input { objects }, true)
    }

    fn object_after(&self, index: usize, given: Option<&Object>, room: u64) -> Option<ObjectAfter> {
        if let Some(given) = given.filter(|g| !g.kind.is_named()) {
            return Some(ObjectAfter::Seen(given.clone()));
        }
        let entry = self.memory.load::<ObjectEntry>(self.entry_at(index));
        if ObjectKind::from_u8(entry.kind) != Some(ObjectKind::Named) || entry.len > room {
            return None;
        }
        if given.is_some() && entry.used == 0 {
            return Some(ObjectAfter::Unused);
        }
        let mut bytes = given.map_or_else(Vec::new, |g| g.bytes.clone());
        bytes.resize(entry.len as usize, 0);
        Some(ObjectAfter::Seen(Object::named(String::from_utf8_lossy(entry.name()), bytes)))
    }
}

/// State of an object after the run.
enum ObjectAfter {
    /// The run has used it, with this content.
    Seen(Object),
    /// The run has not asked for it, nor for any that follows.
    Unused,
}

fn entry(object: &Object, offset: u64, name: &str) -> ObjectEntry {
    let mut entry = ObjectEntry {
        kind: object.kind as u8,
        index: object.index,
        offset,
        len: object.bytes.len() as u64,
        limit: object.limit as u64,
        ..ObjectEntry::default()
    };
    entry.set_name(name.as_bytes());
    entry
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> (SharedMemory, Layout) {
        let limits = Limits { labels: 100, events: 100, input_bytes: 4096, ..Limits::default() };
        let layout = layout(10, &limits);
        (SharedMemory::create(layout.total).unwrap(), layout)
    }

    #[test]
    fn regions_do_not_overlap() {
        let l = layout(5000, &Limits::default());
        let ends = [
            (l.objects, (MAX_OBJECTS * size_of::<ObjectEntry>()) as u64),
            (l.input, l.input_size),
            (l.coverage, l.coverage_size),
            (l.events, l.event_capacity * size_of::<Event>() as u64),
            (l.labels, l.label_capacity * size_of::<LabelEntry>() as u64),
            (l.snapshots, l.snapshot_size),
            (l.log, Open::SIZE + l.log_capacity * size_of::<Word>() as u64),
            (l.callees, MAX_CALLEES * size_of::<Callee>() as u64),
            (l.produced, u64::from(MAX_PRODUCED) * size_of::<Produced>() as u64),
            (l.reactions, u64::from(MAX_REACTIONS) * size_of::<u32>() as u64),
        ];
        for pair in ends.windows(2) {
            assert!(pair[0].0 + pair[0].1 <= pair[1].0 && pair[1].0 % PAGE == 0, "{l:?}");
        }
        assert!(l.reactions + ends[9].1 <= l.total);
        assert_eq!(l.coverage_size, 8192);
    }

    #[test]
    fn named_objects_get_the_length_and_name_the_program_asked_for() {
        let (memory, layout) = small();
        let control_region = ControlRegion { memory: &memory, layout: &layout };
        let named = |bytes: &[u8]| Object::named("old", bytes);
        let given = Input { objects: vec![Object::stdin("in"), named(b"ab"), named(b"never asked")] };
        control_region.write_input(&given, NATIVE, Recorded::default(), |o| &o.name).unwrap();
        let mut asked = memory.load::<ObjectEntry>(control_region.entry_at(1));
        (asked.used, asked.len) = (1, 3);
        asked.set_name(b"new");
        memory.store(control_region.entry_at(1), asked);
        let expected = Input { objects: vec![Object::stdin("in"), Object::named("new", *b"ab\0")] };
        assert_eq!(control_region.read_input(&given), (expected, true));
    }

    #[test]
    fn impossible_counts_are_rejected() {
        let (memory, layout) = small();
        let control_region = ControlRegion { memory: &memory, layout: &layout };
        let given = Input { objects: vec![Object::stdin("in")] };
        control_region.write_input(&given, NATIVE, Recorded::default(), |o| &o.name).unwrap();
        let control = memory.load::<Control>(0);
        memory
            .store(0, Control { labels: 101, events: u32::MAX, objects: MAX_OBJECTS as u32 + 1, ..control });
        let recorded = control_region.recorded();
        assert_eq!((recorded.labels, recorded.events, recorded.damaged), (1, 0, true));
        assert_eq!(control_region.read_input(&given), (given, false));
    }

    #[test]
    fn objects_cannot_claim_more_bytes_than_there_are() {
        let (memory, layout) = small();
        let control_region = ControlRegion { memory: &memory, layout: &layout };
        control_region.write_input(&Input::default(), NATIVE, Recorded::default(), |o| &o.name).unwrap();
        let control = memory.load::<Control>(0);
        memory.store(0, Control { objects: 2, ..control });
        let claim =
            ObjectEntry { kind: ObjectKind::Named as u8, used: 1, len: 3000, ..ObjectEntry::default() };
        memory.store(control_region.entry_at(0), claim);
        memory.store(control_region.entry_at(1), claim);
        let (input, sound) = control_region.read_input(&Input::default());
        assert_eq!((input.objects.len(), sound), (1, false));
    }

    #[test]
    fn an_input_that_does_not_fit_is_refused() {
        let (memory, layout) = small();
        let control_region = ControlRegion { memory: &memory, layout: &layout };
        let large = Input { objects: vec![Object::stdin(vec![1; 4090]), Object::stdin(vec![1; 10])] };
        assert!(control_region.write_input(&large, NATIVE, Recorded::default(), |o| &o.name).is_err());
    }
}
