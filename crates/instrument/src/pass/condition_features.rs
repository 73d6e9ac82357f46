//! What conditions are made of, as the source has them.
//!
//! Looked up before locals go to registers: until then every variable has a place in memory, and what a condition is
//! computed from without going through a variable is what its source expression contains. The findings are noted at the
//! instruction that decides, where `sites` finds them after inlining.

use super::sites::is_site;
use crate::llvm::{Module, Opcode, Predicate, Type, TypeKind, Value};
use cairn_wire::meta::ConditionFeatures;
use std::collections::HashSet;

/// Notes at every site of the module what its condition is made of.
pub fn note(module: &Module) {
    for block in module.functions().into_iter().flat_map(Value::blocks) {
        for instruction in block.instructions().into_iter().filter(|i| is_site(*i)) {
            let found = Look::at(instruction);
            let words = [found.contents.bits().to_string()].into_iter().chain(found.callees);
            module.leave_note(instruction, &words.collect::<Vec<_>>().join(" "));
        }
    }
}

/// What was noted at a site, and whom its condition calls. Nothing of a decision that passes made up.
pub fn noted(module: &Module, site: Value) -> (ConditionFeatures, Vec<String>) {
    let note = module.take_note(site).unwrap_or_default();
    let mut words = note.split_whitespace();
    let bits = words.next().and_then(|bits| bits.parse().ok()).unwrap_or_default();
    (ConditionFeatures::from_bits(bits), words.map(str::to_owned).collect())
}

/// A look at one condition.
#[derive(Default)]
struct Look {
    contents: ConditionFeatures,
    callees: Vec<String>,
    seen: HashSet<Value>,
}

impl Look {
    fn at(site: Value) -> Look {
        let mut look = Look::default();
        match site.opcode() {
            Opcode::LLVMBr => look.value(site.condition()),
            Opcode::LLVMSwitch => {
                look.value(site.operand(0));
                look.cases(site);
            }
            _ => look.value(site.operand(0)),
        }
        look
    }

    fn value(&mut self, value: Value) {
        if !value.is_instruction() {
            self.leaf(value);
        } else if self.seen.insert(value) {
            if is_kept_in_local(value) {
                self.contents.insert(ConditionFeatures::LOCAL);
            }
            self.instruction(value);
        }
    }

    /// A constant, a variable's address or a parameter.
    fn leaf(&mut self, value: Value) {
        if value.is_literal() {
            self.contents.insert(ConditionFeatures::TEXT);
        } else if value.is_param() {
            self.contents.insert(ConditionFeatures::LOCAL);
        } else if value.is_address_computation() {
            self.address(value);
        } else if value.as_constant().is_some() && value.ty().int_width() > 1 {
            self.contents.insert(ConditionFeatures::INTEGER);
        }
    }

    fn instruction(&mut self, value: Value) {
        use Opcode::*;
        match value.opcode() {
            LLVMLoad | LLVMAtomicRMW | LLVMAtomicCmpXchg => self.load(value.operand(0)),
            LLVMAlloca => self.contents.insert(ConditionFeatures::LOCAL),
            LLVMCall | LLVMInvoke => self.call(value),
            LLVMGetElementPtr => self.address(value),
            LLVMICmp => self.compare(value),
            LLVMPHI => value.incoming().into_iter().for_each(|(value, _)| self.value(value)),
            // What C writes as `-x` and `~x` has a constant here, but not there.
            LLVMSub if value.operand(0).is_null() => self.value(value.operand(1)),
            LLVMXor if value.operand(1).as_constant() == Some(ones(value.ty())) => {
                self.value(value.operand(0))
            }
            _ => value.operands().into_iter().for_each(|operand| self.value(operand)),
        }
    }

    /// What is read from a variable, or through a pointer.
    fn load(&mut self, address: Value) {
        let mut root = address;
        while root.is_address_computation() {
            root = root.operand(0);
        }
        let in_variable = !root.is_instruction() || root.is_alloca();
        if !in_variable {
            self.contents.insert(ConditionFeatures::DEREFERENCE);
        }
        self.value(address);
    }

