//! The vocabulary in which semantics of instructions are expressed.

use cairn_wire::{Math, Op};

/// Semantics of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Semantics {
    /// Binary operation with operands of the result's width.
    Binary(Op),
    /// Integer comparison.
    Compare(Op),
    /// Floating-point comparison.
    FloatCompare,
    /// Unary operation, with an operand of any width.
    Convert(Op),
    /// Function of the mathematical library.
    Math(Math),
    /// Test of a float for the classes in the second operand (`llvm.is.fpclass`).
    Class,
    /// Expansion into several operations of the table.
    Composed(Composed),
    /// Reversal of the operand's pieces of this many bits.
    Reverse(u32),
    /// Identity of the first operand.
    Identity,
    /// Reinterpretation of the same bits as another type.
    Reinterpret,
    /// Address from a base and indices.
    Address,
    /// Selection of one of two values.
    Select,
    /// Extraction of a part of an aggregate.
    ExtractPart,
    /// Insertion of a part into an aggregate.
    InsertPart,
    /// Extraction of a vector element.
    ExtractElement,
    /// Insertion of a vector element.
    InsertElement,
    /// Permutation of the elements of two vectors.
    Shuffle,
    /// Reduction of the vector in the last operand to a scalar.
    Reduce(Reduction),
    /// Sign bits of a vector's elements as an integer, the first lowest.
    SignMask,
}

impl Semantics {
    /// True if the function is not correctly rounded: another implementation may return another result.
    pub fn is_approximate(self) -> bool {
        let Semantics::Math(function) = self else { return false };
        use Math::{Atan2, Cbrt, Hypot, Pow};
        (function as u16) < Math::Sqrt as u16 || matches!(function, Pow | Atan2 | Hypot | Cbrt)
    }
}

/// Operation that is expanded into several of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Composed {
    /// Absolute value of a signed integer.
    Absolute,
    /// Minimum or maximum: the operand for which the comparison holds.
    MinMax(Op),
    /// Three-way comparison by this order: -1, 0 or 1.
    ThreeWay(Op),
    /// Sum, difference or product with an overflow flag.
    Overflow(Op, Sign),
    /// Sum, difference or left shift, saturated to the nearest representable number.
    Saturating(Op, Sign),
    /// Upper half of two concatenated values shifted left.
    FunnelLeft,
    /// Lower half of two concatenated values shifted right.
    FunnelRight,
    /// Negation of a float.
    Negate,
    /// Absolute value of a float.
    FloatAbsolute,
    /// Copy of the second operand's sign to a float.
    CopySign,
    /// Product plus a third operand (`a * b + c`), rounded as the target's code rounds.
    MultiplyAdd,
    /// Rounding of a float by this function, as an integer.
    RoundToInteger(Math),
}

/// Signedness of an integer operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// Two's complement.
    Signed,
    /// Unsigned.
    Unsigned,
}

/// Combining operation of a vector reduction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// Binary operation.
    Binary(Op),
    /// Minimum or maximum by this comparison.
    MinMax(Op),
    /// Function of the mathematical library.
    Math(Math),
}
