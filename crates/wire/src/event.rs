//! The event log: what a run decided, in order.

/// What an event tells.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventKind {
    /// A branch, switch or select on a labelled value; `value` is that value.
    Branch = 0,
    /// A labelled value (an address, a size) that was used as the constant `value`.
    Pin = 1,
    /// Check mode: the labelled value was `value` in this run. Not part of the path.
    Check = 2,
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
            1 => Some(EventKind::Pin),
            2 => Some(EventKind::Check),
            _ => None,
        }
    }

    /// The site id without the kind.
    pub const fn site_id(&self) -> u32 {
        self.site & NO_SITE
    }
}
