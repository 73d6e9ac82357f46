//! Circuits: gates over variables of one bit, each stored once and simplified when it is built.
//!
//! Exclusive or, choice and majority are gates of their own beside conjunction: sums need three gates per
//! bit, and all that is linear over GF(2) stays a tree of exclusive ors, for [`super::linear`]. A choice
//! between a value and its negation becomes an exclusive or, so that a bitwise CRC, or a read of its table,
//! has no other gates.

use rustc_hash::FxHashMap;
use std::ops::Not;

/// A gate's output or its negation: twice the gate's index, plus 1 if negated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Lit(u32);

impl Lit {
    /// The constant 0, output of the first gate.
    pub(crate) const FALSE: Lit = Lit(0);
    /// The constant 1.
    pub(crate) const TRUE: Lit = Lit(1);

    pub(super) fn new(gate: usize, is_negated: bool) -> Lit {
        let gate = u32::try_from(gate).expect("fewer than 2^31 gates");
        Lit(gate << 1 | u32::from(is_negated))
    }

    /// Returns the literal as a number below 2^32 - 1.
    pub(super) fn code(self) -> u32 {
        self.0
    }

    /// Returns the literal of a number that [`Self::code`] gave.
    pub(super) fn from_code(code: u32) -> Lit {
        Lit(code)
    }

    /// Returns the index of the gate.
    pub(super) fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(super) fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// Returns the literal, negated if `negate`.
    pub(super) fn negated_if(self, negate: bool) -> Lit {
        Lit(self.0 ^ u32::from(negate))
    }

    /// Returns the constant's value; `None` for other literals.
    pub(super) fn constant(self) -> Option<bool> {
        (self.gate() == 0).then_some(self.is_negated())
    }
}

impl Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

impl From<bool> for Lit {
    fn from(value: bool) -> Lit {
        Lit::FALSE.negated_if(value)
    }
}

/// A gate; operands are of gates before it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Gate {
    /// The constant 0.
    False,
    /// A variable with this number.
    Variable(u32),
    /// Conjunction.
    And(Lit, Lit),
    /// Exclusive or of two literals that are not negated.
    Xor(Lit, Lit),
    /// The second if the first is true, else the third.
    Mux(Lit, Lit, Lit),
    /// The value that at least two have: the carry of a sum.
    Majority(Lit, Lit, Lit),
}

impl Gate {
    /// Returns the operands.
    pub(super) fn operands(self) -> impl Iterator<Item = Lit> {
        let (operands, count) = match self {
            Gate::False | Gate::Variable(_) => ([Lit::FALSE; 3], 0),
            Gate::And(a, b) | Gate::Xor(a, b) => ([a, b, b], 2),
            Gate::Mux(a, b, c) | Gate::Majority(a, b, c) => ([a, b, c], 3),
        };
        operands.into_iter().take(count)
    }
}

/// A table of gates: equal gates have equal literals.
pub(crate) struct Circuit {
    gates: Vec<Gate>,
    table: FxHashMap<Gate, u32>,
}

impl Default for Circuit {
    fn default() -> Circuit {
        Circuit { gates: vec![Gate::False], table: FxHashMap::default() }
    }
}

impl Circuit {
    /// Returns the number of gates.
    pub(super) fn len(&self) -> usize {
        self.gates.len()
    }

    /// Returns the gate with this index.
    pub(super) fn gate(&self, index: usize) -> Gate {
        self.gates[index]
    }

    /// Builds the gate of a variable.
    pub(super) fn variable(&mut self, number: u32) -> Lit {
        self.intern(Gate::Variable(number))
    }

    fn intern(&mut self, gate: Gate) -> Lit {
        let next = self.gates.len();
        let index = *self.table.entry(gate).or_insert(next as u32) as usize;
        if index == next {
            self.gates.push(gate);
        }
        Lit::new(index, false)
    }

    /// Builds a gate with other operands.
    pub(super) fn rebuild(&mut self, gate: Gate, mut operand: impl FnMut(Lit) -> Lit) -> Lit {
        match gate {
            Gate::False => Lit::FALSE,
            Gate::Variable(number) => self.variable(number),
            Gate::And(a, b) => self.and(operand(a), operand(b)),
            Gate::Xor(a, b) => self.xor(operand(a), operand(b)),
            Gate::Mux(a, b, c) => self.mux(operand(a), operand(b), operand(c)),
            Gate::Majority(a, b, c) => self.majority(operand(a), operand(b), operand(c)),
        }
    }

