//! Reads of snapshots and counts of bits for Z3.
//!
//! A read is a tree of choices over the bits of its place, equal branches merged: a table of 256 words is 255
//! choices, which a SAT solver sees through, where Z3's arrays would find out about their 256 stores one by one.

use super::terms::Terms;
use ::z3::ast::{BV, Bool};
use cairn_expr::{BitCount, Cell, Dag, ExprId, Lookup, SnapshotId};

impl Terms {
    pub(super) fn read(&self, dag: &Dag, snapshot: SnapshotId, index: ExprId, width: u8) -> BV {
        let place = self.bits(index);
        let (tree, border) = dag.lookup(snapshot, index, width);
        let value = self.looked_up(&tree, &place);
        match border {
            None => value,
            Some(bits) => {
                let inside = place.bvult(BV::from_u64(1 << bits, 64));
                inside.ite(&value, &BV::from_u64(0, width.into()))
            }
        }
    }

    /// As deep as a place in a snapshot has bits.
    fn looked_up(&self, tree: &Lookup, place: &BV) -> BV {
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
                let (zero, one) = (self.looked_up(zero, place), self.looked_up(one, place));
                bit_of(place, (*bit).into()).ite(&one, &zero)
            }
        }
    }
}

fn bit_of(value: &BV, bit: u32) -> Bool {
    value.extract(bit, bit).eq(BV::from_u64(1, 1))
}

/// Something counted about a value's bits.
pub(super) fn count(what: BitCount, value: &BV) -> BV {
    let width = value.get_size();
    let number = |n: u32| BV::from_u64(n.into(), width);
    let first = |bits: &mut dyn Iterator<Item = u32>| {
        (0..).zip(bits).fold(number(width), |otherwise, (distance, bit)| {
            bit_of(value, bit).ite(&number(width - 1 - distance), &otherwise)
        })
    };
    match what {
        // The last one asked is the first one looked at.
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
