//! Collects the string literals that the program may compare its input with: those that reach a condition,
//! mostly as arguments of `strcmp` and its kin, and those in tables.

use super::condition_features;
use crate::llvm::{Module, Value};
use cairn_wire::strings::{STRING_SECTION, encode_strings};
use std::collections::BTreeSet;
use std::ffi::CString;

/// Deepest nesting of arrays and structs in a table; a chosen bound.
const MAX_DEPTH: usize = 4;

/// Returns the literals. Must run before `sroa`, as [`condition_features`] does.
pub fn collect(module: &Module) -> BTreeSet<Vec<u8>> {
    let mut literals = condition_features::literals(module);
    for table in module.variables().into_iter().filter_map(Value::initializer) {
        add_elements(table, MAX_DEPTH, &mut literals);
    }
    literals.into_iter().filter_map(Value::literal_text).collect()
}

fn add_elements(aggregate: Value, depth: usize, literals: &mut Vec<Value>) {
    for element in aggregate.constant_elements() {
        match element.is_literal() {
            true => literals.push(element),
            false if depth > 0 => add_elements(element, depth - 1, literals),
            false => {}
        }
    }
}

/// Emits the section of literals.
pub fn emit(module: &Module, literals: &BTreeSet<Vec<u8>>) {
    let bytes = encode_strings(literals.iter().map(Vec::as_slice));
    if bytes.is_empty() {
        return;
    }
    let contents = module.bytes(&bytes);
    let list = module.global("cairn.strings", contents.ty());
    let section = CString::new(STRING_SECTION).expect("no NUL");
    module.place(list, contents, &section, 1, true);
    module.retain(&[list]);
}
