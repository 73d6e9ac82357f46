//! Checks for undefined behaviour: faults become branches of the program, so that the search explores them.
//!
//! The divisor of a division by a variable becomes `divisor == 0 ? divisor : divisor`; for a signed division
//! a second select tests for the quotient that overflows. On request, signed arithmetic and shifts get a
//! select for overflow and for shift amounts of at least the width. The select is a site like any other, with
//! two sides and a condition; its value is the operand itself, and clean-up removes it.

use super::condition_features;
use super::intrinsics::is_absolute;
use crate::llvm::{Builder, Module, Opcode, Predicate, TypeKind, Value};
use cairn_wire::meta::ConditionFeatures;
use cairn_wire::{Check, Checks};

/// Widest arithmetic that is checked: the overflow test needs twice the bits, and terms have at most 128.
const MAX_CHECKED_WIDTH: u32 = 64;

/// Inserts the checks into a function.
pub fn insert(module: &Module, function: Value, wanted: Checks) {
    let instructions: Vec<Value> =
        function.blocks().into_iter().flat_map(|block| block.instructions()).collect();
    let inserter = Inserter { module, builder: module.builder(), wanted };
    for instruction in instructions {
        inserter.check_instruction(instruction);
        if wanted.contains(Checks::OVERFLOW) {
            // From here on results wrap, as on the machine; the optimiser must not assume otherwise.
            instruction.allow_wrapping();
        }
    }
}

struct Inserter<'a> {
    module: &'a Module,
    builder: Builder,
    wanted: Checks,
}

impl Inserter<'_> {
    fn check_instruction(&self, instruction: Value) {
        let is_integer = instruction.ty().kind() == TypeKind::LLVMIntegerTypeKind;
        if !is_integer {
            return;
        }
        self.builder.before(instruction);
        match instruction.opcode() {
            _ if is_division(instruction) => self.division(instruction),
            _ if self.wanted.contains(Checks::SHIFT) && is_shift(instruction) => self.shift(instruction),
            _ if self.wanted.contains(Checks::OVERFLOW) => self.arithmetic(instruction),
            _ => {}
        }
    }

    /// Inserts a select on `faults` at one of the instruction's operands.
    fn insert_check(&self, faults: Value, instruction: Value, operand: u32, check: Check) {
        if faults.as_constant().is_some() {
            return;
        }
        let value = instruction.operand(operand);
        let checked = self.builder.select(faults, value, value);
        let features = ConditionFeatures::of_check(check);
        condition_features::attach(self.module, checked, features, &[]);
        instruction.set_operand(operand, checked);
    }

    fn is(&self, value: Value, constant: u64) -> Value {
        let constant = self.module.constant(value.ty().int_width(), constant);
        self.builder.compare(Predicate::LLVMIntEQ, value, constant)
    }

    fn division(&self, division: Value) {
        let (dividend, divisor) = (division.operand(0), division.operand(1));
        if !is_computed(divisor) {
            return;
        }
        let bits = divisor.ty().int_width();
        self.insert_check(self.is(divisor, 0), division, 1, Check::ZeroDivisor);
        // The machine traps only on 32- and 64-bit division; wider division is a library function.
        if is_signed(division) && is_computed(dividend) && [32, 64].contains(&bits) {
            let divisor = division.operand(1);
            let (least, minus_one) = (self.is(dividend, signed_min(bits)), self.is(divisor, u64::MAX));
            let faults = self.builder.binary(Opcode::LLVMAnd, least, minus_one);
            self.insert_check(faults, division, 1, Check::Quotient);
        }
    }

    fn shift(&self, shift: Value) {
        let amount = shift.operand(1);
        if !is_computed(amount) {
            return;
        }
        let bits = self.module.constant(amount.ty().int_width(), amount.ty().int_width().into());
        self.insert_check(self.builder.compare(Predicate::LLVMIntUGE, amount, bits), shift, 1, Check::Shift);
    }

    /// Checks arithmetic that the source requires not to overflow (`nsw`).
    fn arithmetic(&self, instruction: Value) {
        let bits = instruction.ty().int_width();
        if bits > MAX_CHECKED_WIDTH {
            return;
        }
        if is_absolute(instruction) && instruction.operand(1).as_constant() == Some(1) {
            let value = instruction.operand(0);
            self.insert_check(self.is(value, signed_min(bits)), instruction, 0, Check::Overflow);
            return instruction.set_operand(1, self.module.constant(1, 0));
        }
        let is_arithmetic =
            matches!(instruction.opcode(), Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul);
        if !is_arithmetic || !instruction.must_not_wrap() {
            return;
        }
        let operands = [instruction.operand(0), instruction.operand(1)];
        if let Some(computed) = operands.iter().position(|operand| is_computed(*operand)) {
            let faults = self.overflows(instruction.opcode(), operands);
            self.insert_check(faults, instruction, computed as u32, Check::Overflow);
        }
    }

    /// Emits the test that the double-width result differs from the wrapped one.
    fn overflows(&self, opcode: Opcode, operands: [Value; 2]) -> Value {
        let wide = self.module.int(2 * operands[0].ty().int_width());
        let [a, b] = operands.map(|operand| self.builder.sext(operand, wide));
        let exact = self.builder.binary(opcode, a, b);
        let narrow = self.builder.trunc(exact, operands[0].ty());
        self.builder.compare(Predicate::LLVMIntNE, exact, self.builder.sext(narrow, wide))
    }
}

/// Returns the signed minimum of this width.
fn signed_min(bits: u32) -> u64 {
    1 << (bits - 1)
}

fn is_signed(division: Value) -> bool {
    matches!(division.opcode(), Opcode::LLVMSDiv | Opcode::LLVMSRem)
}

/// True if a check guards the division.
pub fn is_checked(division: Value) -> bool {
    let divisor = division.operand(1);
    let is_select = divisor.is_instruction() && divisor.opcode() == Opcode::LLVMSelect;
    is_select && divisor.operand(1) == divisor.operand(2)
}

fn is_division(instruction: Value) -> bool {
    use Opcode::{LLVMSDiv, LLVMSRem, LLVMUDiv, LLVMURem};
    matches!(instruction.opcode(), LLVMSDiv | LLVMSRem | LLVMUDiv | LLVMURem)
}

fn is_shift(instruction: Value) -> bool {
    matches!(instruction.opcode(), Opcode::LLVMShl | Opcode::LLVMLShr | Opcode::LLVMAShr)
}

fn is_computed(value: Value) -> bool {
    value.is_instruction() || value.is_param()
}
