//! Features of conditions, as the source has them: calls, constants, dereferences, locals.
//!
//! They are collected before `sroa`: as long as every variable lives in memory, the operands that reach a
//! condition without a load of a variable are those of its source expression. The result is attached to the
//! deciding instruction as metadata, where `sites` reads it after inlining.

use super::site_sides::is_site;
use crate::llvm::{Module, Opcode, Predicate, Type, TypeKind, Value};
use cairn_wire::meta::ConditionFeatures;
use std::collections::HashSet;

/// Kind of the metadata.
const NOTE: &str = "cairn.features";

/// Attaches its condition's features to every site of the module.
pub fn annotate(module: &Module) {
    for block in module.functions().into_iter().flat_map(Value::blocks) {
        for instruction in block.instructions().into_iter().filter(|i| is_site(*i)) {
            let found = FeatureCollector::at(instruction);
            attach(module, instruction, found.contents, &found.callees);
        }
    }
}

/// Attaches features and the functions that a condition calls to a site.
pub fn attach(module: &Module, site: Value, features: ConditionFeatures, callees: &[String]) {
    let words: Vec<String> = [features.bits().to_string()].iter().chain(callees).cloned().collect();
    module.attach_text(site, NOTE, &words.join(" "));
}

/// Returns the string literals that the conditions of the module's sites refer to.
pub fn literals(module: &Module) -> Vec<Value> {
    let blocks = module.functions().into_iter().flat_map(Value::blocks);
    let sites = blocks.flat_map(|block| block.instructions()).filter(|i| is_site(*i));
    sites.flat_map(|site| FeatureCollector::at(site).literals).collect()
}

/// Returns the features attached to a site and the functions its condition calls; empty for decisions that
/// passes have introduced.
pub fn read_annotation(module: &Module, site: Value) -> (ConditionFeatures, Vec<String>) {
    let note = module.detach_text(site, NOTE).unwrap_or_default();
    let mut words = note.split_whitespace();
    let bits = words.next().and_then(|bits| bits.parse().ok()).unwrap_or_default();
    (ConditionFeatures::from_bits(bits), words.map(str::to_owned).collect())
}

/// Collector of the features of one condition.
#[derive(Default)]
struct FeatureCollector {
    contents: ConditionFeatures,
    callees: Vec<String>,
    literals: Vec<Value>,
    seen: HashSet<Value>,
}

impl FeatureCollector {
    fn at(site: Value) -> FeatureCollector {
        let mut collector = FeatureCollector::default();
        match site.opcode() {
            Opcode::LLVMBr => collector.value(site.condition()),
            Opcode::LLVMSwitch => {
                collector.value(site.operand(0));
                collector.cases(site);
            }
            _ => collector.value(site.operand(0)),
        }
        collector
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

    /// Visits a constant, a variable's address or a parameter.
    fn leaf(&mut self, value: Value) {
        if value.is_literal() {
            self.contents.insert(ConditionFeatures::TEXT);
            self.literals.push(value);
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
            // The constants of `-x` and `~x` are not in the source.
            LLVMSub if value.operand(0).is_null() => self.value(value.operand(1)),
            LLVMXor if value.operand(1).as_constant() == Some(ones(value.ty())) => {
                self.value(value.operand(0))
            }
            _ => value.operands().into_iter().for_each(|operand| self.value(operand)),
        }
    }

    /// Visits a load from a variable or through a pointer.
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

    /// Visits an address: a field's index is no constant of the source, and neither is the 0 of an array's
    /// decay.
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

/// True if an expression assigns the value to a local: `while ((c = next()) != 0)`.
fn is_kept_in_local(value: Value) -> bool {
    let stores = |user: &Value| user.opcode() == Opcode::LLVMStore && user.operand(0) == value;
    let users = value.users().into_iter().filter(|user| user.is_instruction());
    users.filter(stores).any(|store| store.operand(1).is_alloca())
}

/// True if a comparison with 0 is implicit, as in `if (x)`: its source position is then at or before its
/// operand's, while that of an explicit operator is behind it.
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

/// True if a constant is meant as a character. In C characters are integers: a constant compared with a
/// `char`, or a printable one tested for equality, counts as one.
fn is_character(value: u64, other: Value, predicate: Predicate) -> bool {
    let is_equality = matches!(predicate, Predicate::LLVMIntEQ | Predicate::LLVMIntNE);
    let printable = matches!(value, 0x20..=0x7e | 0x09..=0x0d);
    match is_char(other) {
        true => value < 0x80,
        false => printable && is_equality && is_int(other.ty()),
    }
}

/// True if a value is a `char`, or the extension of one.
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

/// Returns the all-ones constant of an integer type, truncated to 64 bits.
fn ones(ty: Type) -> u64 {
    match ty.kind() {
        TypeKind::LLVMIntegerTypeKind => u64::MAX >> (64 - ty.int_width().min(64)),
        _ => u64::MAX,
    }
}
