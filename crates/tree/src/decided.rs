//! Which values the path so far has decided, so that a decision that repeats is known to have no
//! other side without asking a solver.
//!
//! One entry per expression, stamped with the run it belongs to: starting a path costs nothing, a
//! step one array access.

use crate::step::{Step, StepKind};

const BY_VALUE: u32 = u32::MAX;

#[derive(Clone, Copy, Default, Debug)]
struct Entry {
    path: u32,
    /// The switch that decided, or [`BY_VALUE`] if the value itself is known.
    by: u32,
}

/// Values decided on the current path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decided {
    entries: Vec<Entry>,
    path: u32,
}

impl Decided {
    /// Forgets everything: a new path starts.
    pub fn start(&mut self) {
        self.path += 1;
    }

    /// Notes a step and says whether earlier steps already forced it. `binary` is false for a
    /// switch, whose side need not tell the value: it forces only the same switch met again.
    pub fn note(&mut self, step: &Step, binary: bool) -> bool {
        let index = step.value.index();
        if index >= self.entries.len() {
            self.entries.resize(index + 1, Entry::default());
        }
        let entry = &mut self.entries[index];
        let known = entry.path == self.path;
        let by = if binary || step.kind != StepKind::Branch { BY_VALUE } else { step.site.0 };
        let forced = known && (entry.by == BY_VALUE || entry.by == by);
        if !(known && entry.by == BY_VALUE) {
            *entry = Entry { path: self.path, by };
        }
        forced
    }
}
