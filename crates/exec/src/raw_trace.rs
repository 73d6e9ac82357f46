//! The trace of a finished run as it lies in shared memory, unchecked.

use crate::control::Recorded;
use crate::shm::SharedMemory;
use cairn_wire::event::NO_SITE;
use cairn_wire::{Event, EventKind, LabelEntry, Layout};

/// The trace of a finished run in shared memory.
pub(crate) struct RawTrace<'a> {
    /// The shared memory.
    pub(crate) memory: &'a SharedMemory,
    /// Its layout.
    pub(crate) layout: &'a Layout,
    /// Sizes of the parts.
    pub(crate) recorded: Recorded,
    /// Number of sites of the program.
    pub(crate) sites: u32,
    /// Length of every input object.
    pub(crate) object_sizes: &'a [usize],
}

impl RawTrace<'_> {
    /// Reads the row of a label.
    pub(crate) fn entry(&self, label: u32) -> LabelEntry {
        self.memory.load(self.layout.labels + u64::from(label) * size_of::<LabelEntry>() as u64)
    }

    /// Reads an event.
    pub(crate) fn event(&self, index: u32) -> Event {
        self.memory.load(self.layout.events + u64::from(index) * size_of::<Event>() as u64)
    }

    /// True if an event names an existing site and label.
    pub(crate) fn is_sane(&self, event: &Event) -> bool {
        let site = event.site_id();
        let site_is_sane = match event.kind() {
            Some(EventKind::Branch) => site < self.sites,
            Some(_) => site < self.sites || site == NO_SITE,
            None => false,
        };
        site_is_sane && event.label > 0 && event.label < self.recorded.labels
    }
}
