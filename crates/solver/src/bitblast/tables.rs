//! Reads of snapshots as circuits: trees of choices over the bits of the index.
//!
//! Most tables need no search to be understood. The table of a CRC is linear over GF(2): a choice between a
//! value and its complement is an exclusive or, so its tree has no other gates, whatever the order of bits.
//! For long inputs even that is slow to build for every read: for a table of constants the linear function is
//! computed once.

use super::circuit::{Circuit, Lit};
use cairn_expr::{Cell, Lookup};

/// Bits of an index whose sums are all built: four have 16, and a word of 32 bits uses most of them.
const GROUP: usize = 4;

/// An affine function over GF(2): a column of bits for each bit of the index, and a constant.
pub(super) struct Affine {
    constant: u128,
    columns: Vec<(u8, u128)>,
}

/// A table as it is read at indices of one form.
pub(super) enum Table {
    Affine(Affine),
    Tree(Lookup),
}

impl Table {
    /// Recognizes affine tables.
    pub(super) fn new(tree: Lookup) -> Table {
        match affine(&tree) {
            Some(affine) => Table::Affine(affine),
            None => Table::Tree(tree),
        }
    }
}

/// Returns the tree's function if it is affine.
fn affine(tree: &Lookup) -> Option<Affine> {
    match tree {
        Lookup::Bytes(cells) => {
            let known = |cell: &Cell| match cell {
                Cell::Known(byte) => Some(u128::from(*byte)),
                Cell::Part(_) => None,
            };
            let constant = cells.iter().rev().try_fold(0, |value, cell| Some(value << 8 | known(cell)?))?;
            Some(Affine { constant, columns: Vec::new() })
        }
        Lookup::Split(bit, zero, one) => {
            let (zero, one) = (affine(zero)?, affine(one)?);
            (zero.columns == one.columns).then(|| {
                let mut columns = zero.columns;
                columns.push((*bit, zero.constant ^ one.constant));
                Affine { constant: zero.constant, columns }
            })
        }
    }
}

impl Circuit {
    /// Returns the bits that a read gives; `part` has those of a snapshot's symbolic bytes.
    pub(super) fn read<'a>(
        &mut self,
        table: &Table,
        index: &[Lit],
        width: usize,
        part: &impl Fn(cairn_expr::ExprId) -> &'a [Lit],
    ) -> Vec<Lit> {
        match table {
            Table::Affine(affine) => self.apply(affine, index, width),
            Table::Tree(tree) => self.select(tree, index, part),
        }
    }

    /// Computes an affine function. Sums of the bits of each group are built once for all bits of the result.
    fn apply(&mut self, affine: &Affine, index: &[Lit], width: usize) -> Vec<Lit> {
        let mut bits = Circuit::number(affine.constant, width);
        for group in affine.columns.chunks(GROUP) {
            let mut sums = vec![Lit::FALSE];
            for &(input, _) in group {
                let bit = index[usize::from(input)];
                let more: Vec<Lit> = sums.iter().map(|&sum| self.xor(sum, bit)).collect();
                sums.extend(more);
            }
            for (place, bit) in bits.iter_mut().enumerate() {
                let columns = group.iter().enumerate();
                let which = columns.fold(0, |set, (i, &(_, column))| set | (column >> place & 1) << i);
                *bit = self.xor(*bit, sums[which as usize]);
            }
        }
        bits
    }

    /// Translates a lookup tree. Recursive as deep as an index into the snapshot has bits.
    fn select<'a>(
        &mut self,
        tree: &Lookup,
        index: &[Lit],
        part: &impl Fn(cairn_expr::ExprId) -> &'a [Lit],
    ) -> Vec<Lit> {
        match tree {
            Lookup::Bytes(cells) => {
                let bits = |cell: &Cell| match *cell {
                    Cell::Known(byte) => Circuit::number(byte.into(), 8),
                    Cell::Part(e) => part(e).to_vec(),
                };
                cells.iter().flat_map(bits).collect()
            }
            Lookup::Split(bit, zero, one) => {
                let (zero, one) = (self.select(zero, index, part), self.select(one, index, part));
                self.choose(index[usize::from(*bit)], &one, &zero)
            }
        }
    }
}
