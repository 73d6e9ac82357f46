//! The event log: what a run decided, in order.

/// What an event tells.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventKind {
    /// A branch, switch or select on a labelled value; `value` is that value.
    Branch = 0,
    /// A labelled value (an address, a size) that was used as the constant `value`.
    Concretization = 1,
    /// Check mode: the labelled value was `value` in this run. Not part of the path.
    Check = 2,
    /// A one-bit labelled value that is 1 and must stay so: the rest of the path holds only then.
    Constraint = 3,
    /// A labelled value went where labels cannot follow; `value` is a [`Loss`]. Without diagnosis only the first of
    /// several at the same site. Not part of the path.
    Lost = 4,
    /// An access at a labelled address was outside its object; `value` is an [`OutOfBounds`]. Not part of the path.
    OutOfBounds = 5,
}

impl EventKind {
    /// The kind of step this event is, if it is part of the path. A step closes a piece of the branch log.
    pub const fn step(self) -> Option<StepKind> {
        match self {
            EventKind::Branch => Some(StepKind::Branch),
            EventKind::Concretization => Some(StepKind::Concretization),
            EventKind::Constraint => Some(StepKind::Constraint),
            EventKind::Check | EventKind::Lost | EventKind::OutOfBounds => None,
        }
    }
}

/// Kind of a step: the events that form a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StepKind {
    /// A branch, select or switch: other sides may be feasible.
    Branch,
    /// A value that was used as the constant it had: the rest of the path holds for that constant only.
    Concretization,
    /// A one-bit value that was 1 and must stay so: the rest of the path holds only then.
    Constraint,
}

/// What an access outside an object does.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum OutOfBounds {
    /// It reads.
    Read = 1,
    /// It writes.
    Write = 2,
}

impl OutOfBounds {
    /// The access with this number, if there is one.
    pub const fn from_u64(number: u64) -> Option<OutOfBounds> {
        match number {
            1 => Some(OutOfBounds::Read),
            2 => Some(OutOfBounds::Write),
            _ => None,
        }
    }
}

/// Why a labelled value was lost.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum Loss {
    /// An 80-bit floating-point operation.
    LongDouble = 1,
    /// Inline assembly.
    Assembly = 2,
    /// A function without instrumentation or model; the site names it.
    Foreign = 3,
    /// A vector the pass does not take apart.
    Vector = 4,
    /// An atomic operation.
    Atomic = 5,
    /// An integer of more than 128 bits.
    Wide = 6,
    /// Code of a shared object, whose sites have no ids.
    SharedObject = 7,
    /// An instruction the tracer does not know.
    Instruction = 8,
    /// A large or changing object behind a symbolic address.
    Memory = 9,
    /// A call of a function by another type than it has.
    Mismatch = 10,
    /// An argument beyond those whose labels a call can pass.
    Arguments = 11,
    /// The size of a large object, on which it depends whether there is room for it.
    Size = 12,
    /// Output that the program may get back: through a file, a pipe, a shared mapping or the state of a stream.
    Output = 13,
}

impl Loss {
    /// The reason with this number, if there is one.
    pub const fn from_u64(number: u64) -> Option<Loss> {
        Some(match number {
            1 => Loss::LongDouble,
            2 => Loss::Assembly,
            3 => Loss::Foreign,
            4 => Loss::Vector,
            5 => Loss::Atomic,
            6 => Loss::Wide,
            7 => Loss::SharedObject,
            8 => Loss::Instruction,
            9 => Loss::Memory,
            10 => Loss::Mismatch,
            11 => Loss::Arguments,
            12 => Loss::Size,
            13 => Loss::Output,
            _ => return None,
        })
    }
}

/// One row of the event log.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Event {
    /// Kind in the top four bits, site id below.
    pub site: u32,
    /// Label of the value.
    pub label: u32,
    /// The value in this run.
    pub value: u64,
}

const _: () = assert!(size_of::<Event>() == 16);

const KIND_SHIFT: u32 = 28;

/// Largest site id an event can name; also used where a pin has no site.
pub const NO_SITE: u32 = (1 << KIND_SHIFT) - 1;

impl Event {
    /// An event of the given kind at the given site.
    pub const fn new(kind: EventKind, site: u32, label: u32, value: u64) -> Event {
        Event { site: (kind as u32) << KIND_SHIFT | (site & NO_SITE), label, value }
    }

    /// What kind of event this is; `None` if the bytes were scribbled over.
    pub const fn kind(&self) -> Option<EventKind> {
        match self.site >> KIND_SHIFT {
            0 => Some(EventKind::Branch),
            1 => Some(EventKind::Concretization),
            2 => Some(EventKind::Check),
            3 => Some(EventKind::Constraint),
            4 => Some(EventKind::Lost),
            5 => Some(EventKind::OutOfBounds),
            _ => None,
        }
    }

    /// The site id without the kind.
    pub const fn site_id(&self) -> u32 {
        self.site & NO_SITE
    }
}
