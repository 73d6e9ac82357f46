//! The row cache: expressions of recent rows, whatever their labels.
//!
//! An input that is longer by a byte shifts all later labels by one. Its rows differ from those of earlier
//! tables, but most have the same operation and operands, and a lookup here is cheaper than simplifying the
//! expression again.

use cairn_expr::ExprId;
use cairn_wire::{LabelEntry, Op};
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// Slots of the cache, which is direct-mapped; a chosen bound.
const SLOTS: usize = 1 << 14;

/// A row with expressions instead of labels: 0 for none, otherwise the index plus one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct RowKey {
    op: u8,
    width: u8,
    aux: u16,
    operands: [u32; 3],
    k: u64,
}

impl RowKey {
    /// Returns the key of a row; `None` if more than its operands determines it, or if an operand has no
    /// expression.
    pub(super) fn new(row: &LabelEntry, built: impl Fn(u32) -> Option<ExprId>) -> Option<RowKey> {
        let of = |label: u32| match label {
            0 => Some(0),
            _ => built(label).map(|expr| expr.index() as u32 + 1),
        };
        let (third, k) = match Op::from_u8(row.op)? {
            Op::Input | Op::Const | Op::Read => return None,
            Op::Ite | Op::Math => (u32::try_from(row.k).ok()?, 0),
            _ => (0, row.k),
        };
        let operands = [of(row.l1)?, of(row.l2)?, of(third)?];
        Some(RowKey { op: row.op, width: row.width, aux: row.aux, operands, k })
    }
}

/// The last row in every slot, with its expression.
#[derive(Default)]
pub(super) struct RowCache {
    slots: Vec<(RowKey, Option<ExprId>)>,
}

impl RowCache {
    /// Empties the cache.
    pub(super) fn clear(&mut self) {
        self.slots.clear();
    }

    /// Returns the expression of a row, cached or built by `build`.
    pub(super) fn get(&mut self, key: RowKey, build: impl FnOnce() -> Option<ExprId>) -> Option<ExprId> {
        if self.slots.is_empty() {
            self.slots.resize(SLOTS, Default::default());
        }
        let slot = &mut self.slots[FxBuildHasher.hash_one(key) as usize >> 7 & (SLOTS - 1)];
        if slot.0 != key || slot.1.is_none() {
            *slot = (key, build());
        }
        slot.1
    }
}
