//! Operations and nodes of expressions.

use serde::{Deserialize, Serialize};

/// Widest expression, in bits.
pub const MAX_WIDTH: u8 = 128;

/// An expression: its index in the [`crate::Dag`] that made it. Children have smaller ids than parents.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExprId(pub(crate) u32);

/// A snapshot; equal ones of one [`crate::Dag`] have equal ids.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SnapshotId(pub(crate) u32);

impl ExprId {
    /// Position in the DAG, for tables indexed by expression.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Operation of a node; only these canonical ones are ever stored.
///
/// "Not" is `Xor` with all ones, "not equal" its use on `Eq`, "greater" is "less" with the operands
/// swapped, truncation is `Extract` at bit 0.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Op {
    /// A constant.
    Const,
    /// An input byte.
    Input,
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Unsigned quotient.
    UDiv,
    /// Signed quotient, towards zero.
    SDiv,
    /// Unsigned remainder.
    URem,
    /// Signed remainder, with the dividend's sign.
    SRem,
    /// Left shift by the amount modulo the width.
    Shl,
    /// Logical right shift by the amount modulo the width.
    LShr,
    /// Arithmetic right shift by the amount modulo the width.
    AShr,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// Equal; like all comparisons of width 1.
    Eq,
    /// Unsigned less.
    Ult,
    /// Unsigned less or equal.
    Ule,
    /// Signed less.
    Slt,
    /// Signed less or equal.
    Sle,
    /// Zero extension.
    ZExt,
    /// Sign extension.
    SExt,
    /// A range of bits.
    Extract,
    /// Two values side by side.
    Concat,
    /// A choice.
    Ite,
    /// Floating-point sum; floats are bit patterns of 32 or 64 bits.
    FAdd,
    /// Floating-point difference.
    FSub,
    /// Floating-point product.
    FMul,
    /// Floating-point quotient.
    FDiv,
    /// Floating-point remainder.
    FRem,
    /// Equal as floats; of width 1, as the other two.
    FEq,
    /// Less as floats.
    FLt,
    /// Less or equal as floats.
    FLe,
    /// Float to signed integer.
    FToS,
    /// Float to unsigned integer.
    FToU,
    /// Signed integer to float.
    SToF,
    /// Unsigned integer to float.
    UToF,
    /// Float to float of another width.
    FToF,
    /// A mathematical function.
    Math,
    /// Bits that are set.
    PopCount,
    /// Zeros above the highest bit that is set.
    LeadingZeros,
    /// Zeros below the lowest bit that is set.
    TrailingZeros,
    /// Bytes of a snapshot.
    Read,
}

/// An operation on two values of the same width that gives a third of that width.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Unsigned quotient; all ones when dividing by zero.
    UDiv,
    /// Signed quotient; by zero it is 1 for a negative dividend, else all ones.
    SDiv,
    /// Unsigned remainder; the dividend when dividing by zero.
    URem,
    /// Signed remainder; the dividend when dividing by zero.
    SRem,
    /// Left shift by the amount modulo the width.
    Shl,
    /// Logical right shift by the amount modulo the width.
    LShr,
    /// Arithmetic right shift by the amount modulo the width.
    AShr,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
}

impl BinOp {
    /// Every operation.
    pub const ALL: [BinOp; 13] = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::UDiv,
        BinOp::SDiv,
        BinOp::URem,
        BinOp::SRem,
        BinOp::Shl,
        BinOp::LShr,
        BinOp::AShr,
        BinOp::And,
        BinOp::Or,
        BinOp::Xor,
    ];

    /// True if the operands may be exchanged.
    pub const fn is_commutative(self) -> bool {
        matches!(self, BinOp::Add | BinOp::Mul | BinOp::And | BinOp::Or | BinOp::Xor)
    }
}

/// A comparison of two values of the same width; in a [`Node`] only the canonical five occur.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CmpOp {
    /// Equal (canonical).
    Eq,
    /// Not equal.
    Ne,
    /// Unsigned less (canonical).
    Ult,
    /// Unsigned less or equal (canonical).
    Ule,
    /// Unsigned greater.
    Ugt,
    /// Unsigned greater or equal.
    Uge,
    /// Signed less (canonical).
    Slt,
    /// Signed less or equal (canonical).
    Sle,
    /// Signed greater.
    Sgt,
    /// Signed greater or equal.
    Sge,
}

impl CmpOp {
    /// Every comparison.
    pub const ALL: [CmpOp; 10] = [
        CmpOp::Eq,
        CmpOp::Ne,
        CmpOp::Ult,
        CmpOp::Ule,
        CmpOp::Ugt,
        CmpOp::Uge,
        CmpOp::Slt,
        CmpOp::Sle,
        CmpOp::Sgt,
        CmpOp::Sge,
    ];
}

impl From<BinOp> for Op {
    fn from(op: BinOp) -> Op {
        match op {
            BinOp::Add => Op::Add,
            BinOp::Sub => Op::Sub,
            BinOp::Mul => Op::Mul,
            BinOp::UDiv => Op::UDiv,
            BinOp::SDiv => Op::SDiv,
            BinOp::URem => Op::URem,
            BinOp::SRem => Op::SRem,
            BinOp::Shl => Op::Shl,
            BinOp::LShr => Op::LShr,
            BinOp::AShr => Op::AShr,
            BinOp::And => Op::And,
            BinOp::Or => Op::Or,
            BinOp::Xor => Op::Xor,
        }
    }
}

/// An operation on two floats of the node's width, rounded to nearest even.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatOp {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient.
    Div,
    /// The remainder of `fmod`.
    Rem,
}

