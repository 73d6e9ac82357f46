//! The label table of one run, as far as events need it, with its expressions.

use super::row_cache::{RowCache, RowKey};
use crate::build::{Builder, children, input_exists};
use crate::raw_trace::RawTrace;
use crate::snapshot::Snapshots;
use cairn_deadline::{Deadline, Pace};
use cairn_expr::{Dag, ExprId};
use cairn_wire::{LabelEntry, Op};

/// Labels between two checks of the deadline: some milliseconds.
const LABELS_PER_CLOCK: u64 = 10_000;

/// State of a label.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LabelSlot {
    /// No event needs it.
    Unused,
    /// Some event needs it.
    Required,
    /// It is implausible, or depends on a label that is.
    Invalid,
    /// Its expression.
    Built(ExprId),
}

/// A table, as far as events need it, with its expressions.
#[derive(Default)]
pub(super) struct DecodedTable {
    /// Rows, by label.
    rows: Vec<LabelEntry>,
    /// State of each.
    pub(super) slots: Vec<LabelSlot>,
    /// Snapshots that rows read.
    snapshots: Snapshots,
    /// Labels of the required reads, in order.
    reads: Vec<u32>,
    /// Length of every input object.
    object_sizes: Vec<usize>,
    /// First label that may be required.
    first: usize,
}

impl DecodedTable {
    /// Returns the number of rows of a trace, from the first, that mean the same as here.
    pub(super) fn common_prefix(&self, rows: &[LabelEntry], raw_trace: &RawTrace) -> usize {
        let common = self.rows.iter().zip(rows).take_while(|(a, b)| a == b).count();
        let common = self.unchanged_reads(common, raw_trace);
        if self.object_sizes == raw_trace.object_sizes {
            return common;
        }
        // With other lengths, other input bytes exist.
        let exists =
            |row: &LabelEntry, sizes: &[usize]| row.op == Op::Input as u8 && input_exists(row, sizes);
        let differs =
            |row: &LabelEntry| exists(row, &self.object_sizes) != exists(row, raw_trace.object_sizes);
        rows[..common].iter().position(differs).unwrap_or(common)
    }

    /// Returns the number of these rows before the first read of a snapshot that has changed.
    fn unchanged_reads(&self, rows: usize, raw_trace: &RawTrace) -> usize {
        let mut reads = self.reads.iter().map(|&label| label as usize).take_while(|&label| label < rows);
        let is_changed = |offset| !self.snapshots.is_unchanged(raw_trace.memory, raw_trace.layout, offset);
        reads.find(|&label| is_changed(self.rows[label].k)).unwrap_or(rows)
    }

    /// Starts with these rows, the first of which are decoded as in a similar table.
    pub(super) fn begin(
        &mut self,
        rows: &mut Vec<LabelEntry>,
        sizes: &[usize],
        similar: Option<(&DecodedTable, usize)>,
    ) {
        std::mem::swap(&mut self.rows, rows);
        self.object_sizes.clear();
        self.object_sizes.extend_from_slice(sizes);
        self.slots.clear();
        self.reads.clear();
        self.snapshots = Snapshots::default();
        if let Some((similar, known)) = similar {
            self.slots.extend_from_slice(&similar.slots[..known]);
            self.reads.extend(similar.reads.iter().take_while(|&&label| (label as usize) < known));
            self.snapshots =
                similar.snapshots.subset(self.reads.iter().map(|&label| similar.rows[label as usize].k));
        }
        self.first = self.slots.len().max(1);
        self.slots.resize(self.rows.len(), LabelSlot::Unused);
    }

    /// Marks a label as required.
    pub(super) fn require(&mut self, label: u32) {
        let slot = &mut self.slots[label as usize];
        if *slot == LabelSlot::Unused {
            *slot = LabelSlot::Required;
            self.first = self.first.min(label as usize);
        }
    }

    /// Marks all labels that required labels depend on.
    pub(super) fn mark_dependencies(&mut self, raw_trace: &RawTrace) {
        let mut label = self.rows.len();
        while label > self.first {
            label -= 1;
            if self.slots[label] != LabelSlot::Required {
                continue;
            }
            let row = self.rows[label];
            let below = |child: &u32| (1..label as u32).contains(child);
            children(&row).iter().filter(|child| below(child)).for_each(|child| self.require(*child));
            if row.op == Op::Read as u8 {
                let labels = self.snapshots.load(raw_trace.memory, raw_trace.layout, row.k);
                labels.iter().filter(|child| below(child)).for_each(|child| self.require(*child));
                self.reads.push(label as u32);
            }
        }
        self.reads.sort_unstable();
        self.reads.dedup();
    }

    /// Returns the number of rows that it has memory for.
    pub(super) fn row_capacity(&self) -> usize {
        self.rows.capacity()
    }

    /// Builds the expressions of required labels, until they take more than `max_bytes`: the rest then counts
    /// as unused. False if the deadline is over before.
    pub(super) fn build(
        &mut self,
        raw_trace: &RawTrace,
        row_cache: &mut RowCache,
        max_bytes: u64,
        dag: &mut Dag,
        deadline: &Deadline,
    ) -> bool {
        let end = dag.bytes().saturating_add(max_bytes);
        let mut pace = Pace::new(deadline, LABELS_PER_CLOCK);
        for label in self.first..self.rows.len() {
            if pace.is_over_after(1) {
                return false;
            }
            if dag.bytes() > end {
                let rest = self.slots[label..].iter_mut();
                rest.filter(|slot| **slot == LabelSlot::Required).for_each(|slot| *slot = LabelSlot::Unused);
                return true;
            }
            let (before, rest) = self.slots.split_at_mut(label);
            if rest[0] != LabelSlot::Required {
                continue;
            }
            // Only earlier labels can be found, so a cycle in a damaged table is rejected.
            let built = |child: u32| match before.get(child as usize) {
                Some(LabelSlot::Built(expr)) => Some(*expr),
                _ => None,
            };
            let snapshots = &mut self.snapshots;
            let snapshot = |dag: &mut Dag, offset| snapshots.build(dag, offset, built);
            let (row, object_sizes) = (&self.rows[label], raw_trace.object_sizes);
            let build = || Builder { dag, object_sizes, built, snapshot }.build(row);
            let expr = match RowKey::new(row, built) {
                Some(key) => row_cache.get(key, build),
                None => build(),
            };
            rest[0] = expr.map_or(LabelSlot::Invalid, LabelSlot::Built);
        }
        true
    }
}
