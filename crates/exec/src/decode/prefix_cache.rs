//! What was made of the label tables of earlier runs.
//!
//! Runs that decide alike hand out the same labels in the same order, and a new input takes an old path for most of its
//! way. So of a table only what comes after the part that it has in common with one of the last tables is made anew.

use super::RawTrace;
use super::row_cache::Memo;
use super::table::Table;
use cairn_deadline::Deadline;
use cairn_expr::Dag;
use cairn_wire::{Event, LabelEntry};

/// Tables that are remembered. Searches go back and forth between few paths.
const TABLES: usize = 4;

/// Rows that all of them may have together, in relation to those a run can have: a few of the largest kind would take more
/// memory than everything else.
const TABLES_ROWS: usize = 2;

/// The last tables, the one that was of use last at the end.
#[derive(Default)]
pub(super) struct Earlier {
    tables: Vec<Table>,
    /// Whether the last one has been read, and nothing made of it.
    is_raw: bool,
    /// The expressions that they speak of.
    dag: u64,
    memo: Memo,
    /// Room for the rows of a raw_trace.
    rows: Vec<LabelEntry>,
}

impl Earlier {
    /// Reads the table of a raw_trace, as far as it is needed for its events, of which there are some.
    pub(super) fn read(&mut self, raw_trace: &RawTrace, events: &[Event]) {
        if std::mem::replace(&mut self.is_raw, true) {
            self.tables.pop();
        }
        let count = events.iter().map(|event| event.label + 1).max().unwrap_or(0);
        self.rows.clear();
        self.rows.extend((0..count).map(|label| raw_trace.entry(label)));
        let (like, mut table) = self.best(raw_trace);
        table.begin(
            &mut self.rows,
            raw_trace.object_sizes,
            like.as_ref().map(|(like, common)| (like, *common)),
        );
        events.iter().for_each(|event| table.want(event.label));
        table.mark(raw_trace);
        self.tables.extend(like.map(|(like, _)| like));
        self.tables.push(table);
    }

    /// The table of a raw_trace that was read, with expressions for all labels of its events; none if the time is over before
    /// they are made. Stops where they would take more than `most_bytes`.
    pub(super) fn table(
        &mut self,
        raw_trace: &RawTrace,
        events: &[Event],
        most_bytes: u64,
        dag: &mut Dag,
        deadline: &Deadline,
    ) -> Option<&Table> {
        if self.dag != dag.identity() {
            self.tables.clear();
            self.memo.clear();
            self.dag = dag.identity();
            self.is_raw = false;
        }
        if self.tables.is_empty() {
            self.read(raw_trace, events);
        }
        let last = self.tables.len() - 1;
        if std::mem::take(&mut self.is_raw)
            && !self.tables[last].build(raw_trace, &mut self.memo, most_bytes, dag, deadline)
        {
            self.tables.pop();
            return None;
        }
        Some(&self.tables[last])
    }

    /// Takes out the table that has most in common with the rows, with how many these are, and another to write over: a
    /// new one, or the one that was of no use for longest.
    fn best(&mut self, raw_trace: &RawTrace) -> (Option<(Table, usize)>, Table) {
        let mut best: Option<(usize, usize)> = None;
        for (index, table) in self.tables.iter().enumerate().rev() {
            let common = table.common(&self.rows, raw_trace);
            if best.is_none_or(|(_, most)| common > most) {
                best = Some((index, common));
            }
            // There is no better one.
            if common == self.rows.len() {
                break;
            }
        }
        let like = best.map(|(index, common)| (self.tables.remove(index), common));
        let room = TABLES_ROWS * raw_trace.layout.label_capacity as usize;
        let (first, new) = (like.as_ref().map_or(0, |(like, _)| like.room()), self.rows.len());
        let rows = |tables: &[Table]| first + new + tables.iter().map(Table::room).sum::<usize>();
        while !self.tables.is_empty() && rows(&self.tables) > room {
            self.tables.remove(0);
        }
        let is_full = self.tables.len() + 2 > TABLES;
        (like, if is_full { self.tables.remove(0) } else { Table::default() })
    }
}