impl FloatOp {
    /// Every operation.
    pub const ALL: [FloatOp; 5] = [FloatOp::Add, FloatOp::Sub, FloatOp::Mul, FloatOp::Div, FloatOp::Rem];
}

/// A comparison of two floats of one width; false if one is NaN.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatCmp {
    /// Equal; the two zeros are.
    Eq,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
}

/// A change between integers and floats. Out of range an integer is what the code that clang makes for x86-64
/// gives.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Conversion {
    /// Float to signed integer, towards zero.
    FloatToSigned,
    /// Float to unsigned integer, towards zero.
    FloatToUnsigned,
    /// Signed integer to float.
    SignedToFloat,
    /// Unsigned integer to float.
    UnsignedToFloat,
    /// Float to float of another width.
    FloatToFloat,
}

impl Conversion {
    /// Every conversion.
    pub const ALL: [Conversion; 5] = [
        Conversion::FloatToSigned,
        Conversion::FloatToUnsigned,
        Conversion::SignedToFloat,
        Conversion::UnsignedToFloat,
        Conversion::FloatToFloat,
    ];
}

/// A function of the C library's mathematical part, on floats of the node's width.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "named as in C")]
pub enum Math {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Exp2,
    Expm1,
    Log,
    Log2,
    Log10,
    Log1p,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    Round,
    RoundEven,
    Pow,
    Atan2,
    Hypot,
    Fma,
    Cbrt,
}

impl Math {
    /// Every function, in the order of their numbers.
    pub const ALL: [Math; 27] = [
        Math::Sin,
        Math::Cos,
        Math::Tan,
        Math::Asin,
        Math::Acos,
        Math::Atan,
        Math::Sinh,
        Math::Cosh,
        Math::Tanh,
        Math::Exp,
        Math::Exp2,
        Math::Expm1,
        Math::Log,
        Math::Log2,
        Math::Log10,
        Math::Log1p,
        Math::Sqrt,
        Math::Floor,
        Math::Ceil,
        Math::Trunc,
        Math::Round,
        Math::RoundEven,
        Math::Pow,
        Math::Atan2,
        Math::Hypot,
        Math::Fma,
        Math::Cbrt,
    ];

    /// Returns the number of operands.
    pub const fn operands(self) -> usize {
        match self {
            Math::Pow | Math::Atan2 | Math::Hypot => 2,
            Math::Fma => 3,
            _ => 1,
        }
    }
}

/// Something counted about a value's bits; the result has the value's width.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BitCount {
    /// Bits that are set.
    Ones,
    /// Zeros above the highest bit that is set; the width if none is.
    LeadingZeros,
    /// Zeros below the lowest bit that is set; the width if none is.
    TrailingZeros,
}

impl BitCount {
    /// Every variant.
    pub const ALL: [BitCount; 3] = [BitCount::Ones, BitCount::LeadingZeros, BitCount::TrailingZeros];
}

impl From<FloatOp> for Op {
    fn from(op: FloatOp) -> Op {
        match op {
            FloatOp::Add => Op::FAdd,
            FloatOp::Sub => Op::FSub,
            FloatOp::Mul => Op::FMul,
            FloatOp::Div => Op::FDiv,
            FloatOp::Rem => Op::FRem,
        }
    }
}

impl From<FloatCmp> for Op {
    fn from(op: FloatCmp) -> Op {
        match op {
            FloatCmp::Eq => Op::FEq,
            FloatCmp::Lt => Op::FLt,
            FloatCmp::Le => Op::FLe,
        }
    }
}

impl From<Conversion> for Op {
    fn from(conversion: Conversion) -> Op {
        match conversion {
            Conversion::FloatToSigned => Op::FToS,
            Conversion::FloatToUnsigned => Op::FToU,
            Conversion::SignedToFloat => Op::SToF,
            Conversion::UnsignedToFloat => Op::UToF,
            Conversion::FloatToFloat => Op::FToF,
        }
    }
}

impl From<BitCount> for Op {
    fn from(count: BitCount) -> Op {
        match count {
            BitCount::Ones => Op::PopCount,
            BitCount::LeadingZeros => Op::LeadingZeros,
            BitCount::TrailingZeros => Op::TrailingZeros,
        }
    }
}

/// A node as backends see it; its width is [`crate::Dag::width`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// A constant with this value.
    Const(u128),
    /// An input byte, of width 8.
    Input(crate::InputByte),
    /// An operation on two values of the node's width.
    Binary(BinOp, ExprId, ExprId),
    /// A comparison; one of `Eq`, `Ult`, `Ule`, `Slt`, `Sle`.
    Compare(CmpOp, ExprId, ExprId),
    /// The value with zeros above it.
    ZExt(ExprId),
    /// The value with copies of its sign bit above it.
    SExt(ExprId),
    /// Bits of the value from this bit on.
    Extract(ExprId, u8),
    /// The first above the second.
    Concat(ExprId, ExprId),
    /// The second if the first is 1, else the third.
    Ite(ExprId, ExprId, ExprId),
    /// An operation on two floats of the node's width.
    Float(FloatOp, ExprId, ExprId),
    /// A comparison of two floats.
    FloatCompare(FloatCmp, ExprId, ExprId),
    /// An integer or float made a float or integer of the node's width.
    Convert(Conversion, ExprId),
    /// A function of the node's children.
    Math(Math),
    /// Something counted about the value.
    BitCount(BitCount, ExprId),
    /// Bytes of the snapshot from this place (of width 64) on, lowest first; outside of it they are 0.
    Read(SnapshotId, ExprId),
}
