//! From a run's label table and event log to its path, as expressions.
//!
//! Most labels of a run lead to no decision. So the table is walked twice: once from the back, to
//! find what the events need, and once from the front, to build that; only what earlier runs have not
//! had is walked. A target may have written over any of it, and left-over processes may still be at it:
//! every entry is read once and checked, and an entry that needs what the first walk has not seen makes
//! no sense.

mod prefix_cache;
mod row_cache;
mod table;

use crate::control::Recorded;
use crate::log::BranchLog;
use crate::shm::SharedMemory;
use cairn_deadline::Deadline;
use cairn_expr::{Dag, ExprId};
use cairn_wire::event::NO_SITE;
use cairn_wire::event::StepKind;
use cairn_wire::log::Callee;
use cairn_wire::{Event, EventKind, LabelEntry, Layout, Loss, OutOfBounds, SiteId};
use prefix_cache::Earlier;
use table::{Slot, Table};

/// One step of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TraceStep {
    /// What the step is.
    pub kind: StepKind,
    /// Where it is; a pin may have no site ([`NO_SITE`]).
    pub site: SiteId,
    /// The deciding value.
    pub value: ExprId,
    /// What it was in this run.
    pub concrete: u64,
}

/// A labelled value that went where labels cannot follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TraceLoss {
    /// Where it was; may have no site ([`NO_SITE`]).
    pub site: SiteId,
    /// What became of it.
    pub why: Loss,
    /// Steps of the path before it.
    pub before: usize,
}

/// What a run recorded.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    /// The path.
    pub steps: Vec<TraceStep>,
    /// Check mode: every labelled value and what it was.
    pub checks: Vec<(ExprId, u64)>,
    /// Labelled values that were lost; without diagnosis the first of several at the same site.
    pub losses: Vec<TraceLoss>,
    /// Accesses outside their objects.
    pub outside: Vec<(SiteId, OutOfBounds)>,
    /// Every branch the run took, if it was asked for.
    pub log: Option<BranchLog>,
    /// Functions that were called through pointers, each once, if that was asked for.
    pub callees: Vec<Callee>,
    /// Labels the run gave out.
    pub label_count: u32,
    /// There were more steps than are ever looked at, or there is memory for.
    pub cut: bool,
    /// The deadline was over before the path was decoded: nothing is known of it.
    pub late: bool,
    /// The trace is broken; the steps are those from before the first thing that makes no sense.
    pub damaged: bool,
}

/// A finished run's trace in shared memory.
pub(crate) struct RawTrace<'a> {
    /// All of the shared memory.
    pub(crate) memory: &'a SharedMemory,
    /// Where what lies.
    pub(crate) layout: &'a Layout,
    /// How much there is of it.
    pub(crate) recorded: Recorded,
    /// Sites the program has.
    pub(crate) sites: u32,
    /// Length of every input object.
    pub(crate) object_sizes: &'a [usize],
}

impl RawTrace<'_> {
    fn entry(&self, label: u32) -> LabelEntry {
        self.memory.load(self.layout.labels + u64::from(label) * size_of::<LabelEntry>() as u64)
    }

    fn event(&self, index: u32) -> Event {
        self.memory.load(self.layout.events + u64::from(index) * size_of::<Event>() as u64)
    }

    fn is_sane(&self, event: &Event) -> bool {
        let site = event.site_id();
        let site_is_sane = match event.kind() {
            Some(EventKind::Branch) => site < self.sites,
            Some(_) => site < self.sites || site == NO_SITE,
            None => false,
        };
        site_is_sane && event.label > 0 && event.label < self.recorded.labels
    }
}

/// Most steps that are decoded from one trace. A program that loops on its input until its time is up records
/// millions, and building expressions for all of them takes longer than the run did.
pub const MAX_DECODED_STEPS: usize = 400_000;

/// What is kept from run to run.
pub(crate) struct Decoder {
    events: Vec<Event>,
    halt: Halt,
    earlier: Earlier,
    most_steps: usize,
    /// Bytes of expressions that one run may add.
    most_bytes: u64,
}

impl Default for Decoder {
    fn default() -> Decoder {
        Decoder::new(u64::MAX)
    }
}

/// Why no more events are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Halt {
    /// These are all.
    End,
    /// The next one makes no sense.
    Nonsense,
    /// There are enough steps.
    Enough,
}

impl Decoder {
    /// A decoder for runs of which each may add this many bytes of expressions.
    pub(crate) fn new(most_bytes: u64) -> Decoder {
        let (events, earlier) = Default::default();
        Decoder { events, halt: Halt::End, earlier, most_steps: MAX_DECODED_STEPS, most_bytes }
    }

    /// Reads a raw_trace: all that can be done without the expressions, which others may be at.
    pub(crate) fn read(&mut self, raw_trace: &RawTrace) {
        self.halt = self.read_events(raw_trace);
        if !self.events.is_empty() {
            self.earlier.read(raw_trace, &self.events);
        }
    }

    /// The path of the run whose raw_trace was read.
    pub(crate) fn decode(&mut self, raw_trace: &RawTrace, dag: &mut Dag, deadline: &Deadline) -> Trace {
        let mut trace = match self.events.is_empty() {
            // What is remembered is of use for later runs still.
            true => Trace::default(),
            false => match self.earlier.table(raw_trace, &self.events, self.most_bytes, dag, deadline) {
                Some(table) => collect(&self.events, table, dag),
                None => Trace { late: true, ..Trace::default() },
            },
        };
        trace.label_count = raw_trace.recorded.labels.saturating_sub(1);
        trace.damaged |= raw_trace.recorded.damaged || self.halt == Halt::Nonsense;
        trace.cut |= self.halt == Halt::Enough;
        trace
    }

    /// Copies the events as far as they are looked at.
    fn read_events(&mut self, raw_trace: &RawTrace) -> Halt {
        self.events.clear();
        let mut steps = 0;
        for index in 0..raw_trace.recorded.events {
            let event = raw_trace.event(index);
            if !raw_trace.is_sane(&event) {
                return Halt::Nonsense;
            }
            steps += usize::from(is_step(&event));
            if steps > self.most_steps {
                return Halt::Enough;
            }
            self.events.push(event);
        }
        Halt::End
    }
}

fn is_step(event: &Event) -> bool {
    event.kind().and_then(EventKind::step).is_some()
}

/// The events, with the expressions of their labels.
fn collect(events: &[Event], table: &Table, dag: &Dag) -> Trace {
    let mut trace = Trace::default();
    for event in events {
        let value = match table.slots[event.label as usize] {
            Slot::Made(value) => value,
            Slot::Bad => {
                trace.damaged = true;
                break;
            }
            // There was no memory for it.
            Slot::Wanted | Slot::Unused => {
                trace.cut = true;
                break;
            }
        };
        let concrete = event.value & mask(dag.width(value));
        let site = SiteId(event.site_id());
        if let Some(kind) = event.kind().and_then(EventKind::step) {
            trace.steps.push(TraceStep { kind, site, value, concrete });
            continue;
        }
        match event.kind() {
            Some(EventKind::Lost) => {
                let before = trace.steps.len();
                let why = Loss::from_u64(event.value);
                trace.losses.extend(why.map(|why| TraceLoss { site, why, before }));
            }
            Some(EventKind::OutOfBounds) => {
                let how = OutOfBounds::from_u64(event.value);
                trace.outside.extend(how.map(|how| (site, how)));
            }
            _ => trace.checks.push((value, concrete)),
        }
    }
    trace
}

fn mask(width: u8) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

#[cfg(test)]
mod tests;
