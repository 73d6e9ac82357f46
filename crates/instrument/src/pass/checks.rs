//! Faults that operands decide, made decisions of the program: whoever explores branches then explores these.
//!
//! A division by a value that is not known becomes one by `value == 0 ? value : value`, and if it is signed the quotient that
//! has no room is asked for likewise; so are, if that is wanted, signed results that have no room and shifts by more bits than
//! there are. The select is a site like any other, with its sides and its condition; what it computes is what was
//! there, and clean-up takes it out again.

use super::intrinsics::is_absolute;
use crate::llvm::{Builder, Module, Opcode, Predicate, TypeKind, Value};
use cairn_wire::meta::ConditionFeatures;
use cairn_wire::{Check, Checks};

/// Widest arithmetic that is looked at: the tracer follows twice as many bits.
const WIDEST: u32 = 64;

/// Puts the decisions into a function.
pub fn insert(module: &Module, function: Value, wanted: Checks) {
    let instructions: Vec<Value> =
        function.blocks().into_iter().flat_map(|block| block.instructions()).collect();
    let inserter = Inserter { module, builder: module.builder(), wanted };
    for instruction in instructions {
        inserter.look_at(instruction);
        if wanted.contains(Checks::OVERFLOW) {
            // Said to us, and to nobody else: results wrap as on the machine.
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
    fn look_at(&self, instruction: Value) {
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

    /// Makes a fault a decision on one of the instruction's operands.
    fn decide(&self, faults: Value, instruction: Value, operand: u32, check: Check) {
        if faults.as_constant().is_some() {
            return;
        }
        let value = instruction.operand(operand);
        let checked = self.builder.select(faults, value, value);
        self.module.leave_note(checked, &ConditionFeatures::of_check(check).bits().to_string());
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
        self.decide(self.is(divisor, 0), division, 1, Check::ZeroDivisor);
        // The machine divides nothing narrower, and wider than it can a function does.
        if is_signed(division) && is_computed(dividend) && [32, 64].contains(&bits) {
            let divisor = division.operand(1);
            let (least, minus_one) = (self.is(dividend, least(bits)), self.is(divisor, u64::MAX));
            let faults = self.builder.binary(Opcode::LLVMAnd, least, minus_one);
            self.decide(faults, division, 1, Check::Quotient);
        }
    }

    fn shift(&self, shift: Value) {
        let amount = shift.operand(1);
        if !is_computed(amount) {
            return;
        }
        let bits = self.module.constant(amount.ty().int_width(), amount.ty().int_width().into());
        self.decide(self.builder.compare(Predicate::LLVMIntUGE, amount, bits), shift, 1, Check::Shift);
    }

    /// What the source says must not overflow.
    fn arithmetic(&self, instruction: Value) {
        let bits = instruction.ty().int_width();
        if bits > WIDEST {
            return;
        }
        if is_absolute(instruction) && instruction.operand(1).as_constant() == Some(1) {
            let value = instruction.operand(0);
            self.decide(self.is(value, least(bits)), instruction, 0, Check::Overflow);
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
            self.decide(faults, instruction, computed as u32, Check::Overflow);
        }
    }

    /// Whether the result of twice as many bits is another one.
    fn overflows(&self, opcode: Opcode, operands: [Value; 2]) -> Value {
        let wide = self.module.int(2 * operands[0].ty().int_width());
        let [a, b] = operands.map(|operand| self.builder.sext(operand, wide));
        let exact = self.builder.binary(opcode, a, b);
        let narrow = self.builder.trunc(exact, operands[0].ty());
        self.builder.compare(Predicate::LLVMIntNE, exact, self.builder.sext(narrow, wide))
    }
}

/// The least signed number of so many bits.
fn least(bits: u32) -> u64 {
    1 << (bits - 1)
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
}

fn is_shift(instruction: Value) -> bool {
    matches!(instruction.opcode(), Opcode::LLVMShl | Opcode::LLVMLShr | Opcode::LLVMAShr)
}

fn is_computed(value: Value) -> bool {
    value.is_instruction() || value.is_param()
}