    /// Builds a conjunction.
    pub(super) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = (a.min(b), a.max(b));
        match a {
            Lit::FALSE => return Lit::FALSE,
            Lit::TRUE => return b,
            _ if a == b => return a,
            _ if a == !b => return Lit::FALSE,
            _ => {}
        }
        for (one, other) in [(a, b), (b, a)] {
            match self.absorbed(one, other) {
                Absorbed::Into(result) => return result,
                Absorbed::To(smaller) => return self.and(one, smaller),
                Absorbed::Not => {}
            }
        }
        self.intern(Gate::And(a, b))
    }

    /// Simplifies `one & other` where `other` is a conjunction of which `one` is an operand.
    fn absorbed(&self, one: Lit, other: Lit) -> Absorbed {
        let Gate::And(x, y) = self.gates[other.gate()] else { return Absorbed::Not };
        let (same, opposite) = (x == one || y == one, x == !one || y == !one);
        match other.is_negated() {
            false if same => Absorbed::Into(other),
            false if opposite => Absorbed::Into(Lit::FALSE),
            true if same => Absorbed::To(if x == one { !y } else { !x }),
            true if opposite => Absorbed::Into(one),
            _ => Absorbed::Not,
        }
    }

    /// Builds a disjunction.
    pub(super) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// Builds an exclusive or.
    pub(super) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let negate = a.is_negated() != b.is_negated();
        let (a, b) = (a.negated_if(a.is_negated()), b.negated_if(b.is_negated()));
        let (a, b) = (a.min(b), a.max(b));
        let result = match a {
            Lit::FALSE => b,
            _ if a == b => Lit::FALSE,
            _ => self.cancelled(a, b).unwrap_or_else(|| self.intern(Gate::Xor(a, b))),
        };
        result.negated_if(negate)
    }

    /// Simplifies an exclusive or with one of its own operands.
    fn cancelled(&self, a: Lit, b: Lit) -> Option<Lit> {
        let rest = |whole: Lit, part: Lit| match self.gates[whole.gate()] {
            Gate::Xor(x, y) if x == part => Some(y),
            Gate::Xor(x, y) if y == part => Some(x),
            _ => None,
        };
        rest(b, a).or_else(|| rest(a, b))
    }

    /// Builds a choice: `one` if `choice` is true, else `zero`.
    pub(super) fn mux(&mut self, choice: Lit, one: Lit, zero: Lit) -> Lit {
        match choice.constant() {
            Some(true) => return one,
            Some(false) => return zero,
            None => {}
        }
        if choice.is_negated() {
            return self.mux(!choice, zero, one);
        }
        if zero.is_negated() {
            return !self.mux(choice, !one, !zero);
        }
        if one == zero {
            return one;
        }
        if one == !zero {
            return self.xor(choice, zero);
        }
        if one.constant().is_some() || one.gate() == choice.gate() {
            let value = one.constant().unwrap_or(!one.is_negated());
            return if value { self.or(choice, zero) } else { self.and(!choice, zero) };
        }
        if zero.constant().is_some() || zero.gate() == choice.gate() {
            return self.and(choice, one);
        }
        self.intern(Gate::Mux(choice, one, zero))
    }

    /// Builds a majority.
    pub(super) fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut sorted = [a, b, c];
        sorted.sort_unstable();
        let [a, b, c] = sorted;
        match a {
            Lit::FALSE => return self.and(b, c),
            Lit::TRUE => return self.or(b, c),
            _ if a == b || b == c => return b,
            _ if a == !b => return c,
            _ if b == !c => return a,
            _ => {}
        }
        match a.is_negated() {
            true => !self.intern(Gate::Majority(!a, !b, !c)),
            false => self.intern(Gate::Majority(a, b, c)),
        }
    }

    /// Returns the value of every gate; `variable` gives those of the variables.
    pub(super) fn evaluate(&self, variable: impl Fn(u32) -> bool) -> Values {
        let mut values = Values(Vec::with_capacity(self.gates.len()));
        for &gate in &self.gates {
            let of = |lit: Lit| values.of(lit);
            let value = match gate {
                Gate::False => false,
                Gate::Variable(number) => variable(number),
                Gate::And(a, b) => of(a) && of(b),
                Gate::Xor(a, b) => of(a) != of(b),
                Gate::Mux(a, b, c) => of(if of(a) { b } else { c }),
                Gate::Majority(a, b, c) => u8::from(of(a)) + u8::from(of(b)) + u8::from(of(c)) >= 2,
            };
            values.0.push(value);
        }
        values
    }
}

/// Result of looking for a literal in a conjunction.
enum Absorbed {
    /// The whole is this literal.
    Into(Lit),
    /// The whole is the conjunction with this literal instead.
    To(Lit),
    /// Neither.
    Not,
}

/// Values of all gates of a circuit.
pub(super) struct Values(Vec<bool>);

impl Values {
    pub(super) fn of(&self, lit: Lit) -> bool {
        self.0[lit.gate()] != lit.is_negated()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds all gates over four literals of two variables and constants, and over these again.
    #[test]
    fn simplified_gates_have_the_values_of_their_definitions() {
        let mut circuit = Circuit::default();
        let variables = [circuit.variable(0), circuit.variable(1), circuit.variable(2)];
        let mut rng = fastrand::Rng::with_seed(5);
        for _ in 0..300 {
            let mut made: Vec<(Lit, u8)> =
                variables.iter().zip([0xf0, 0xcc, 0xaa]).map(|(&lit, column)| (lit, column)).collect();
            made.extend([(Lit::FALSE, 0), (Lit::TRUE, 0xff)]);
            for _ in 0..12 {
                let mut pick = || {
                    let (lit, column) = made[rng.usize(..made.len())];
                    let negate = rng.bool();
                    (lit.negated_if(negate), if negate { !column } else { column })
                };
                let ((a, x), (b, y), (c, z)) = (pick(), pick(), pick());
                let new = match rng.u8(..5) {
                    0 => (circuit.and(a, b), x & y),
                    1 => (circuit.or(a, b), x | y),
                    2 => (circuit.xor(a, b), x ^ y),
                    3 => (circuit.mux(a, b, c), x & y | !x & z),
                    _ => (circuit.majority(a, b, c), x & y | x & z | y & z),
                };
                made.push(new);
            }
            for row in 0..8 {
                let values = circuit.evaluate(|number| row >> (2 - number) & 1 == 1);
                for &(lit, column) in &made {
                    assert_eq!(values.of(lit), column >> row & 1 == 1, "{:?}", circuit.gate(lit.gate()));
                }
            }
        }
    }

    #[test]
    fn a_choice_between_opposites_is_linear() {
        let mut circuit = Circuit::default();
        let (a, b) = (circuit.variable(0), circuit.variable(1));
        let sum = circuit.xor(a, b);
        assert_eq!(circuit.mux(a, !b, b), sum);
        assert_eq!(circuit.xor(sum, !a), !b);
    }
}
