//! A read of a snapshot as a decision tree over the bits of its place: what solvers and their language understand.

use crate::dag::Dag;
use crate::node::ExprId;
use crate::snapshot::{Cell, SnapshotId};
use std::ops::Range;

/// What a read gives, by the bits of its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lookup {
    /// These bytes, lowest first.
    Bytes(Vec<Cell>),
    /// One or the other, by this bit of the place.
    Split(u8, Box<Lookup>, Box<Lookup>),
}

/// Builds a tree; bits of the place outside of `varying` are 0.
struct Reader<'a> {
    dag: &'a Dag,
    snapshot: SnapshotId,
    varying: Range<u8>,
    bytes: u8,
}

impl Reader<'_> {
    /// The tree for all places that have the bits of `place` from `bits` on.
    fn tree(&self, place: u64, bits: u8) -> Lookup {
        let Some(bit) = bits.checked_sub(1).filter(|bit| self.varying.contains(bit)) else {
            let cells = self.dag.snapshots().cells(self.snapshot, place.into(), self.bytes);
            return Lookup::Bytes(cells.collect());
        };
        let (zero, one) = (self.tree(place, bit), self.tree(place | 1 << bit, bit));
        if zero == one { zero } else { Lookup::Split(bit, Box::new(zero), Box::new(one)) }
    }
}

impl Dag {
    /// The tree of a read of `width` bits, for places below the power of two that is given with it; at all others
    /// the bytes are 0. Of a place that can reach no others the power is `None`.
    pub fn lookup(&self, snapshot: SnapshotId, index: ExprId, width: u8) -> (Lookup, Option<u8>) {
        let (varying, border) = self.reach(snapshot, index);
        let reader = Reader { dag: self, snapshot, bytes: width / 8, varying: varying.clone() };
        (reader.tree(0, varying.end), border)
    }

    /// All that a tree depends on besides snapshot and width: the bits of the place that decide, and the border.
    pub(crate) fn reach(&self, snapshot: SnapshotId, index: ExprId) -> (Range<u8>, Option<u8>) {
        let inside = 64 - (self.snapshots().len(snapshot) - 1).leading_zeros() as u8;
        let used = self.used_width(index);
        (self.low_zeros(index)..used.min(inside), (used > inside).then_some(inside))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InputByte;

    fn leaves(tree: &Lookup) -> usize {
        match tree {
            Lookup::Bytes(_) => 1,
            Lookup::Split(_, zero, one) => leaves(zero) + leaves(one),
        }
    }

    #[test]
    fn only_places_that_can_be_reached_and_differ_are_in_the_tree() {
        let mut dag = Dag::new();
        let table: Vec<u8> = (0..=255).collect();
        let all = dag.snapshot(&table, &[]);
        let halves = dag.snapshot(&[[1; 8], [2; 8]].concat(), &[]);
        let byte = dag.input(InputByte { object: 0, offset: 0 });
        let any = dag.zext(byte, 64);
        let nibble = dag.trunc(byte, 4);
        let nibble = dag.zext(nibble, 64);
        let two = dag.constant(64, 2);
        let even = dag.binary(crate::BinOp::Shl, nibble, two);
        let count = |snapshot, index| {
            let (tree, border) = dag.lookup(snapshot, index, 8);
            (leaves(&tree), border)
        };
        assert_eq!(count(all, any), (256, None));
        assert_eq!(count(all, even), (16, None));
        assert_eq!(count(halves, nibble), (2, None));
        assert_eq!(count(halves, any), (2, Some(4)));
    }
}
