//! Inlining of small functions without branches, before instrumentation: a rotate or a swap then shares its
//! caller's segments instead of passing labels through memory. Functions with branches are not inlined, since
//! every copy would have sites of its own.

use super::is_emitted_here;
use super::site_sides::is_site;
use crate::llvm::{Module, Opcode, Value};

/// Maximum size of an inlined function; a chosen bound.
const MAX_INSTRUCTIONS: usize = 40;

/// Adds `alwaysinline` to the functions to be inlined.
pub fn mark_small_functions(module: &Module) {
    for function in module.functions().into_iter().filter(|f| is_emitted_here(*f) && is_small(*f)) {
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

/// True for calls of functions: they may be recursive, and belong to the call graph.
fn is_call(instruction: Value) -> bool {
    instruction.opcode() == Opcode::LLVMCall && super::intrinsics::intrinsic(instruction.callee()).is_none()
}

fn refuses(function: Value) -> bool {
    ["noinline", "optnone", "naked"].iter().any(|name| function.has_attribute(name))
}
