//! Deletion of bytes.

use crate::block;
use crate::field::Field;
use cairn_search::Rng;

/// Deletes a block.
pub(crate) fn delete_block(field: &mut Field, rng: &mut Rng) {
    if field.len() > 0 {
        let range = block::block(field.bytes(), rng);
        field.remove(range);
    }
}

/// Deletes everything from a place on.
pub(crate) fn cut_end(field: &mut Field, rng: &mut Rng) {
    let at = block::place(field.bytes(), rng);
    field.remove(at..field.len());
}
