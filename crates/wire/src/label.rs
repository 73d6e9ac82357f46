//! The label table: one entry per distinct expression that a run has computed.
//!
//! Label 0 means "concrete". Entry `n` of the table describes label `n`; operands always have smaller labels
//! than their users, so one pass from the front evaluates a whole table.
//!
//! An operand whose label is 0 is the constant `k`. At most one operand of an entry is constant (an entry
//! with two would be concrete), so one `k` is enough.
//!
//! [`Op`] is the one list of operations. Those of the other crates are checked against it by a test:
//! `crates/exec/tests/operations.rs` decodes, evaluates, prints and reads back each operation of [`Op::ALL`].

use crate::numbered::numbered;

numbered! {
    /// Operation of an entry. The semantics are those of SMT-LIB bit-vectors, except that a shift amount
    /// counts modulo the width, as in the machine's shift instructions.
    pub enum Op: u8, from_u8(u8) {
        /// The byte of an input object that `k` identifies by [`input_byte`]; width 8. Offsets from
        /// [`LENGTH`] on are the bytes of the object's length.
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
        /// Equality. This and the other comparisons have width 1 and the operands' width in `aux`.
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
        /// Floating-point sum of two values of 32 or 64 bits; this and the following round to nearest even.
        FAdd = 32,
        /// Floating-point difference.
        FSub = 33,
        /// Floating-point product.
        FMul = 34,
        /// Floating-point quotient.
        FDiv = 35,
        /// Floating-point remainder, as `fmod`.
        FRem = 36,
        /// Floating-point comparison: width 1, the operands' width in the low byte of `aux`, LLVM's
        /// number of the predicate (1 to 14) in the high one.
        FCmp = 37,
        /// To a signed integer of `width` bits from a float of `aux` bits, as the machine truncates.
        FToS = 38,
        /// To an unsigned integer.
        FToU = 39,
        /// To a float of `width` bits from a signed integer of `aux` bits.
        SToF = 40,
        /// From an unsigned integer.
        UToF = 41,
        /// Between floats, from `aux` bits to `width`.
        FToF = 42,
        /// Function `aux` (a [`Math`]) of the C library, of one or two operands; with three, all are labels
        /// and `k` is the third.
        Math = 43,
        /// True if `l1` is of one of the classes in `aux`, a mask as of `llvm.is.fpclass`; width 1.
        FClass = 44,
        /// Number of set bits of `l1`.
        PopCount = 45,
        /// Number of leading zero bits of `l1`; `width` if it is 0.
        LeadingZeros = 46,
        /// Number of trailing zero bits of `l1`; `width` if it is 0.
        TrailingZeros = 47,
        /// `width` bits from byte `l1` on of the [`crate::snapshot`] at offset `k` of its region, lowest byte
        /// first; the offset `l1` has 64 bits and always lies inside.
        Read = 48,
    }
}

impl Op {
    /// True for the ten integer comparisons.
    pub const fn is_comparison(self) -> bool {
        self as u8 >= Op::Eq as u8 && self as u8 <= Op::Sge as u8
    }
}

numbered! {
    /// A function of the mathematical library, for both widths of float; see [`Op::Math`].
    pub enum Math: u16, from_u16(u16) {
        /// `sin`.
        Sin = 1,
        /// `cos`.
        Cos = 2,
        /// `tan`.
        Tan = 3,
        /// `asin`.
        Asin = 4,
        /// `acos`.
        Acos = 5,
        /// `atan`.
        Atan = 6,
        /// `sinh`.
        Sinh = 7,
        /// `cosh`.
        Cosh = 8,
        /// `tanh`.
        Tanh = 9,
        /// `exp`.
        Exp = 10,
        /// `exp2`.
        Exp2 = 11,
        /// `expm1`.
        Expm1 = 12,
        /// `log`.
        Log = 13,
        /// `log2`.
        Log2 = 14,
        /// `log10`.
        Log10 = 15,
        /// `log1p`.
        Log1p = 16,
        /// `sqrt`.
        Sqrt = 17,
        /// Rounds towards minus infinity.
        Floor = 18,
        /// Rounds towards plus infinity.
        Ceil = 19,
        /// Rounds towards zero.
        Trunc = 20,
        /// Rounds to the nearest integer, halves away from zero.
        Round = 21,
        /// Rounds to the nearest integer, halves to even: `rint`, `nearbyint`, `roundeven`.
        RoundEven = 22,
        /// `pow`.
        Pow = 23,
        /// `atan2`.
        Atan2 = 24,
        /// `hypot`.
        Hypot = 25,
        /// `fmin`: the other operand if one is NaN.
        Min = 26,
        /// `fmax`.
        Max = 27,
        /// `l1 * l2 + k`, rounded once.
        Fma = 28,
        /// `cbrt`.
        Cbrt = 29,
    }
}

impl Math {
    /// Returns the number of operands.
    pub const fn operands(self) -> usize {
        match self {
            Math::Pow | Math::Atan2 | Math::Hypot | Math::Min | Math::Max => 2,
            Math::Fma => 3,
            _ => 1,
        }
    }
}

/// Offset of an input object's length among its bytes: four bytes, lowest first. No object is that long.
pub const LENGTH: u32 = 0xffff_fffc;

/// Returns the identifier of an input byte: the object in the upper half, the offset in the lower.
pub const fn input_byte(object: u32, offset: u32) -> u64 {
    (object as u64) << 32 | offset as u64
}

/// Returns the object and the offset of an identifier made by [`input_byte`].
pub const fn object_and_offset(byte: u64) -> (u32, u32) {
    ((byte >> 32) as u32, byte as u32)
}

/// A row of the label table.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LabelEntry {
    /// Its [`Op`] as a byte.
    pub op: u8,
    /// Width of the result in bits.
    pub width: u8,
    /// Parameter of the operation.
    pub aux: u16,
    /// First operand, or 0 for the constant `k`.
    pub l1: u32,
    /// Second operand, or 0 for the constant `k`.
    pub l2: u32,
    /// Reserved, 0.
    pub unused: u32,
    /// The constant operand, or a parameter of the operation.
    pub k: u64,
}

const _: () = assert!(size_of::<LabelEntry>() == 24);
