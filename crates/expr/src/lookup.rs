//! A read of a snapshot as a decision tree over the bits of its index, for solvers and SMT-LIB.

use crate::dag::Dag;
use crate::node::ExprId;
use crate::node::SnapshotId;
use crate::snapshot::Cell;
use std::ops::Range;

/// Decision tree of a read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Lookup {
    /// These bytes, lowest first.
    Bytes(Vec<Cell>),
    /// The first tree if this bit of the index is 0, else the second.
    Split(u8, Box<Lookup>, Box<Lookup>),
}

/// Builds a tree; bits of the index outside of `varying` are 0.
struct LookupBuilder<'a> {
    dag: &'a Dag,
    snapshot: SnapshotId,
    varying: Range<u8>,
    bytes: u8,
}

impl LookupBuilder<'_> {
    /// Returns the tree for all indices that have the bits of `place` from `bits` on.
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
    /// Returns the tree of a read of `width` bits for indices below 2^k, with k; at all other indices the
    /// bytes are 0. `None` instead of k if the index cannot be larger.
    pub fn lookup(&self, snapshot: SnapshotId, index: ExprId, width: u8) -> (Lookup, Option<u8>) {
        let (varying, border) = self.reach(snapshot, index);
        let builder = LookupBuilder { dag: self, snapshot, bytes: width / 8, varying: varying.clone() };
        (builder.tree(0, varying.end), border)
    }

    /// Returns what a tree depends on besides snapshot and width: the bits of the index that decide, and k.
    pub fn reach(&self, snapshot: SnapshotId, index: ExprId) -> (Range<u8>, Option<u8>) {
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
