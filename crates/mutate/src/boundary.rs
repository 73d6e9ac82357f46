//! Values at which programs change their behaviour: powers of two and their neighbours, as numbers of several
//! widths and in decimal.

use crate::arithmetic::{Integer, number_at, write_number};
use crate::field::Field;
use cairn_search::Rng;

/// Overwrites an integer by a boundary value.
pub(crate) fn set_integer(field: &mut Field, rng: &mut Rng) {
    if let Some(integer) = Integer::random(field, rng) {
        integer.write(field, value(integer.width as u32 * 8, rng) as u64);
    }
}

/// Replaces a decimal number by a boundary value.
pub(crate) fn set_number(field: &mut Field, rng: &mut Rng) {
    if let Some(range) = number_at(field, rng) {
        let bits = 8 << rng.below(4);
        write_number(field, range, value(bits, rng));
    }
}

/// Returns a power of two below 2^bits or its negation, or one more or less.
fn value(bits: u32, rng: &mut Rng) -> i128 {
    let power = 1i128 << rng.below(bits as usize);
    let sign = if rng.below(2) == 0 { 1 } else { -1 };
    sign * power + rng.below(3) as i128 - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_of_a_type_are_among_the_values() {
        let mut rng = Rng::new(1);
        let seen: Vec<i128> = (0..2_000).map(|_| value(8, &mut rng)).collect();
        for expected in [0, 1, -1, 127, 128, -128, -129, 64] {
            assert!(seen.contains(&expected), "{expected}");
        }
        assert!(seen.iter().all(|value| (-129..=129).contains(value)));
    }
}
