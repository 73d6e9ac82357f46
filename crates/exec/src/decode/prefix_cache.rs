//! The prefix cache: decoded label tables of earlier runs.
//!
//! Runs with a common path prefix create the same labels in the same order, and a new input mostly follows an
//! old path. So of a table only the rows after its longest common prefix with one of the last tables are
//! decoded.

use super::row_cache::RowCache;
use super::table::DecodedTable;
use crate::raw_trace::RawTrace;
use cairn_deadline::Deadline;
use cairn_expr::Dag;
use cairn_wire::{Event, LabelEntry};

/// Tables in the cache, a chosen bound: searches go back and forth between few paths.
const MAX_TABLES: usize = 4;

/// Rows of all of them together, in multiples of those a run can have: four of the largest kind would take
/// more memory than everything else. `Limits::within` counts on it.
const MAX_ROWS_FACTOR: usize = 2;

/// The last tables, in the order of their last use.
#[derive(Default)]
pub(super) struct PrefixCache {
    tables: Vec<DecodedTable>,
    /// True if the last one has been read, but has no expressions yet.
    is_raw: bool,
    /// Identity of the DAG that their expressions are in.
    dag: u64,
    row_cache: RowCache,
    /// Buffer for the rows of a trace.
    rows: Vec<LabelEntry>,
}

impl PrefixCache {
    /// Reads the table of a trace, as far as its events, of which there is at least one, need it.
    pub(super) fn read(&mut self, raw_trace: &RawTrace, events: &[Event]) {
        if std::mem::replace(&mut self.is_raw, true) {
            self.tables.pop();
        }
        let count = events.iter().map(|event| event.label + 1).max().unwrap_or(0);
        self.rows.clear();
        self.rows.extend((0..count).map(|label| raw_trace.entry(label)));
        let (similar, mut table) = self.take_best(raw_trace);
        table.begin(
            &mut self.rows,
            raw_trace.object_sizes,
            similar.as_ref().map(|(similar, common)| (similar, *common)),
        );
        events.iter().for_each(|event| table.require(event.label));
        table.mark_dependencies(raw_trace);
        self.tables.extend(similar.map(|(similar, _)| similar));
        self.tables.push(table);
    }

    /// Returns the table of the trace that was read, with expressions for all labels of its events; `None` if
    /// the deadline is over before they are built. Stops building when they take more than `max_bytes`.
    pub(super) fn table(
        &mut self,
        raw_trace: &RawTrace,
        events: &[Event],
        max_bytes: u64,
        dag: &mut Dag,
        deadline: &Deadline,
    ) -> Option<&DecodedTable> {
        if self.dag != dag.identity() {
            self.tables.clear();
            self.row_cache.clear();
            self.dag = dag.identity();
            self.is_raw = false;
        }
        if self.tables.is_empty() {
            self.read(raw_trace, events);
        }
        let last = self.tables.len() - 1;
        if std::mem::take(&mut self.is_raw)
            && !self.tables[last].build(raw_trace, &mut self.row_cache, max_bytes, dag, deadline)
        {
            self.tables.pop();
            return None;
        }
        Some(&self.tables[last])
    }

    /// Removes the cached table with the longest common prefix, with its length, and one to overwrite: a new
    /// one, or the least recently used.
    fn take_best(&mut self, raw_trace: &RawTrace) -> (Option<(DecodedTable, usize)>, DecodedTable) {
        let mut best: Option<(usize, usize)> = None;
        for (index, table) in self.tables.iter().enumerate().rev() {
            let common = table.common_prefix(&self.rows, raw_trace);
            if best.is_none_or(|(_, longest)| common > longest) {
                best = Some((index, common));
            }
            // No other can be better.
            if common == self.rows.len() {
                break;
            }
        }
        let similar = best.map(|(index, common)| (self.tables.remove(index), common));
        let max_rows = MAX_ROWS_FACTOR * raw_trace.layout.label_capacity as usize;
        let (first, new) =
            (similar.as_ref().map_or(0, |(similar, _)| similar.row_capacity()), self.rows.len());
        let rows = |tables: &[DecodedTable]| {
            first + new + tables.iter().map(DecodedTable::row_capacity).sum::<usize>()
        };
        while !self.tables.is_empty() && rows(&self.tables) > max_rows {
            self.tables.remove(0);
        }
        let is_full = self.tables.len() + 2 > MAX_TABLES;
        (similar, if is_full { self.tables.remove(0) } else { DecodedTable::default() })
    }
}
