//! Arithmetic on numbers: binary ones of several widths in both byte orders, and decimal ones.

use crate::field::Field;
use cairn_search::Rng;
use std::ops::Range;

/// Largest number that is added or subtracted, as in AFL: larger changes are what other mutators make.
const MAX_CHANGE: usize = 35;

/// An integer in a field.
#[derive(Clone, Copy)]
pub(crate) struct Integer {
    at: usize,
    /// Bytes.
    pub(crate) width: usize,
    is_big_endian: bool,
}

impl Integer {
    /// Returns a random integer of 1, 2, 4 or 8 bytes; None if the field is empty.
    pub(crate) fn random(field: &Field, rng: &mut Rng) -> Option<Integer> {
        let widths = field.len().checked_ilog2()?.min(3) as usize + 1;
        let width = 1 << rng.below(widths);
        let at = rng.below(field.len() - width + 1);
        Some(Integer { at, width, is_big_endian: rng.below(2) == 0 })
    }

    /// Reads it.
    fn read(self, field: &Field) -> u64 {
        let join = |value, byte: &u8| value << 8 | u64::from(*byte);
        let bytes = &field.bytes()[self.at..self.at + self.width];
        if self.is_big_endian { bytes.iter().fold(0, join) } else { bytes.iter().rev().fold(0, join) }
    }

    /// Writes it.
    pub(crate) fn write(self, field: &mut Field, value: u64) {
        let bytes = &mut field.bytes_mut()[self.at..self.at + self.width];
        bytes.copy_from_slice(&value.to_le_bytes()[..self.width]);
        if self.is_big_endian {
            bytes.reverse();
        }
    }
}

/// Adds a small number to an integer, or subtracts it.
pub(crate) fn add_to_integer(field: &mut Field, rng: &mut Rng) {
    if let Some(integer) = Integer::random(field, rng) {
        let value = integer.read(field).wrapping_add_signed(change(rng));
        integer.write(field, value);
    }
}

/// Changes a decimal number: adds a little, doubles, halves or negates it.
pub(crate) fn change_number(field: &mut Field, rng: &mut Rng) {
    let Some(range) = number_at(field, rng) else { return };
    let digits = std::str::from_utf8(&field.bytes()[range.clone()]);
    let Ok(value) = digits.unwrap_or_default().parse::<i64>() else { return };
    let value = i128::from(value);
    let changed = match rng.below(4) {
        0 => value + i128::from(change(rng)),
        1 => value * 2,
        2 => value / 2,
        _ => -value,
    };
    write_number(field, range, changed);
}

/// Returns the digits of a random decimal number; None if there is none.
pub(crate) fn number_at(field: &Field, rng: &mut Rng) -> Option<Range<usize>> {
    let bytes = field.bytes();
    let from = (!bytes.is_empty()).then(|| rng.below(bytes.len()))?;
    let at = (from..bytes.len()).chain(0..from).find(|at| bytes[*at].is_ascii_digit())?;
    let is_other = |byte: &u8| !byte.is_ascii_digit();
    let start = bytes[..at].iter().rposition(is_other).map_or(0, |before| before + 1);
    let end = bytes[at..].iter().position(is_other).map_or(bytes.len(), |after| at + after);
    Some(start..end)
}

/// Replaces the digits of a number by those of a value.
pub(crate) fn write_number(field: &mut Field, range: Range<usize>, value: i128) {
    field.replace(range, value.to_string().as_bytes());
}

fn change(rng: &mut Rng) -> i64 {
    let change = 1 + rng.below(MAX_CHANGE) as i64;
    if rng.below(2) == 0 { change } else { -change }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_exec::Object;

    #[test]
    fn integers_have_both_byte_orders() {
        let mut object = Object::stdin([1, 2, 3, 4]);
        let mut field = Field::of(&mut object).unwrap();
        let at = |is_big_endian| Integer { at: 1, width: 2, is_big_endian };
        assert_eq!((at(true).read(&field), at(false).read(&field)), (0x203, 0x302));
        at(true).write(&mut field, 0xabcd);
        assert_eq!(field.bytes(), [1, 0xab, 0xcd, 4]);
    }

    #[test]
    fn a_decimal_number_is_replaced_as_a_whole() {
        let mut seen = std::collections::BTreeSet::new();
        let mut rng = Rng::new(1);
        for _ in 0..500 {
            let mut object = Object::stdin("a40;").up_to(9);
            change_number(&mut Field::of(&mut object).unwrap(), &mut rng);
            seen.insert(String::from_utf8(object.bytes).unwrap());
        }
        for expected in ["a80;", "a20;", "a-40;", "a41;", "a5;"] {
            assert!(seen.contains(expected), "{expected} of {seen:?}");
        }
    }
}
