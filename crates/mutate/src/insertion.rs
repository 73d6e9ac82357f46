//! Insertion of bytes: random ones, one many times, and repetition of what is there.

use crate::block;
use crate::field::Field;
use crate::overwriting::any_byte;
use cairn_search::Rng;

/// Inserts random bytes.
pub(crate) fn insert_random(field: &mut Field, rng: &mut Rng) {
    let at = block::place(field.bytes(), rng);
    if at < field.most() {
        let len = block::length(field.most() - at, rng);
        field.insert(at, (0..len).map(|_| any_byte(rng)));
    }
}

/// Inserts one byte many times: a random one, or one of the field.
pub(crate) fn insert_run(field: &mut Field, rng: &mut Rng) {
    let at = block::place(field.bytes(), rng);
    if at < field.most() {
        let is_known = field.len() > 0 && rng.below(2) == 0;
        let byte = if is_known { field.bytes()[rng.below(field.len())] } else { any_byte(rng) };
        let len = block::length(field.most() - at, rng);
        field.insert(at, std::iter::repeat_n(byte, len));
    }
}

/// Repeats a block behind itself, once or more often.
pub(crate) fn repeat_block(field: &mut Field, rng: &mut Rng) {
    if field.len() == 0 {
        return;
    }
    let range = block::block(field.bytes(), rng);
    let room = (field.most() - range.end) / range.len();
    let times = if room == 0 { 1 } else { block::length(room, rng) };
    let copies = field.bytes()[range.clone()].repeat(times);
    field.insert(range.end, copies.into_iter());
}

/// Inserts a copy of a block elsewhere.
pub(crate) fn insert_copy(field: &mut Field, rng: &mut Rng) {
    if field.len() == 0 {
        return;
    }
    let range = block::block(field.bytes(), rng);
    let at = block::place(field.bytes(), rng);
    if at < field.most() {
        let copy = field.bytes()[range].to_vec();
        field.insert(at, copy.into_iter());
    }
}
