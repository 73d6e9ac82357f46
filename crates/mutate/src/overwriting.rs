//! Overwriting bytes in place: flips and random values.

use crate::block;
use crate::field::Field;
use cairn_search::Rng;

/// Flips a bit.
pub(crate) fn flip_bit(field: &mut Field, rng: &mut Rng) {
    if let Some(byte) = random_byte(field, rng) {
        *byte ^= 1 << rng.below(8);
    }
}

/// Sets a byte to another value.
pub(crate) fn set_byte(field: &mut Field, rng: &mut Rng) {
    if let Some(byte) = random_byte(field, rng) {
        *byte ^= 1 + rng.below(255) as u8;
    }
}

/// Sets a byte to another one of the same field: text stays text.
pub(crate) fn set_known_byte(field: &mut Field, rng: &mut Rng) {
    if field.len() > 0 {
        let known = field.bytes()[rng.below(field.len())];
        random_byte(field, rng).into_iter().for_each(|byte| *byte = known);
    }
}

/// Sets a byte to a random printable one.
pub(crate) fn set_printable(field: &mut Field, rng: &mut Rng) {
    if let Some(byte) = random_byte(field, rng) {
        *byte = printable(rng);
    }
}

/// Sets all bytes of a block to one value.
pub(crate) fn fill_block(field: &mut Field, rng: &mut Rng) {
    if field.len() > 0 {
        let (range, value) = (block::block(field.bytes(), rng), any_byte(rng));
        field.bytes_mut()[range].fill(value);
    }
}

/// Returns a random byte; half of them are printable.
pub(crate) fn any_byte(rng: &mut Rng) -> u8 {
    if rng.below(2) == 0 { printable(rng) } else { rng.below(256) as u8 }
}

fn printable(rng: &mut Rng) -> u8 {
    b' ' + rng.below(usize::from(b'~' - b' ') + 1) as u8
}

fn random_byte<'f>(field: &'f mut Field, rng: &mut Rng) -> Option<&'f mut u8> {
    let len = field.len();
    (len > 0).then(|| &mut field.bytes_mut()[rng.below(len)])
}
