//! Values already decided on the current path, so that a repeated decision is known to have no other side
//! without a solver query.
//!
//! One entry per expression, stamped with the path it belongs to: starting a path costs nothing, a step costs
//! one array access.

use crate::step::Step;
use cairn_wire::event::StepKind;

const BY_VALUE: u32 = u32::MAX;
const BY_CONCRETIZATION: u32 = u32::MAX - 1;

#[derive(Clone, Copy, Default, Debug)]
struct Entry {
    path: u32,
    /// The switch that decided; [`BY_VALUE`] if the value itself is known, [`BY_CONCRETIZATION`] if only the
    /// constant it was used as.
    by: u32,
}

/// The values decided on the current path.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImpliedValues {
    entries: Vec<Entry>,
    path: u32,
}

impl ImpliedValues {
    /// Starts a new path: forgets all values.
    pub fn start(&mut self) {
        self.path += 1;
    }

    /// Records a step; true if earlier steps imply it. `binary` is false for a switch, whose side need not
    /// determine the value: it implies only the same switch executed again. A concretization implies only
    /// concretizations, since branches are also solved with other constants.
    pub fn record(&mut self, step: &Step, binary: bool) -> bool {
        let index = step.value.index();
        if index >= self.entries.len() {
            self.entries.resize(index + 1, Entry::default());
        }
        let entry = &mut self.entries[index];
        let known = entry.path == self.path;
        let by = match step.kind {
            StepKind::Concretization => BY_CONCRETIZATION,
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
