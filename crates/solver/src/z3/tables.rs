//! Reads of snapshots and counts of bits as Z3 terms.
//!
//! A read is a tree of if-then-else over the bits of its index, equal branches merged: a table of 256 words
//! takes 255 of them, on which a SAT solver propagates well, where Z3's arrays would instantiate axioms for
//! 256 stores one by one.

use super::term_table::TermTable;
use ::z3::ast::{BV, Bool};
use cairn_expr::{BitCount, Cell, Dag, ExprId, Lookup, SnapshotId};

impl TermTable {
    pub(super) fn read(&self, dag: &Dag, snapshot: SnapshotId, index: ExprId, width: u8) -> BV {
        let index_bits = self.bits(index);
        let (tree, bits_inside) = dag.lookup(snapshot, index, width);
        let value = self.select(&tree, &index_bits);
        match bits_inside {
            None => value,
            Some(bits) => {
                let inside = index_bits.bvult(BV::from_u64(1 << bits, 64));
                inside.ite(&value, &BV::from_u64(0, width.into()))
            }
        }
    }

    /// Translates a lookup tree. Recursive as deep as an index into the snapshot has bits.
    fn select(&self, tree: &Lookup, index: &BV) -> BV {
        match tree {
            Lookup::Bytes(cells) => {
                let mut bytes = cells.iter().map(|cell| match *cell {
                    Cell::Known(byte) => BV::from_u64(byte.into(), 8),
                    Cell::Part(e) => self.bits(e),
                });
                let first = bytes.next().expect("a read has a byte");
                bytes.fold(first, |low, high| high.concat(low))
            }
            Lookup::Split(bit, zero, one) => {
                let (zero, one) = (self.select(zero, index), self.select(one, index));
                bit_of(index, (*bit).into()).ite(&one, &zero)
            }
        }
    }
}

fn bit_of(value: &BV, bit: u32) -> Bool {
    value.extract(bit, bit).eq(BV::from_u64(1, 1))
}

/// Returns the term of a bit count.
pub(super) fn count(what: BitCount, value: &BV) -> BV {
    let width = value.get_size();
    let number = |n: u32| BV::from_u64(n.into(), width);
    let first = |bits: &mut dyn Iterator<Item = u32>| {
        (0..).zip(bits).fold(number(width), |otherwise, (distance, bit)| {
            bit_of(value, bit).ite(&number(width - 1 - distance), &otherwise)
        })
    };
    match what {
        // The outermost if-then-else, made last, is the first bit that counts.
        BitCount::LeadingZeros => first(&mut (0..width)),
        BitCount::TrailingZeros => first(&mut (0..width).rev()),
        BitCount::Ones => {
            // Eight bits are enough for 128 ones; fewer hold their own number.
            let narrow = width.min(8);
            let bits = (0..width).map(|bit| value.extract(bit, bit).zero_ext(narrow - 1));
            let sum = bits.reduce(|sum, bit| sum.bvadd(bit)).expect("a value has a bit");
            sum.zero_ext(width - narrow)
        }
    }
}
