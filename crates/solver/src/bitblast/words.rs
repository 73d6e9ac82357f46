//! Words of literals, lowest bit first: sums, comparisons, choices, shifts and counts of bits.

use super::circuit::{Circuit, Lit};
use cairn_expr::{BitCount, CmpOp};

/// Direction of a shift, and the bits it brings in.
#[derive(Clone, Copy)]
pub(super) enum Shift {
    Left,
    Right,
    ArithmeticRight,
}

impl Circuit {
    /// Returns the bits of a constant.
    pub(super) fn number(value: u128, width: usize) -> Vec<Lit> {
        (0..width).map(|bit| Lit::from(value.checked_shr(bit as u32).unwrap_or(0) & 1 == 1)).collect()
    }

    /// Returns `a + b + carry` and the carry out of it.
    pub(super) fn sum(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> (Vec<Lit>, Lit) {
        let mut bits = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let half = self.xor(a, b);
            bits.push(self.xor(half, carry));
            carry = self.majority(a, b, carry);
        }
        (bits, carry)
    }

    /// Returns `a + b`.
    pub(super) fn add(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        self.sum(a, b, Lit::FALSE).0
    }

    /// Returns `a - b`.
    pub(super) fn subtract(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        self.sum(a, &inverted(b), Lit::TRUE).0
    }

    /// Returns the value, negated if `condition` is true.
    pub(super) fn negate_if(&mut self, condition: Lit, value: &[Lit]) -> Vec<Lit> {
        let flipped: Vec<Lit> = value.iter().map(|&bit| self.xor(bit, condition)).collect();
        let zeros = vec![Lit::FALSE; value.len()];
        self.sum(&flipped, &zeros, condition).0
    }

    /// Returns `a < b` for unsigned numbers: `a - b` borrows.
    pub(super) fn less(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let no_borrow = a.iter().zip(b).fold(Lit::TRUE, |carry, (&a, &b)| self.majority(a, !b, carry));
        !no_borrow
    }

    /// Returns the result of a comparison.
    pub(super) fn compare(&mut self, op: CmpOp, a: &[Lit], b: &[Lit]) -> Lit {
        match op {
            CmpOp::Eq => self.equal(a, b),
            CmpOp::Ne => !self.equal(a, b),
            CmpOp::Ult => self.less(a, b),
            CmpOp::Uge => !self.less(a, b),
            CmpOp::Ugt => self.less(b, a),
            CmpOp::Ule => !self.less(b, a),
            CmpOp::Slt => self.less(&shifted_range(a), &shifted_range(b)),
            CmpOp::Sge => !self.less(&shifted_range(a), &shifted_range(b)),
            CmpOp::Sgt => self.less(&shifted_range(b), &shifted_range(a)),
            CmpOp::Sle => !self.less(&shifted_range(b), &shifted_range(a)),
        }
    }

    /// Returns `a == b`.
    pub(super) fn equal(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let differences: Vec<Lit> = a.iter().zip(b).map(|(&a, &b)| self.xor(a, b)).collect();
        !self.any(&differences)
    }

    /// Returns the disjunction of all.
    pub(super) fn any(&mut self, bits: &[Lit]) -> Lit {
        bits.iter().fold(Lit::FALSE, |any, &bit| self.or(any, bit))
    }

    /// Returns `one` if `choice` is true, else `zero`.
    pub(super) fn choose(&mut self, choice: Lit, one: &[Lit], zero: &[Lit]) -> Vec<Lit> {
        one.iter().zip(zero).map(|(&one, &zero)| self.mux(choice, one, zero)).collect()
    }

    /// Returns the value shifted by an amount below its width: by each power of two, if that bit is set.
    pub(super) fn shift(&mut self, how: Shift, value: &[Lit], amount: &[Lit]) -> Vec<Lit> {
        let width = value.len();
        let fill = match how {
            Shift::ArithmeticRight => value[width - 1],
            Shift::Left | Shift::Right => Lit::FALSE,
        };
        let stages = (width - 1).checked_ilog2().map_or(0, |log| log as usize + 1);
        let mut value = value.to_vec();
        for (stage, &bit) in amount.iter().take(stages).enumerate() {
            let moved: Vec<Lit> = (0..width).map(|i| moved_bit(how, &value, i, 1 << stage, fill)).collect();
            value = self.choose(bit, &moved, &value);
        }
        value
    }

    /// Returns a count of the value's bits, as wide as the value.
    pub(super) fn count(&mut self, what: BitCount, value: &[Lit]) -> Vec<Lit> {
        match what {
            BitCount::Ones => self.ones(value),
            BitCount::TrailingZeros => self.zeros_before(value.iter().copied(), value.len()),
            BitCount::LeadingZeros => self.zeros_before(value.iter().rev().copied(), value.len()),
        }
    }

    /// Adds up the bits as a tree, so that the partial sums stay narrow.
    fn ones(&mut self, value: &[Lit]) -> Vec<Lit> {
        let width = value.len();
        let mut sums: Vec<Vec<Lit>> = value.iter().map(|&bit| vec![bit]).collect();
        while sums.len() > 1 {
            sums = sums.chunks(2).map(|pair| self.sum_of_pair(pair)).collect();
        }
        let mut sum = sums.pop().expect("a value has a bit");
        sum.resize(width, Lit::FALSE);
        sum
    }

    fn sum_of_pair(&mut self, pair: &[Vec<Lit>]) -> Vec<Lit> {
        let [a, b] = pair else { return pair[0].clone() };
        let width = a.len().max(b.len());
        let [mut a, mut b] = [a.clone(), b.clone()];
        a.resize(width, Lit::FALSE);
        b.resize(width, Lit::FALSE);
        let (mut sum, carry) = self.sum(&a, &b, Lit::FALSE);
        sum.push(carry);
        sum
    }

    /// Returns the number of zeros before the first one.
    fn zeros_before(&mut self, bits: impl DoubleEndedIterator<Item = Lit>, width: usize) -> Vec<Lit> {
        let bits: Vec<Lit> = bits.collect();
        let none = Circuit::number(width as u128, width);
        // The outermost choice, made last, is the first bit.
        bits.iter().enumerate().rev().fold(none, |otherwise, (place, &bit)| {
            self.choose(bit, &Circuit::number(place as u128, width), &otherwise)
        })
    }
}

/// Returns the bitwise complement.
fn inverted(value: &[Lit]) -> Vec<Lit> {
    value.iter().map(|&bit| !bit).collect()
}

/// Returns a signed number plus half the range of its width: an unsigned number in the same order.
fn shifted_range(value: &[Lit]) -> Vec<Lit> {
    let mut value = value.to_vec();
    let sign = value.last_mut().expect("a value has a bit");
    *sign = !*sign;
    value
}

fn moved_bit(how: Shift, value: &[Lit], i: usize, distance: usize, fill: Lit) -> Lit {
    let source = match how {
        Shift::Left => i.checked_sub(distance),
        Shift::Right | Shift::ArithmeticRight => Some(i + distance),
    };
    source.and_then(|i| value.get(i).copied()).unwrap_or(fill)
}
