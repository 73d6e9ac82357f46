//! Static taint analysis: the values of a function that may ever carry a label. Others cost nothing.
//!
//! A fixpoint over one function: parameters, loads (of constant data only if the address may be labelled) and
//! call results may be labelled, and so may values computed from them. Loop counters, addresses of locals and
//! everything computed from constants are not.

use super::intrinsics::intrinsic;
use super::op_semantics::semantics;
use super::semantics::Semantics;
use super::types::{is_vector, labelable, labelable_in_memory, scalar_width};
use crate::llvm::{Module, Opcode, Value};
use std::collections::HashSet;

/// Returns the values that may be labelled.
pub fn labelled_values(module: &Module, function: Value) -> HashSet<Value> {
    let mut found = HashSet::new();
    // The address of a `byval` struct is chosen by the calling convention and never labelled.
    let by_value = |index: usize| function.byval_type(index as u32).is_some();
    let params = function.params().into_iter().enumerate();
    let mut work: Vec<Value> =
        params.filter(|(i, p)| labelable(module, p.ty()) && !by_value(*i)).map(|(_, p)| p).collect();
    for block in function.blocks() {
        work.extend(block.instructions().into_iter().filter(|i| is_source(module, *i)));
    }
    while let Some(value) = work.pop() {
        if found.insert(value) {
            work.extend(value.users().into_iter().filter(|user| passes_on(module, *user, value)));
        }
    }
    found
}

fn is_source(module: &Module, instruction: Value) -> bool {
    match instruction.opcode() {
        Opcode::LLVMLoad => {
            labelable_in_memory(module, instruction.ty()) && !is_constant_data(instruction.operand(0))
        }
        Opcode::LLVMAtomicRMW => labelable(module, instruction.ty()),
        // The old value of a `cmpxchg`; see `atomics`.
        Opcode::LLVMExtractValue => {
            let whole = instruction.operand(0);
            let exchanged = whole.is_instruction() && whole.opcode() == Opcode::LLVMAtomicCmpXchg;
            exchanged && labelable(module, instruction.ty())
        }
        Opcode::LLVMCall | Opcode::LLVMInvoke => {
            let callee = instruction.callee();
            !callee.is_inline_asm() && intrinsic(callee).is_none() && labelable(module, instruction.ty())
        }
        _ => false,
    }
}

/// True if an address is in a constant global.
pub fn is_constant_data(mut address: Value) -> bool {
    while address.is_address_computation() {
        address = address.operand(0);
    }
    address.is_constant_global()
}

fn passes_on(module: &Module, user: Value, value: Value) -> bool {
    if !user.is_instruction() || !labelable(module, user.ty()) {
        return false;
    }
    match semantics(user) {
        // A load at a symbolic address, if it is a scalar.
        None if user.opcode() == Opcode::LLVMLoad => scalar_width(user.ty()).is_some(),
        None => user.opcode() == Opcode::LLVMPHI,
        // A select on a labelled condition has the label of the selected value: the condition is in the path.
        Some(Semantics::Select) => user.operand(0) != value || is_vector(value.ty()),
        // So is a vector index.
        Some(Semantics::ExtractElement) => user.operand(0) == value,
        Some(Semantics::InsertElement) => user.operand(0) == value || user.operand(1) == value,
        Some(_) => true,
    }
}
