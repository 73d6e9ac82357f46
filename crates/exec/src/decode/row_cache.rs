//! What was made of rows lately, wherever in a table they stood.
//!
//! An input that is longer by a byte moves all later labels by one. Its rows are new as rows, but most of them mean
//! what others meant, and finding that here is cheaper than simplifying once more.

use cairn_expr::ExprId;
use cairn_wire::{LabelEntry, Op};
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// Places, of which every row has one.
const PLACES: usize = 1 << 14;

/// A row with expressions in the place of labels: 0 for none, otherwise one more than the index.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Meaning {
    op: u8,
    width: u8,
    aux: u16,
    operands: [u32; 3],
    k: u64,
}

impl Meaning {
    /// The meaning of a row; none if it is told by more than its operands, or if one of them has no expression.
    pub(super) fn new(row: &LabelEntry, made: impl Fn(u32) -> Option<ExprId>) -> Option<Meaning> {
        let of = |label: u32| match label {
            0 => Some(0),
            _ => made(label).map(|expr| expr.index() as u32 + 1),
        };
        let (third, k) = match Op::from_u8(row.op)? {
            Op::Input | Op::Const | Op::Read => return None,
            Op::Ite | Op::Math => (u32::try_from(row.k).ok()?, 0),
            _ => (0, row.k),
        };
        let operands = [of(row.l1)?, of(row.l2)?, of(third)?];
        Some(Meaning { op: row.op, width: row.width, aux: row.aux, operands, k })
    }
}

/// The last row at every place, and what was made of it.
#[derive(Default)]
pub(super) struct Memo {
    places: Vec<(Meaning, Option<ExprId>)>,
}

impl Memo {
    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.places.clear();
    }

    /// What was made of such a row, or what `make` makes of it now.
    pub(super) fn get(&mut self, meaning: Meaning, make: impl FnOnce() -> Option<ExprId>) -> Option<ExprId> {
        if self.places.is_empty() {
            self.places.resize(PLACES, Default::default());
        }
        let place = &mut self.places[FxBuildHasher.hash_one(meaning) as usize >> 7 & (PLACES - 1)];
        if place.0 != meaning || place.1.is_none() {
            *place = (meaning, make());
        }
        place.1
    }
}