    fn call(&mut self, call: Value) {
        let callee = call.callee();
        let is_own = callee.is_function() && callee.name().starts_with("llvm.");
        if is_own || callee.is_inline_asm() {
            let arguments = call.arguments().into_iter();
            return arguments.filter(|a| a.is_instruction()).for_each(|argument| self.value(argument));
        }
        match callee.is_function() {
            true => self.callees.push(callee.name()),
            false => self.value(callee),
        }
        call.arguments().into_iter().for_each(|argument| self.value(argument));
    }

    /// An element: a field is no constant of the source, and neither is the 0 of an array's own address.
    fn address(&mut self, address: Value) {
        let operands = address.operands();
        self.value(operands[0]);
        let names_fields = address.source_element_type().kind() == TypeKind::LLVMStructTypeKind;
        let indices = if names_fields { &operands[1..2] } else { &operands[1..] };
        indices.iter().filter(|index| !index.is_null()).for_each(|index| self.value(*index));
    }

    fn compare(&mut self, compare: Value) {
        let (left, right) = (compare.operand(0), compare.operand(1));
        if is_implicit(compare) {
            return self.value(left);
        }
        for (constant, other) in [(left, right), (right, left)] {
            match constant.as_constant() {
                Some(value) if is_character(value, other, compare.predicate()) => {
                    self.contents.insert(ConditionFeatures::TEXT);
                }
                _ => self.value(constant),
            }
        }
    }

    fn cases(&mut self, switch: Value) {
        let cases = (1..switch.successors().len() as u32).map(|i| switch.operand(2 * i).as_constant());
        let is_text = |value: Option<u64>| {
            value.is_some_and(|value| is_character(value, switch.operand(0), Predicate::LLVMIntEQ))
        };
        let all_text = cases.clone().all(is_text);
        if cases.len() > 0 {
            self.contents.insert(if all_text { ConditionFeatures::TEXT } else { ConditionFeatures::INTEGER });
        }
    }
}

/// Whether an expression assigns the value to a local: `while ((c = next()) != 0)`.
fn is_kept_in_local(value: Value) -> bool {
    let stores = |user: &Value| user.opcode() == Opcode::LLVMStore && user.operand(0) == value;
    let users = value.users().into_iter().filter(|user| user.is_instruction());
    users.filter(stores).any(|store| store.operand(1).is_alloca())
}

/// Whether a comparison with 0 is the compiler's, as in `if (x)`: it then stands where its operand stands, or before it, and
/// not where an operator behind the operand would.
fn is_implicit(compare: Value) -> bool {
    let (left, right) = (compare.operand(0), compare.operand(1));
    let place = |value: Value| {
        let location = value.location();
        (location.line, location.column)
    };
    compare.predicate() == Predicate::LLVMIntNE
        && right.is_null()
        && (!left.is_instruction() || place(compare) <= place(left))
}

/// Whether a constant is meant as a character. In C characters are integers: one that is compared with a `char`, or tested
/// for being equal to what can be printed, is taken for one.
fn is_character(value: u64, other: Value, predicate: Predicate) -> bool {
    let is_equality = matches!(predicate, Predicate::LLVMIntEQ | Predicate::LLVMIntNE);
    let printable = matches!(value, 0x20..=0x7e | 0x09..=0x0d);
    match is_char(other) {
        true => value < 0x80,
        false => printable && is_equality && is_int(other.ty()),
    }
}

/// Whether a value is a `char`, or one made wider.
fn is_char(value: Value) -> bool {
    let is_byte = |ty: Type| ty.kind() == TypeKind::LLVMIntegerTypeKind && ty.int_width() == 8;
    let is_widened = || {
        let widens = matches!(value.opcode(), Opcode::LLVMSExt | Opcode::LLVMZExt);
        widens && is_byte(value.operand(0).ty())
    };
    is_byte(value.ty()) || (value.is_instruction() && is_widened())
}

fn is_int(ty: Type) -> bool {
    ty.kind() == TypeKind::LLVMIntegerTypeKind && ty.int_width() == 32
}

/// All bits of an integer type, as far as a constant shows them.
fn ones(ty: Type) -> u64 {
    match ty.kind() {
        TypeKind::LLVMIntegerTypeKind => u64::MAX >> (64 - ty.int_width().min(64)),
        _ => u64::MAX,
    }
}
