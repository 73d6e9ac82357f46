//! Products and quotients.
//!
//! A product adds up shifted copies of one operand. A constant operand is recoded first so that few of its
//! digits are not zero, minus one being a digit too (non-adjacent form): a Mersenne number takes one
//! subtraction.
//!
//! A quotient is no circuit of its operands: it and the remainder are new variables, which the condition
//! `quotient * divisor + remainder == dividend`, computed without overflow, and `remainder < divisor` fixes.
//! That is a few sums for a constant divisor, where a dividing circuit has one per bit, and a SAT solver
//! propagates through it in both directions. Quotient and remainder of the same operands share them.

use super::circuit::{Circuit, Lit};
use rustc_hash::FxHashMap;

/// Quotient and remainder of two operands.
#[derive(Clone)]
pub(super) struct Division {
    pub(super) quotient: Vec<Lit>,
    pub(super) remainder: Vec<Lit>,
}

/// The divisions of a circuit, and the conditions on their variables.
#[derive(Default)]
pub(super) struct Divisions {
    known: FxHashMap<(Vec<Lit>, Vec<Lit>), Division>,
    /// Literals that must be true, by division.
    pub(super) conditions: Vec<Lit>,
}

impl Circuit {
    /// Returns the product of two numbers of one width.
    pub(super) fn multiply(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        match (constant(a), constant(b)) {
            (_, Some(factor)) => self.multiply_by_constant(a, factor),
            (Some(factor), None) => self.multiply_by_constant(b, factor),
            // Each bit of the factor that is not 0 costs a sum.
            (None, None) if symbolic_bits(a) < symbolic_bits(b) => self.multiply_bits(b, a),
            (None, None) => self.multiply_bits(a, b),
        }
    }

    fn multiply_bits(&mut self, a: &[Lit], factor: &[Lit]) -> Vec<Lit> {
        let mut sum = vec![Lit::FALSE; a.len()];
        for (place, &bit) in factor.iter().enumerate() {
            if bit != Lit::FALSE {
                let part: Vec<Lit> = a[..a.len() - place].iter().map(|&a| self.and(a, bit)).collect();
                let high = self.add(&sum[place..], &part);
                sum.splice(place.., high);
            }
        }
        sum
    }

    fn multiply_by_constant(&mut self, a: &[Lit], factor: u128) -> Vec<Lit> {
        let mut sum = vec![Lit::FALSE; a.len()];
        for (place, is_negative) in recoded(factor, a.len()) {
            let part = &a[..a.len() - place];
            let high = match is_negative {
                true => self.subtract(&sum[place..], part),
                false => self.add(&sum[place..], part),
            };
            sum.splice(place.., high);
        }
        sum
    }

    /// Returns the product, and a literal that is true if it does not fit.
    fn multiply_exactly(&mut self, a: &[Lit], factor: &[Lit]) -> (Vec<Lit>, Lit) {
        let width = a.len();
        // The highest bit that is set decides what fits: `beyond[i]` says that a bit of `a` from i on is set.
        let mut beyond = vec![Lit::FALSE; width + 1];
        for i in (0..width).rev() {
            beyond[i] = self.or(beyond[i + 1], a[i]);
        }
        let (mut sum, mut overflow) = (vec![Lit::FALSE; width], Lit::FALSE);
        for (place, &bit) in factor.iter().enumerate() {
            if bit == Lit::FALSE {
                continue;
            }
            let lost = self.and(bit, beyond[width - place]);
            let part: Vec<Lit> = a[..width - place].iter().map(|&a| self.and(a, bit)).collect();
            let (high, carry) = self.sum(&sum[place..], &part, Lit::FALSE);
            sum.splice(place.., high);
            overflow = self.any(&[overflow, lost, carry]);
        }
        (sum, overflow)
    }

    /// Returns quotient and remainder of unsigned numbers, as SMT-LIB defines them for zero; `variables` has
    /// a new one for every bit of both, and is called only if these operands are divided for the first time.
    pub(super) fn divide(
        &mut self,
        divisions: &mut Divisions,
        dividend: &[Lit],
        divisor: &[Lit],
        variables: impl FnOnce(&mut Circuit, usize) -> Vec<Lit>,
    ) -> Division {
        if constant(divisor) == Some(0) {
            return Division { quotient: vec![Lit::TRUE; dividend.len()], remainder: dividend.to_vec() };
        }
        if let Some(shift) = constant(divisor).filter(|d| d.is_power_of_two()).map(u128::trailing_zeros) {
            return divided_by_power(dividend, shift as usize);
        }
        let key = (dividend.to_vec(), divisor.to_vec());
        if let Some(known) = divisions.known.get(&key) {
            return known.clone();
        }
        let width = dividend.len();
        let (quotient_bits, remainder_bits) = result_bits(dividend, divisor);
        let mut quotient = variables(self, quotient_bits + remainder_bits);
        let mut remainder = quotient.split_off(quotient_bits);
        quotient.resize(width, Lit::FALSE);
        remainder.resize(width, Lit::FALSE);
        let condition = match constant(divisor) {
            Some(number) => self.divides_by_constant(dividend, number, &quotient, &remainder),
            None => self.divides(dividend, divisor, &quotient, &remainder),
        };
        divisions.conditions.push(condition);
        let is_zero = !self.any(divisor);
        let quotient = quotient.iter().map(|&bit| self.or(bit, is_zero)).collect();
        let division = Division { quotient, remainder };
        divisions.known.insert(key, division.clone());
        division
    }

