//! The label table of one run, as far as events need it, and what is made of it.

use super::RawTrace;
use super::row_cache::{Meaning, Memo};
use crate::build::{Builder, children, is_there};
use crate::snapshot::Snapshots;
use cairn_deadline::{Deadline, Pace};
use cairn_expr::{Dag, ExprId};
use cairn_wire::{LabelEntry, Op};

/// Labels between two looks at the clock: some milliseconds.
const LABELS_PER_CLOCK: u64 = 10_000;

/// What is known of a label.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// No event needs it.
    Unused,
    /// Some event needs it.
    Wanted,
    /// It makes no sense, or something it needs does not.
    Bad,
    /// Its expression.
    Made(ExprId),
}

/// A table, as far as events needed it, and what was made of it.
#[derive(Default)]
pub(super) struct Table {
    /// Its rows, by label.
    rows: Vec<LabelEntry>,
    /// What is known of each.
    pub(super) slots: Vec<Slot>,
    /// Snapshots that rows read.
    snapshots: Snapshots,
    /// Labels of the reads that were wanted, in order.
    reads: Vec<u32>,
    /// Length of every input object.
    object_sizes: Vec<usize>,
    /// No label below this one is wanted.
    first: usize,
}

impl Table {
    /// How many rows of a raw_trace have the same meaning as here.
    pub(super) fn common(&self, rows: &[LabelEntry], raw_trace: &RawTrace) -> usize {
        let alike = self.rows.iter().zip(rows).take_while(|(a, b)| a == b).count();
        let alike = self.reads_alike(alike, raw_trace);
        if self.object_sizes == raw_trace.object_sizes {
            return alike;
        }
        // A shorter input lacks bytes, a longer one has more.
        let has = |row: &LabelEntry, sizes: &[usize]| row.op == Op::Input as u8 && is_there(row, sizes);
        let differs = |row: &LabelEntry| has(row, &self.object_sizes) != has(row, raw_trace.object_sizes);
        rows[..alike].iter().position(differs).unwrap_or(alike)
    }

    /// As many of these rows as come before the first read of a snapshot that is no longer the same.
    fn reads_alike(&self, rows: usize, raw_trace: &RawTrace) -> usize {
        let mut reads = self.reads.iter().map(|&label| label as usize).take_while(|&label| label < rows);
        let is_another = |offset| !self.snapshots.is_still_there(raw_trace.memory, raw_trace.layout, offset);
        reads.find(|&label| is_another(self.rows[label].k)).unwrap_or(rows)
    }

    /// Takes these rows for its own, and what another table knows of the first of them.
    pub(super) fn begin(
        &mut self,
        rows: &mut Vec<LabelEntry>,
        sizes: &[usize],
        like: Option<(&Table, usize)>,
    ) {
        std::mem::swap(&mut self.rows, rows);
        self.object_sizes.clear();
        self.object_sizes.extend_from_slice(sizes);
        self.slots.clear();
        self.reads.clear();
        self.snapshots = Snapshots::default();
        if let Some((like, known)) = like {
            self.slots.extend_from_slice(&like.slots[..known]);
            self.reads.extend(like.reads.iter().take_while(|&&label| (label as usize) < known));
            self.snapshots = like.snapshots.of(self.reads.iter().map(|&label| like.rows[label as usize].k));
        }
        self.first = self.slots.len().max(1);
        self.slots.resize(self.rows.len(), Slot::Unused);
    }

    /// Something needs this label.
    pub(super) fn want(&mut self, label: u32) {
        let slot = &mut self.slots[label as usize];
        if *slot == Slot::Unused {
            *slot = Slot::Wanted;
            self.first = self.first.min(label as usize);
        }
    }

    /// Finds what the wanted labels need.
    pub(super) fn mark(&mut self, raw_trace: &RawTrace) {
        let mut label = self.rows.len();
        while label > self.first {
            label -= 1;
            if self.slots[label] != Slot::Wanted {
                continue;
            }
            let row = self.rows[label];
            let below = |child: &u32| (1..label as u32).contains(child);
            children(&row).iter().filter(|child| below(child)).for_each(|child| self.want(*child));
            if row.op == Op::Read as u8 {
                let held = self.snapshots.load(raw_trace.memory, raw_trace.layout, row.k);
                held.iter().filter(|child| below(child)).for_each(|child| self.want(*child));
                self.reads.push(label as u32);
            }
        }
        self.reads.sort_unstable();
        self.reads.dedup();
    }

    /// Rows that it has memory for.
    pub(super) fn room(&self) -> usize {
        self.rows.capacity()
    }

    /// Makes expressions of the wanted labels, until these take more than `most_bytes`: the rest is not wanted any more. False
    /// if the time is over before.
    pub(super) fn build(
        &mut self,
        raw_trace: &RawTrace,
        memo: &mut Memo,
        most_bytes: u64,
        dag: &mut Dag,
        deadline: &Deadline,
    ) -> bool {
        let end = dag.bytes().saturating_add(most_bytes);
        let mut pace = Pace::new(deadline, LABELS_PER_CLOCK);
        for label in self.first..self.rows.len() {
            if pace.is_over_after(1) {
                return false;
            }
            if dag.bytes() > end {
                let rest = self.slots[label..].iter_mut();
                rest.filter(|slot| **slot == Slot::Wanted).for_each(|slot| *slot = Slot::Unused);
                return true;
            }
            let (before, rest) = self.slots.split_at_mut(label);
            if rest[0] != Slot::Wanted {
                continue;
            }
            // Only what comes before can be found: a child that is its own parent is not.
            let made = |child: u32| match before.get(child as usize) {
                Some(Slot::Made(expr)) => Some(*expr),
                _ => None,
            };
            let snapshots = &mut self.snapshots;
            let snapshot = |dag: &mut Dag, offset| snapshots.build(dag, offset, made);
            let (row, object_sizes) = (&self.rows[label], raw_trace.object_sizes);
            let make = || Builder { dag, object_sizes, made, snapshot }.build(row);
            let expr = match Meaning::new(row, made) {
                Some(meaning) => memo.get(meaning, make),
                None => make(),
            };
            rest[0] = expr.map_or(Slot::Bad, Slot::Made);
        }
        true
    }
}
