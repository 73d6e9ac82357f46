//! Rearrangement of what is there: copying over, exchanging, shuffling.

use crate::block;
use crate::field::Field;
use cairn_search::Rng;

/// Copies a block over what is elsewhere.
pub(crate) fn copy_over(field: &mut Field, rng: &mut Rng) {
    if field.len() > 0 {
        let range = block::block(field.bytes(), rng);
        let to = rng.below(field.len());
        let len = range.len().min(field.len() - to);
        field.bytes_mut().copy_within(range.start..range.start + len, to);
    }
}

/// Replaces a block by another one, of another length perhaps.
pub(crate) fn replace_block(field: &mut Field, rng: &mut Rng) {
    if field.len() > 0 {
        let (from, to) = (block::block(field.bytes(), rng), block::block(field.bytes(), rng));
        let copy = field.bytes()[from].to_vec();
        field.replace(to, &copy);
    }
}

/// Exchanges two blocks.
pub(crate) fn exchange(field: &mut Field, rng: &mut Rng) {
    if field.len() == 0 {
        return;
    }
    let (one, other) = (block::block(field.bytes(), rng), block::block(field.bytes(), rng));
    let (first, last) = if one.start <= other.start { (one, other) } else { (other, one) };
    if first.end <= last.start {
        let bytes = field.bytes();
        let middle = &bytes[first.end..last.start];
        let exchanged = [&bytes[last.clone()], middle, &bytes[first.clone()]].concat();
        field.replace(first.start..last.end, &exchanged);
    }
}

/// Shuffles the bytes of a block.
pub(crate) fn shuffle(field: &mut Field, rng: &mut Rng) {
    if field.len() > 0 {
        let range = block::block(field.bytes(), rng);
        rng.shuffle(&mut field.bytes_mut()[range]);
    }
}
