//! The event log: the decisions, concretizations, constraints and losses of a run, in order.

use crate::numbered::numbered;

numbered! {
    /// Kind of an event.
    pub enum EventKind: u8, from_u32(u32) {
        /// A branch, switch or select on a labelled value; `value` is that value.
        Branch = 0,
        /// A labelled value (an address, a size) was used as the constant `value`.
        Concretization = 1,
        /// Check mode: the labelled value was `value` in this run. Not part of the path.
        Check = 2,
        /// A one-bit labelled value was 1: the rest of the path is valid only while it stays so.
        Constraint = 3,
        /// A labelled value was lost; `value` is a [`Loss`]. Without diagnosis only the first loss at each
        /// site is recorded. Not part of the path.
        Lost = 4,
        /// An access at a labelled address was outside its object; `value` is an [`OutOfBounds`]. Not part of
        /// the path.
        OutOfBounds = 5,
    }
}

impl EventKind {
    /// Returns the kind of step this event is, if it is part of the path. A step closes a piece of the branch
    /// log.
    pub const fn step(self) -> Option<StepKind> {
        match self {
            EventKind::Branch => Some(StepKind::Branch),
            EventKind::Concretization => Some(StepKind::Concretization),
            EventKind::Constraint => Some(StepKind::Constraint),
            EventKind::Check | EventKind::Lost | EventKind::OutOfBounds => None,
        }
    }
}

/// Kind of a step: an event that is part of a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StepKind {
    /// A branch, select or switch: other sides may be feasible.
    Branch,
    /// A concretization: the rest of the path is valid for that constant only.
    Concretization,
    /// A one-bit value that was 1: the rest of the path is valid only while it stays so.
    Constraint,
}

numbered! {
    /// Kind of an out-of-bounds access.
    pub enum OutOfBounds: u8, from_u64(u64) {
        /// A read.
        Read = 1,
        /// A write.
        Write = 2,
    }
}

numbered! {
    /// Reason why a labelled value was lost.
    pub enum Loss: u8, from_u64(u64) {
        /// An operation on 80-bit floating point.
        LongDouble = 1,
        /// Inline assembly.
        Assembly = 2,
        /// A function without instrumentation or model; the site names it.
        Foreign = 3,
        /// A vector that the pass does not scalarize.
        Vector = 4,
        /// An atomic operation.
        Atomic = 5,
        /// An integer of more than 128 bits.
        Wide = 6,
        /// Code of a shared object, whose sites have no ids.
        SharedObject = 7,
        /// An instruction that the pass does not support.
        Instruction = 8,
        /// A large or changing object at a symbolic address.
        Memory = 9,
        /// A call through a type other than the function's.
        Mismatch = 10,
        /// An argument beyond [`crate::tls::MAX_ARGS`].
        Arguments = 11,
        /// The size of a large allocation, which may fail or succeed depending on it.
        Size = 12,
        /// Output that the program may read back: through a file, a pipe, a shared mapping or the state of a
        /// stream.
        Output = 13,
    }
}

/// A row of the event log.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Event {
    /// Kind in the top four bits, site id in the others.
    pub site: u32,
    /// Label of the value.
    pub label: u32,
    /// The value in this run.
    pub value: u64,
}

const _: () = assert!(size_of::<Event>() == 16);

const KIND_SHIFT: u32 = 28;

/// Largest site id that fits an event; also stands for "no site" in a concretization.
pub const NO_SITE: u32 = (1 << KIND_SHIFT) - 1;

impl Event {
    /// Returns an event of this kind at this site.
    pub const fn new(kind: EventKind, site: u32, label: u32, value: u64) -> Event {
        Event { site: (kind as u32) << KIND_SHIFT | (site & NO_SITE), label, value }
    }

    /// Returns the kind; `None` if the row was overwritten with garbage.
    pub const fn kind(&self) -> Option<EventKind> {
        EventKind::from_u32(self.site >> KIND_SHIFT)
    }

    /// Returns the site id without the kind.
    pub const fn site_id(&self) -> u32 {
        self.site & NO_SITE
    }
}
