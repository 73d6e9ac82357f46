//! Splicing: parts of other inputs.

use crate::block;
use crate::field::Field;
use cairn_search::Rng;

/// Inserts a block of another input.
pub(crate) fn insert_block(field: &mut Field, other: &[u8], rng: &mut Rng) {
    let at = block::place(field.bytes(), rng);
    if at < field.most() && !other.is_empty() {
        let range = block::block(other, rng);
        field.insert(at, other[range].iter().copied());
    }
}

/// Replaces a block by one of another input.
pub(crate) fn replace_block(field: &mut Field, other: &[u8], rng: &mut Rng) {
    if field.len() > 0 && !other.is_empty() {
        let (to, from) = (block::block(field.bytes(), rng), block::block(other, rng));
        field.replace(to, &other[from]);
    }
}

/// Continues with the end of another input from some place on.
pub(crate) fn cross_over(field: &mut Field, other: &[u8], rng: &mut Rng) {
    let (at, from) = (block::place(field.bytes(), rng), block::place(other, rng));
    field.replace(at..field.len(), &other[from..]);
}
