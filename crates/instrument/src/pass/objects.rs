//! Table of the unit's global variables, the bounds of symbolic addresses at run time; see
//! [`cairn_wire::object`].

use crate::llvm::{Module, TypeKind, Value};
use cairn_wire::object::SECTION;
use std::ffi::CString;

/// Emits the table of the unit's own arrays and structs: other variables are never indexed.
pub fn emit(module: &Module) {
    let records: Vec<Value> =
        module.variables().into_iter().filter_map(|variable| record(module, variable)).collect();
    if records.is_empty() {
        return;
    }
    let contents = module.packed(&records);
    let list = module.global("cairn.objects", contents.ty());
    let section = CString::new(SECTION).expect("no NUL");
    // Not constant: the linker fills in addresses, and the runtime sorts the table.
    module.place(list, contents, &section, 8, false);
    module.retain(&[list]);
}

fn record(module: &Module, variable: Value) -> Option<Value> {
    let ty = variable.defined_variable()?;
    let is_aggregate = matches!(ty.kind(), TypeKind::LLVMArrayTypeKind | TypeKind::LLVMStructTypeKind);
    let is_llvms = variable.name().starts_with("llvm.");
    let size = module.alloc_size(ty);
    let listed =
        is_aggregate && !is_llvms && size > 0 && !variable.is_thread_local() && has_own_bytes(variable);
    listed.then(|| module.packed(&[variable, module.constant(64, size)]))
}

fn has_own_bytes(variable: Value) -> bool {
    use crate::llvm::Linkage::*;
    matches!(
        variable.linkage(),
        LLVMExternalLinkage | LLVMInternalLinkage | LLVMPrivateLinkage | LLVMCommonLinkage
    )
}