    /// Returns the condition on quotient and remainder for a divisor that is not 0. All is computed with as
    /// many bits as it can have.
    fn divides_by_constant(
        &mut self,
        dividend: &[Lit],
        divisor: u128,
        quotient: &[Lit],
        rest: &[Lit],
    ) -> Lit {
        let width = used_bits(quotient) + used_bits(&Circuit::number(divisor, 128)) + 1;
        let width = width.max(dividend.len());
        let [dividend, quotient, rest] = [dividend, quotient, rest].map(|value| widened(value, width));
        let product = self.multiply_by_constant(&quotient, divisor);
        let sum = self.add(&product, &rest);
        let is_whole = self.equal(&sum, &dividend);
        let is_rest = self.less(&rest, &Circuit::number(divisor, width));
        self.and(is_whole, is_rest)
    }

    /// Returns the condition on quotient and remainder. A divisor of zero makes the product zero and so the
    /// remainder the dividend, as it should be.
    fn divides(&mut self, dividend: &[Lit], divisor: &[Lit], quotient: &[Lit], remainder: &[Lit]) -> Lit {
        let is_zero = !self.any(divisor);
        let (product, overflow) = self.multiply_exactly(divisor, quotient);
        let (sum, carry) = self.sum(&product, remainder, Lit::FALSE);
        let is_whole = self.equal(&sum, dividend);
        let is_smaller = self.less(remainder, divisor);
        let is_rest = self.or(is_smaller, is_zero);
        let fits = !self.or(overflow, carry);
        let both = self.and(is_whole, is_rest);
        self.and(both, fits)
    }
}

fn divided_by_power(dividend: &[Lit], shift: usize) -> Division {
    let width = dividend.len();
    let mut quotient = dividend[shift..].to_vec();
    quotient.resize(width, Lit::FALSE);
    let mut remainder = dividend[..shift].to_vec();
    remainder.resize(width, Lit::FALSE);
    Division { quotient, remainder }
}

/// Returns the places of the digits of a constant that are not 0, with true for those that are -1.
fn recoded(mut factor: u128, width: usize) -> Vec<(usize, bool)> {
    let mut digits = Vec::new();
    for place in 0..width {
        if factor & 1 == 1 {
            // In a run of ones: subtract at its start, add after its end.
            let is_negative = factor & 2 == 2 && place + 1 < width;
            digits.push((place, is_negative));
            factor = if is_negative { factor.wrapping_add(1) } else { factor - 1 };
            if is_negative && factor == 0 {
                break;
            }
        }
        factor >>= 1;
    }
    digits
}

/// Returns how many bits quotient and remainder can have.
fn result_bits(dividend: &[Lit], divisor: &[Lit]) -> (usize, usize) {
    let bits = used_bits(dividend);
    match constant(divisor).filter(|divisor| *divisor > 0) {
        Some(divisor) => {
            let of_rest = 128 - (divisor - 1).leading_zeros() as usize;
            (bits.saturating_sub(divisor.ilog2() as usize), bits.min(of_rest))
        }
        None => (bits, bits),
    }
}

/// Returns the number of bits without the zeros above them.
fn used_bits(value: &[Lit]) -> usize {
    value.iter().rposition(|&bit| bit != Lit::FALSE).map_or(0, |highest| highest + 1)
}

fn widened(value: &[Lit], width: usize) -> Vec<Lit> {
    let mut value = value.to_vec();
    value.resize(width, Lit::FALSE);
    value
}

fn symbolic_bits(value: &[Lit]) -> usize {
    value.iter().filter(|&&bit| bit != Lit::FALSE).count()
}

/// Returns the value of a word of constants.
pub(super) fn constant(value: &[Lit]) -> Option<u128> {
    let mut bits = value.iter().rev();
    bits.try_fold(0, |value, bit| Some(value << 1 | u128::from(bit.constant()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recoded_digits_make_up_the_constant() {
        let mut rng = fastrand::Rng::with_seed(3);
        for width in [1, 2, 7, 8, 32, 127, 128usize] {
            let mask = u128::MAX >> (128 - width);
            for value in [0, 1, 3, 7, 0xff, u128::MAX, 1 << 127, rng.u128(..), rng.u128(..)] {
                let value = value & mask;
                let sum = recoded(value, width).into_iter().fold(0u128, |sum, (place, is_negative)| {
                    let digit = 1u128 << place;
                    if is_negative { sum.wrapping_sub(digit) } else { sum.wrapping_add(digit) }
                });
                assert_eq!(sum & mask, value, "{width}");
            }
        }
    }
}
