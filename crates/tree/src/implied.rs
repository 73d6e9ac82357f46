//! Which values the path so far has decided, so that a decision that repeats is known to have no
//! other side without asking a solver.
//!
//! One entry per expression, stamped with the run it belongs to: starting a path costs nothing, a
//! step one array access.

use crate::step::Step;
use cairn_wire::event::StepKind;

const BY_VALUE: u32 = u32::MAX;
const BY_PIN: u32 = u32::MAX - 1;

#[derive(Clone, Copy, Default, Debug)]
struct Entry {
    path: u32,
    /// The switch that decided; [`BY_VALUE`] if the value itself is known, [`BY_PIN`] if only by the constant it
    /// was used as.
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
    /// switch, whose side need not tell the value: it forces only the same switch met again. A pin forces
    /// only pins: branches are also asked for with other constants.
    pub fn note(&mut self, step: &Step, binary: bool) -> bool {
        let index = step.value.index();
        if index >= self.entries.len() {
            self.entries.resize(index + 1, Entry::default());
        }
        let entry = &mut self.entries[index];
        let known = entry.path == self.path;
        let by = match step.kind {
            StepKind::Concretization => BY_PIN,
            StepKind::Branch if !binary => step.site.0,
            StepKind::Branch | StepKind::Constraint => BY_VALUE,
        };
        let forced = known && (entry.by == BY_VALUE || entry.by == by);
        if !(known && entry.by == BY_VALUE) {
            *entry = Entry { path: self.path, by };
        }
        forced
    }

    pub fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
    }
}
