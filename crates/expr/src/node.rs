//! What an expression can be.

/// Widest expression, in bits.
pub const MAX_WIDTH: u8 = 128;

/// An expression: its index in the [`crate::Dag`] that made it. Children have smaller ids than parents.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ExprId(pub(crate) u32);

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
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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

    /// Whether the operands may be exchanged.
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
}
