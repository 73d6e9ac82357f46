//! Small functions without branches are inlined before the pass: a rotate or a swap then shares its
//! caller's check instead of passing labels through memory. Functions with branches are not: every copy
//! would have sites of its own.

use super::has_own_body;
use super::sites::is_site;
use crate::llvm::{Module, Opcode, Value};

/// Larger functions gain nothing.
const MAX_INSTRUCTIONS: usize = 40;

/// Marks the functions to be inlined.
pub fn mark_small_functions(module: &Module) {
    for function in module.functions().into_iter().filter(|f| has_own_body(*f) && is_small(*f)) {
        module.add_attribute(function, "alwaysinline");
    }
}

fn is_small(function: Value) -> bool {
    let blocks = function.blocks();
    if blocks.len() != 1 || function.function_type().is_variadic() || refuses(function) {
        return false;
    }
    let instructions = blocks[0].instructions();
    instructions.len() <= MAX_INSTRUCTIONS && !instructions.iter().any(|i| is_site(*i) || is_call(*i))
}

/// A call may be recursion, and tells the call graph something.
fn is_call(instruction: Value) -> bool {
    instruction.opcode() == Opcode::LLVMCall && super::intrinsics::intrinsic(instruction.callee()).is_none()
}

fn refuses(function: Value) -> bool {
    ["noinline", "optnone", "naked"].iter().any(|name| function.has_attribute(name))
}
