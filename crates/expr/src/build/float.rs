//! Rules for floating point.

use crate::dag::Dag;
use crate::node::{CmpOp, Conversion, ExprId, FloatCmp, FloatOp, Math, Op};
use crate::semantics;

/// Classes of floats by magnitude, from zero up: the bits of `llvm.is.fpclass` for negative and positive
/// ones.
const CLASSES: [(u16, u16); 6] = [(5, 6), (4, 7), (3, 8), (2, 9), (0, 0), (1, 1)];

impl Dag {
    /// Builds an operation on two floats of the same width.
    pub fn float(&mut self, op: FloatOp, a: ExprId, b: ExprId) -> ExprId {
        let width = self.float_width(a, b);
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(a), Some(b)) => self.constant(width, semantics::float(op, width, a, b)),
            _ => self.raw(op.into(), width, 0, &[a, b]),
        }
    }

    /// Builds a comparison of two floats of the same width; the result has width 1.
    pub fn float_compare(&mut self, op: FloatCmp, a: ExprId, b: ExprId) -> ExprId {
        let width = self.float_width(a, b);
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(a), Some(b)) => return self.truth(semantics::float_compare(op, width, a, b)),
            // fcmp-nan: x < NaN  ==>  false, likewise for == and <=
            (Some(c), None) | (None, Some(c)) if semantics::is_nan(width, c) => return self.truth(false),
            _ => {}
        }
        match op {
            // flt-self: x < x  ==>  false
            FloatCmp::Lt if a == b => self.truth(false),
            // fle-self: x <= x  ==>  x == x
            FloatCmp::Le if a == b => self.float_compare(FloatCmp::Eq, a, a),
            // feq-self: x == x  ==>  true, if x is never NaN
            FloatCmp::Eq if a == b && self.is_never_nan(a) => self.truth(true),
            // commute: the older operand first
            FloatCmp::Eq if b < a => self.raw(Op::FEq, 1, 0, &[b, a]),
            _ => self.raw(op.into(), 1, 0, &[a, b]),
        }
    }

    /// Builds the disjunction of the relations in the mask: 1 equal, 2 greater, 4 less, 8 unordered.
    pub fn float_relation(&mut self, mask: u8, a: ExprId, b: ExprId) -> ExprId {
        match mask & 15 {
            0 => self.truth(false),
            1 => self.float_compare(FloatCmp::Eq, a, b),
            2 => self.float_compare(FloatCmp::Lt, b, a),
            3 => self.float_compare(FloatCmp::Le, b, a),
            4 => self.float_compare(FloatCmp::Lt, a, b),
            5 => self.float_compare(FloatCmp::Le, a, b),
            6 => {
                let (less, greater) = (self.float_relation(4, a, b), self.float_relation(2, a, b));
                self.or(less, greater)
            }
            7 => {
                let (a, b) = (self.float_compare(FloatCmp::Eq, a, a), self.float_compare(FloatCmp::Eq, b, b));
                self.and(a, b)
            }
            unordered => {
                let otherwise = self.float_relation(15 ^ unordered, a, b);
                self.not(otherwise)
            }
        }
    }

    /// Builds a conversion between integers and floats; floats have 32 or 64 bits.
    pub fn convert(&mut self, how: Conversion, a: ExprId, width: u8) -> ExprId {
        let own = self.width(a);
        let (from_float, to_float) = match how {
            Conversion::FloatToSigned | Conversion::FloatToUnsigned => (true, false),
            Conversion::SignedToFloat | Conversion::UnsignedToFloat => (false, true),
            Conversion::FloatToFloat => (true, true),
        };
        assert!(!from_float || is_float_width(own), "no float has {own} bits");
        assert!(!to_float || is_float_width(width), "no float has {width} bits");
        match self.as_constant(a) {
            Some(value) => self.constant(width, semantics::convert(how, own, width, value)),
            None if how == Conversion::FloatToFloat && own == width => a,
            None => self.raw(how.into(), width, 0, &[a]),
        }
    }

    /// Builds a mathematical function of floats of one width.
    pub fn math(&mut self, function: Math, operands: &[ExprId]) -> ExprId {
        assert_eq!(operands.len(), function.operands(), "{function:?} takes a certain number of operands");
        let width = operands.iter().fold(self.width(operands[0]), |_, &e| self.float_width(operands[0], e));
        let mut values = [0; 3];
        for (value, &operand) in values.iter_mut().zip(operands) {
            match self.as_constant(operand) {
                Some(constant) => *value = constant,
                None => return self.raw(Op::Math, width, function as u8, operands),
            }
        }
        self.constant(width, semantics::math(function, width, values))
    }

    /// Builds the smaller of two floats, or the other one if one is NaN: as in clang's code for `fmin`, the
    /// first if they are equal.
    pub fn float_min(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let second = self.float_compare(FloatCmp::Lt, b, a);
        self.float_choice(second, a, b)
    }

    /// Builds the larger of two floats; see [`Self::float_min`].
    pub fn float_max(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let second = self.float_compare(FloatCmp::Lt, a, b);
        self.float_choice(second, a, b)
    }

    fn float_choice(&mut self, second: ExprId, a: ExprId, b: ExprId) -> ExprId {
        let chosen = self.ite(second, b, a);
        let a_is_not_nan = self.float_compare(FloatCmp::Eq, a, a);
        self.ite(a_is_not_nan, chosen, b)
    }

    /// Builds the condition that a float is in one of the classes, numbered as for `llvm.is.fpclass`.
    pub fn float_class(&mut self, classes: u16, a: ExprId) -> ExprId {
        let negative = CLASSES.map(|(negative, _)| classes >> negative & 1 == 1);
        let positive = CLASSES.map(|(_, positive)| classes >> positive & 1 == 1);
        let (negative, positive) = (self.magnitude_in(negative, a), self.magnitude_in(positive, a));
        let is_negative = self.extract(a, self.width(a) - 1, 1);
        self.ite(is_negative, negative, positive)
    }

    /// Builds the condition that a float's magnitude is in one of the classes, given in the order of
    /// [`CLASSES`].
    fn magnitude_in(&mut self, classes: [bool; 6], a: ExprId) -> ExprId {
        let width = self.width(a);
        let magnitude = self.trunc(a, width - 1);
        let starts = semantics::class_starts(width);
        let mut any = self.truth(false);
        let mut inside = false;
        // Adjacent classes are one range: their common bound cancels.
        for (is_in, start) in classes.into_iter().zip(starts) {
            if is_in != inside {
                let start = self.constant(width - 1, start);
                let above = self.compare(CmpOp::Uge, magnitude, start);
                any = self.xor(any, above);
                inside = is_in;
            }
        }
        any
    }

    fn float_width(&self, a: ExprId, b: ExprId) -> u8 {
        let width = self.same_width(a, b);
        assert!(is_float_width(width), "no float has {width} bits");
        width
    }

    /// True if this is never NaN.
    fn is_never_nan(&self, e: ExprId) -> bool {
        matches!(self.op(e), Op::SToF | Op::UToF)
    }
}

const fn is_float_width(width: u8) -> bool {
    width == 32 || width == 64
}
