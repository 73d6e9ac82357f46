//! Faults that an operand decides, made decisions of the program: whoever explores branches then explores these.
//!
//! A division by a value that is not known becomes one by `value == 0 ? value : value`, and if it is signed the quotient that
//! has no room is asked for likewise. The select is a site like any other, with its sides and its condition; what it
//! computes is what was there, and clean-up takes it out again.

use crate::llvm::{Builder, Module, Opcode, Predicate, TypeKind, Value};
use cairn_wire::meta::Contents;

/// Puts the decisions into a function.
pub fn insert(module: &Module, function: Value) {
    let divisions: Vec<Value> = function
        .blocks()
        .into_iter()
        .flat_map(|block| block.instructions())
        .filter(|instruction| is_division(*instruction) && is_computed(instruction.operand(1)))
        .collect();
    let builder = module.builder();
    for division in divisions {
        builder.before(division);
        for faults in conditions(module, &builder, division) {
            let divisor = division.operand(1);
            let checked = builder.select(faults, divisor, divisor);
            module.leave_note(checked, &Contents::CHECK.bits().to_string());
            division.set_operand(1, checked);
        }
    }
}

/// When a division faults, in one way and in another.
fn conditions(module: &Module, builder: &Builder, division: Value) -> Vec<Value> {
    let (dividend, divisor) = (division.operand(0), division.operand(1));
    let bits = divisor.ty().int_width();
    let is = |value, constant| builder.compare(Predicate::LLVMIntEQ, value, module.constant(bits, constant));
    let mut conditions = vec![is(divisor, 0)];
    // The machine divides nothing narrower, and wider than it can a function does.
    if is_signed(division) && is_computed(dividend) && [32, 64].contains(&bits) {
        let (least, minus_one) = (is(dividend, 1 << (bits - 1)), is(divisor, u64::MAX));
        conditions.push(builder.binary(Opcode::LLVMAnd, least, minus_one));
    }
    conditions
}

fn is_signed(division: Value) -> bool {
    matches!(division.opcode(), Opcode::LLVMSDiv | Opcode::LLVMSRem)
}

/// Whether a decision says if a division faults.
pub fn is_checked(division: Value) -> bool {
    let divisor = division.operand(1);
    let is_select = divisor.is_instruction() && divisor.opcode() == Opcode::LLVMSelect;
    is_select && divisor.operand(1) == divisor.operand(2)
}

fn is_division(instruction: Value) -> bool {
    use Opcode::{LLVMSDiv, LLVMSRem, LLVMUDiv, LLVMURem};
    matches!(instruction.opcode(), LLVMSDiv | LLVMSRem | LLVMUDiv | LLVMURem)
        && instruction.ty().kind() == TypeKind::LLVMIntegerTypeKind
}

fn is_computed(value: Value) -> bool {
    value.is_instruction() || value.is_param()
}
