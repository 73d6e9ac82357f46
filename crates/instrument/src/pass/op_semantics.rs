//! What an instruction computes, in the words of the label table.
//!
//! The one list of what can be followed: `taint` asks it where labels can get, `emit` what to record.
//! All of it is meant element by element where operands are vectors.

use super::intrinsics::{Intrinsic, intrinsic};
use super::types::{is_vector, lanes};
use crate::llvm::{Opcode, Predicate, Type, Value};
use cairn_wire::{Math, Op};

/// What an instruction computes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// Two operands of the result's width.
    Binary(Op),
    /// An integer comparison.
    Compare(Op),
    /// A floating-point comparison.
    FloatCompare,
    /// One operand, of any width.
    Convert(Op),
    /// A function of the mathematical library.
    Math(Math),
    /// Whether a float is of one of the classes its second operand names.
    Class,
    /// Several operations of the table.
    Composed(Composed),
    /// The operand's pieces of this many bits in reverse order.
    Reverse(u32),
    /// The first operand, unchanged.
    Same,
    /// The same bits as another type.
    Reinterpret,
    /// An address from a base and indices.
    Address,
    /// One of two values.
    Select,
    /// A part of an aggregate.
    Part,
    /// An aggregate with another part.
    WithPart,
    /// An element of a vector.
    Element,
    /// A vector with another element.
    WithElement,
    /// Elements of two vectors, in another order.
    Shuffle,
    /// All elements of a vector, the last operand, made one value.
    Reduce(Fold),
    /// The signs of a vector's elements, the first lowest.
    Signs,
}

impl Meaning {
    /// Whether a function gives a result that is only about right: another way to it may give another.
    pub fn is_approximate(self) -> bool {
        let Meaning::Math(function) = self else { return false };
        use Math::{Atan2, Cbrt, Hypot, Pow};
        (function as u16) < Math::Sqrt as u16 || matches!(function, Pow | Atan2 | Hypot | Cbrt)
    }
}

/// Operations that are made of several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Composed {
    /// A signed integer without its sign.
    Absolute,
    /// The operand that the comparison prefers.
    Extreme(Op),
    /// -1, 0 or 1, by this order.
    ThreeWay(Op),
    /// Sum, difference or product, and whether it is too large.
    Overflow(Op, Sign),
    /// Sum, difference or left shift, or else the nearest number that fits.
    Saturating(Op, Sign),
    /// The upper half of two joined values that are shifted left.
    FunnelLeft,
    /// The lower half of two joined values that are shifted right.
    FunnelRight,
    /// A float with the other sign.
    Negate,
    /// A float without its sign.
    Magnitude,
    /// A float with the sign of another one.
    CopySign,
    /// `a * b + c`, rounded as the target's machine code rounds.
    MultiplyAdd,
    /// A float rounded in this way, as an integer.
    RoundToInteger(Math),
}

/// How an integer is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// As a number that may be negative.
    Signed,
    /// As one that may not.
    Unsigned,
}

/// How two elements of a vector become one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fold {
    /// By an operation.
    Binary(Op),
    /// The one that the comparison prefers.
    Extreme(Op),
    /// By a function.
    Math(Math),
}

/// What an instruction computes; `None` if the tracer does not know.
pub fn meaning(instruction: Value) -> Option<Meaning> {
    use Opcode::*;
    let ty = instruction.ty();
    Some(match instruction.opcode() {
        LLVMICmp => Meaning::Compare(comparison_op(instruction.predicate())),
        LLVMFCmp => Meaning::FloatCompare,
        LLVMFNeg => Meaning::Composed(Composed::Negate),
        LLVMPtrToInt | LLVMIntToPtr => Meaning::Reinterpret,
        LLVMBitCast if fits(instruction.operand(0).ty(), ty) => Meaning::Reinterpret,
        LLVMFreeze => Meaning::Same,
        LLVMGetElementPtr if !is_vector(ty) => Meaning::Address,
        LLVMSelect => Meaning::Select,
        LLVMExtractValue => Meaning::Part,
        LLVMInsertValue => Meaning::WithPart,
        LLVMExtractElement => Meaning::Element,
        LLVMInsertElement => Meaning::WithElement,
        LLVMShuffleVector => Meaning::Shuffle,
        LLVMCall => return of_call(instruction),
        // A function of the compiler's library does it, and what does not fit is its own affair.
        LLVMFPToSI | LLVMFPToUI if lanes(ty).is_some_and(|(width, _)| width > u64::BITS) => return None,
        opcode => match conversion_op(opcode) {
            Some(op) => Meaning::Convert(op),
            None => Meaning::Binary(arithmetic_op(opcode)?),
        },
    })
}

