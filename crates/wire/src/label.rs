//! The label table: one entry per distinct expression a run has computed.
//!
//! Label 0 means "concrete". Entry `n` of the table describes label `n`; children always have
//! smaller labels than their parents, so one pass from the front evaluates a whole table.
//!
//! An operand whose label is 0 is the constant `k`. At most one operand of an entry is constant
//! (an entry with two would be concrete), so one `k` is enough.

/// What an entry computes. Semantics of every operation are those of SMT-LIB bit-vectors, except
/// that a shift amount counts modulo the width, as the machine's shift instructions do.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Op {
    /// Byte `k` of input object `aux`; width 8.
    Input = 1,
    /// The constant `k`; only where an operand of a wider constant is needed.
    Const = 2,
    /// `l1 + l2`.
    Add = 3,
    /// `l1 - l2`.
    Sub = 4,
    /// `l1 * l2`.
    Mul = 5,
    /// Unsigned division.
    UDiv = 6,
    /// Signed division.
    SDiv = 7,
    /// Unsigned remainder.
    URem = 8,
    /// Signed remainder; takes the sign of the dividend.
    SRem = 9,
    /// Left shift.
    Shl = 10,
    /// Logical right shift.
    LShr = 11,
    /// Arithmetic right shift.
    AShr = 12,
    /// Bitwise and.
    And = 13,
    /// Bitwise or.
    Or = 14,
    /// Bitwise exclusive or.
    Xor = 15,
    /// Equal. This and the other comparisons have width 1 and the operands' width in `aux`.
    Eq = 16,
    /// Not equal.
    Ne = 17,
    /// Unsigned less.
    Ult = 18,
    /// Unsigned less or equal.
    Ule = 19,
    /// Unsigned greater.
    Ugt = 20,
    /// Unsigned greater or equal.
    Uge = 21,
    /// Signed less.
    Slt = 22,
    /// Signed less or equal.
    Sle = 23,
    /// Signed greater.
    Sgt = 24,
    /// Signed greater or equal.
    Sge = 25,
    /// Zero extension of `l1` to `width`.
    ZExt = 26,
    /// Sign extension of `l1` to `width`.
    SExt = 27,
    /// The low `width` bits of `l1`.
    Trunc = 28,
    /// `width` bits of `l1` starting at bit `aux`.
    Extract = 29,
    /// `l1` above `l2`; a constant operand has the width that is missing to `width`.
    Concat = 30,
    /// `l1 ? l2 : label k`; all three are labels.
    Ite = 31,
}

impl Op {
    /// The operation with this byte, if there is one.
    pub const fn from_u8(byte: u8) -> Option<Op> {
        const ALL: [Op; 31] = [
            Op::Input,
            Op::Const,
            Op::Add,
            Op::Sub,
            Op::Mul,
            Op::UDiv,
            Op::SDiv,
            Op::URem,
            Op::SRem,
            Op::Shl,
            Op::LShr,
            Op::AShr,
            Op::And,
            Op::Or,
            Op::Xor,
            Op::Eq,
            Op::Ne,
            Op::Ult,
            Op::Ule,
            Op::Ugt,
            Op::Uge,
            Op::Slt,
            Op::Sle,
            Op::Sgt,
            Op::Sge,
            Op::ZExt,
            Op::SExt,
            Op::Trunc,
            Op::Extract,
            Op::Concat,
            Op::Ite,
        ];
        if byte == 0 || byte as usize > ALL.len() {
            return None;
        }
        Some(ALL[byte as usize - 1])
    }

    /// Whether this is one of the ten comparisons.
    pub const fn is_comparison(self) -> bool {
        self as u8 >= Op::Eq as u8 && self as u8 <= Op::Sge as u8
    }
}

/// One row of the label table.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LabelEntry {
    /// An [`Op`] as a byte.
    pub op: u8,
    /// Width of the result in bits.
    pub width: u8,
    /// Depends on the operation.
    pub aux: u16,
    /// First operand, or 0 for the constant `k`.
    pub l1: u32,
    /// Second operand, or 0 for the constant `k`.
    pub l2: u32,
    /// Next entry with the same hash; used by the runtime only.
    pub next: u32,
    /// The constant operand, or what the operation says.
    pub k: u64,
}

const _: () = assert!(size_of::<LabelEntry>() == 24);
