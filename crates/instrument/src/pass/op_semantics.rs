//! Semantics of instructions in terms of the label table's operations.
//!
//! This is the only list of supported instructions: `taint` derives from it which values can be labelled,
//! `emit` what to record. Operations on vectors apply lane by lane.

use super::intrinsics::{Intrinsic, intrinsic};
use super::semantics::{Composed, Semantics, Sign};
use super::types::{is_vector, lanes};
use crate::llvm::{Opcode, Predicate, Type, Value};
use cairn_wire::Op;

/// Returns the semantics of an instruction; `None` if it is not supported.
pub fn semantics(instruction: Value) -> Option<Semantics> {
    use Opcode::*;
    let ty = instruction.ty();
    Some(match instruction.opcode() {
        LLVMICmp => Semantics::Compare(comparison_op(instruction.predicate())),
        LLVMFCmp => Semantics::FloatCompare,
        LLVMFNeg => Semantics::Composed(Composed::Negate),
        LLVMPtrToInt | LLVMIntToPtr => Semantics::Reinterpret,
        LLVMBitCast if lanes_divide(instruction.operand(0).ty(), ty) => Semantics::Reinterpret,
        LLVMFreeze => Semantics::Identity,
        LLVMGetElementPtr if !is_vector(ty) => Semantics::Address,
        LLVMSelect => Semantics::Select,
        LLVMExtractValue => Semantics::ExtractPart,
        LLVMInsertValue => Semantics::InsertPart,
        LLVMExtractElement => Semantics::ExtractElement,
        LLVMInsertElement => Semantics::InsertElement,
        LLVMShuffleVector => Semantics::Shuffle,
        LLVMCall => return of_call(instruction),
        // Implemented by a compiler-rt function, whose result for out-of-range values is not specified.
        LLVMFPToSI | LLVMFPToUI if lanes(ty).is_some_and(|(width, _)| width > u64::BITS) => return None,
        opcode => match conversion_op(opcode) {
            Some(op) => Semantics::Convert(op),
            None => Semantics::Binary(arithmetic_op(opcode)?),
        },
    })
}

fn of_call(call: Value) -> Option<Semantics> {
    if call.callee().is_inline_asm() {
        return is_value_barrier(call).then_some(Semantics::Identity);
    }
    match intrinsic(call.callee())? {
        Intrinsic::Operation(Semantics::Composed(Composed::Overflow(op, sign)))
            if !can_express_overflow(op, sign, call) =>
        {
            None
        }
        Intrinsic::Operation(semantics) => Some(semantics),
        _ => None,
    }
}

/// True if inline assembly only hides a value from the optimiser.
fn is_value_barrier(call: Value) -> bool {
    let arguments = call.arguments();
    arguments.len() == 1 && arguments[0].ty() == call.ty() && call.callee().asm_template().is_empty()
}

/// True if the overflow flag can be expressed: not for vectors, which C cannot write, nor where the
/// double-width signed product exceeds 128 bits.
fn can_express_overflow(op: Op, sign: Sign, call: Value) -> bool {
    let ty = call.operand(0).ty();
    !is_vector(ty) && (op != Op::Mul || sign == Sign::Unsigned || ty.int_width() <= 64)
}

/// True if the lanes of one type consist of whole lanes of the other.
fn lanes_divide(from: Type, to: Type) -> bool {
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