fn of_call(call: Value) -> Option<Meaning> {
    if call.callee().is_inline_asm() {
        return hides_value(call).then_some(Meaning::Same);
    }
    match intrinsic(call.callee())? {
        Intrinsic::Operation(Meaning::Composed(Composed::Overflow(op, sign)))
            if !can_tell_overflow(op, sign, call) =>
        {
            None
        }
        Intrinsic::Operation(meaning) => Some(meaning),
        _ => None,
    }
}

/// Whether inline assembly does nothing but keep the compiler from knowing a value.
fn hides_value(call: Value) -> bool {
    let arguments = call.arguments();
    arguments.len() == 1 && arguments[0].ty() == call.ty() && call.callee().asm_template().is_empty()
}

/// Not of vectors, which nobody writes in C, nor where a signed product of all bits has more than 128.
fn can_tell_overflow(op: Op, sign: Sign, call: Value) -> bool {
    let ty = call.operand(0).ty();
    !is_vector(ty) && (op != Op::Mul || sign == Sign::Unsigned || ty.int_width() <= 64)
}

/// Whether elements of one type are made of whole elements of the other.
fn fits(from: Type, to: Type) -> bool {
    match (lanes(from), lanes(to)) {
        (Some((a, _)), Some((b, _))) => a % b == 0 || b % a == 0,
        _ => false,
    }
}

fn conversion_op(opcode: Opcode) -> Option<Op> {
    use Opcode::*;
    Some(match opcode {
        LLVMTrunc => Op::Trunc,
        LLVMZExt => Op::ZExt,
        LLVMSExt => Op::SExt,
        LLVMFPToSI => Op::FToS,
        LLVMFPToUI => Op::FToU,
        LLVMSIToFP => Op::SToF,
        LLVMUIToFP => Op::UToF,
        LLVMFPExt | LLVMFPTrunc => Op::FToF,
        _ => return None,
    })
}

fn arithmetic_op(opcode: Opcode) -> Option<Op> {
    use Opcode::*;
    Some(match opcode {
        LLVMAdd => Op::Add,
        LLVMSub => Op::Sub,
        LLVMMul => Op::Mul,
        LLVMUDiv => Op::UDiv,
        LLVMSDiv => Op::SDiv,
        LLVMURem => Op::URem,
        LLVMSRem => Op::SRem,
        LLVMShl => Op::Shl,
        LLVMLShr => Op::LShr,
        LLVMAShr => Op::AShr,
        LLVMAnd => Op::And,
        LLVMOr => Op::Or,
        LLVMXor => Op::Xor,
        LLVMFAdd => Op::FAdd,
        LLVMFSub => Op::FSub,
        LLVMFMul => Op::FMul,
        LLVMFDiv => Op::FDiv,
        LLVMFRem => Op::FRem,
        _ => return None,
    })
}

fn comparison_op(predicate: Predicate) -> Op {
    use Predicate::*;
    match predicate {
        LLVMIntEQ => Op::Eq,
        LLVMIntNE => Op::Ne,
        LLVMIntULT => Op::Ult,
        LLVMIntULE => Op::Ule,
        LLVMIntUGT => Op::Ugt,
        LLVMIntUGE => Op::Uge,
        LLVMIntSLT => Op::Slt,
        LLVMIntSLE => Op::Sle,
        LLVMIntSGT => Op::Sgt,
        LLVMIntSGE => Op::Sge,
    }
}
