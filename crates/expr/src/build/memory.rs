//! Rules for bit counts and reads of snapshots.

use crate::dag::Dag;
use crate::node::SnapshotId;
use crate::node::{BitCount, ExprId, MAX_WIDTH};
use crate::semantics;
use crate::snapshot::Cell;

impl Dag {
    /// Builds a bit count, with the value's width.
    pub fn count(&mut self, what: BitCount, a: ExprId) -> ExprId {
        let width = self.width(a);
        match self.as_constant(a) {
            Some(value) => self.constant(width, semantics::count(what, width, value)),
            None => self.raw(what.into(), width, 0, &[a]),
        }
    }

    /// Builds a little-endian read of `width` bits, whole bytes, from byte `index` (of 64 bits) of the
    /// snapshot on; bytes outside of the snapshot are 0.
    pub fn read(&mut self, snapshot: SnapshotId, index: ExprId, width: u8) -> ExprId {
        assert_eq!(self.width(index), 64, "an index has 64 bits");
        assert!(width > 0 && width <= MAX_WIDTH && width.is_multiple_of(8), "no bytes have {width} bits");
        match self.as_constant(index) {
            // read-const: read(s, c)  ==>  the bytes at c
            Some(index) => self.joined(snapshot, index, width / 8),
            // read-uniform: read(s, x)  ==>  the bytes at 0, if all bytes of s are equal and x stays inside
            None if self.is_same_everywhere(snapshot, index, width) => self.joined(snapshot, 0, width / 8),
            None => self.raw_read(snapshot, index, width),
        }
    }

    /// True if all bytes are equal, and no index reads beyond them.
    fn is_same_everywhere(&self, snapshot: SnapshotId, index: ExprId, width: u8) -> bool {
        let used = u32::from(self.used_width(index));
        let reach = 1u128.checked_shl(used).map_or(u128::MAX, |indices| indices - 1 + u128::from(width / 8));
        self.snapshots().is_uniform(snapshot) && reach <= self.snapshots().len(snapshot).into()
    }

    /// Concatenates the bytes from a constant index on.
    fn joined(&mut self, snapshot: SnapshotId, index: u128, count: u8) -> ExprId {
        let cells: Vec<Cell> = self.snapshots().cells(snapshot, index, count).collect();
        let byte = |dag: &mut Dag, cell| match cell {
            Cell::Known(byte) => dag.constant(8, byte.into()),
            Cell::Part(part) => part,
        };
        let lowest = byte(self, cells[0]);
        cells[1..].iter().fold(lowest, |low, &cell| {
            let high = byte(self, cell);
            self.concat(high, low)
        })
    }
}
