//! Decodes a run's label table and event log into its path, as expressions.
//!
//! Most labels of a run lead to no decision. So the table is traversed twice: once backwards, to mark the
//! rows that events depend on, and once forwards, to build their expressions. Rows that earlier runs have had
//! in common are skipped (`prefix_cache`). A target may have overwritten any of it, and left-over processes
//! may still write to it: every row is read once and checked, and a row that depends on one that the first
//! traversal has not marked is rejected.

mod prefix_cache;
mod row_cache;
mod table;

use crate::branch_log::BranchLog;
use crate::raw_trace::RawTrace;
use cairn_deadline::Deadline;
use cairn_expr::{Dag, ExprId};
use cairn_wire::event::StepKind;
use cairn_wire::log::Callee;
use cairn_wire::produced::{Produced, state};
use cairn_wire::{Event, EventKind, Loss, OutOfBounds, SiteId};
use core::ops::Range;
use prefix_cache::PrefixCache;
use table::{DecodedTable, LabelSlot};

/// A step of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TraceStep {
    /// Kind of the step.
    pub kind: StepKind,
    /// Its site; a concretization may have none ([`cairn_wire::event::NO_SITE`]).
    pub site: SiteId,
    /// The value that was decided on.
    pub value: ExprId,
    /// The value in this run.
    pub concrete: u64,
}

/// A loss: a labelled value that went where labels cannot follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TraceLoss {
    /// Its site, if any ([`cairn_wire::event::NO_SITE`]).
    pub site: SiteId,
    /// Kind of the loss.
    pub why: Loss,
    /// Number of steps of the path before it.
    pub before: usize,
}

/// A value that a producer returned after decisions of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TracePiece {
    /// Site of the producer.
    pub site: SiteId,
    /// The value.
    pub value: u64,
    /// Indices of the steps between its entry and its return.
    pub steps: Range<usize>,
}

/// The decoded trace of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    /// The path.
    pub steps: Vec<TraceStep>,
    /// Every labelled value with its concrete value, in check mode.
    pub checks: Vec<(ExprId, u64)>,
    /// Losses; without diagnosis only the first of several at the same site.
    pub losses: Vec<TraceLoss>,
    /// Out-of-bounds accesses.
    pub outside: Vec<(SiteId, OutOfBounds)>,
    /// Every branch the run took, if requested.
    pub log: Option<BranchLog>,
    /// Functions that were called through pointers, each once, if requested.
    pub callees: Vec<Callee>,
    /// Values that producers have returned, if requested, in the order in which they were entered.
    pub pieces: Vec<TracePiece>,
    /// Number of labels of the run.
    pub label_count: u32,
    /// True if there were more steps than are decoded, or than there is memory for.
    pub cut: bool,
    /// True if the deadline was over before the path was decoded: nothing is known about it.
    pub late: bool,
    /// True if the trace is damaged; the steps are those before the first implausible entry.
    pub damaged: bool,
}

/// Steps that are decoded from the trace of a run that was stopped at a limit, a chosen bound. A program that
/// loops on its input until its time is up records millions, and building expressions for all of them would
/// take longer than the run did. Other runs are decoded as far as memory allows ([`crate::Limits::steps`]).
pub const MAX_STOPPED_STEPS: usize = 400_000;

/// A decoder, which keeps caches from run to run.
pub(crate) struct Decoder {
    events: Vec<Event>,
    produced: Vec<Produced>,
    halt: Halt,
    cache: PrefixCache,
    max_steps: usize,
    /// Bytes of expressions that one run may add.
    max_bytes: u64,
}

impl Default for Decoder {
    fn default() -> Decoder {
        Decoder::new(u64::MAX)
    }
}

/// Reason why no more events are read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Halt {
    /// The log was read to its end.
    End,
    /// The next one is implausible.
    Implausible,
    /// The limit on steps was reached.
    StepLimit,
}

impl Decoder {
    /// Returns a decoder for runs of which each may add this many bytes of expressions.
    pub(crate) fn new(max_bytes: u64) -> Decoder {
        let (events, produced, cache) = Default::default();
        Decoder { events, produced, halt: Halt::End, cache, max_steps: usize::MAX, max_bytes }
    }

    /// Sets the number of steps that are decoded from the next trace.
    pub(crate) fn limit_steps(&mut self, max_steps: usize) {
        self.max_steps = max_steps;
    }

    /// Reads a trace as far as that needs no expressions, which other workers may hold meanwhile.
    pub(crate) fn read(&mut self, raw_trace: &RawTrace) {
        self.halt = self.read_events(raw_trace);
        self.produced = raw_trace.produced();
        if !self.events.is_empty() {
            self.cache.read(raw_trace, &self.events);
        }
    }

    /// Decodes the path of the run whose trace was read.
    pub(crate) fn decode(&mut self, raw_trace: &RawTrace, dag: &mut Dag, deadline: &Deadline) -> Trace {
        let mut trace = match self.events.is_empty() {
            // Without events the cache stays as it is, for later runs.
            true => Trace::default(),
            false => match self.cache.table(raw_trace, &self.events, self.max_bytes, dag, deadline) {
                Some(table) => {
                    let mut trace = collect(&self.events, table, dag);
                    trace.pieces = self.pieces(trace.steps.len());
                    trace
                }
                None => Trace { late: true, ..Trace::default() },
            },
        };
        trace.label_count = raw_trace.recorded.labels.saturating_sub(1);
        trace.damaged |= raw_trace.recorded.damaged || self.halt == Halt::Implausible;
        trace.cut |= self.halt == Halt::StepLimit;
        trace
    }

    /// Copies the events, up to the limit on steps.
    fn read_events(&mut self, raw_trace: &RawTrace) -> Halt {
        self.events.clear();
        let mut steps = 0;
        for index in 0..raw_trace.recorded.events {
            let event = raw_trace.event(index);
            if !raw_trace.is_sane(&event) {
                return Halt::Implausible;
            }
            steps += usize::from(is_step(&event));
            if steps > self.max_steps {
                return Halt::StepLimit;
            }
            self.events.push(event);
        }
        Halt::End
    }
}

impl Decoder {
    /// Returns the values of producers, as far as the steps go.
    fn pieces(&self, steps: usize) -> Vec<TracePiece> {
        if self.produced.is_empty() {
            return Vec::new();
        }
        let events: Vec<u32> =
            (0..).zip(&self.events).filter(|(_, event)| is_step(event)).map(|(at, _)| at).collect();
        let step_at = |event: u32| events.partition_point(|at| *at < event);
        let piece = |produced: &Produced| TracePiece {
            site: SiteId(produced.site),
            value: produced.value,
            steps: step_at(produced.entered)..step_at(produced.returned),
        };
        let returned = self.produced.iter().filter(|produced| produced.state == state::RETURNED);
        returned
            .map(piece)
            .filter(|piece| piece.steps.start < piece.steps.end && piece.steps.end <= steps)
            .collect()
    }
}

fn is_step(event: &Event) -> bool {
    event.kind().and_then(EventKind::step).is_some()
}

/// Collects the events, with the expressions of their labels.
fn collect(events: &[Event], table: &DecodedTable, dag: &Dag) -> Trace {
    let mut trace = Trace::default();
    for event in events {
        let value = match table.slots[event.label as usize] {
            LabelSlot::Built(value) => value,
            LabelSlot::Invalid => {
                trace.damaged = true;
                break;
            }
            // The limit on expressions was reached before.
            LabelSlot::Required | LabelSlot::Unused => {
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
