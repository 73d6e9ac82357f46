//! Names of variables, equal wherever a variable of the program is read or stored to.
//!
//! A variable is what a store on one path and a condition on another may share: a global variable, a member of a
//! struct type (whichever object it is in), a local or parameter of a function, the result of a function. An array
//! is one variable. Memory behind a pointer has no name unless a struct type gives it one.
//!
//! Names are only meaningful before `sroa`, as long as locals live in memory.

use super::sites::type_hash;
use crate::llvm::{Linkage, Module, Opcode, TypeKind, Value};
use crate::symbols::WRAPPER_PREFIX;
use std::collections::HashMap;

/// The names of the variables of one function, as hashes.
pub struct VariableNames {
    source: String,
    /// Key of the function: what its parameters, locals and result are named after.
    function: String,
    /// Names of locals by their allocas.
    locals: HashMap<Value, u64>,
}

impl VariableNames {
    /// Names the locals of a function.
    pub fn new(module: &Module, function: Value) -> VariableNames {
        let source = module.source();
        let key = function_key(&source, function);
        let mut names = VariableNames { source, function: key, locals: HashMap::new() };
        let instructions: Vec<Value> = function.blocks().into_iter().flat_map(|b| b.instructions()).collect();
        let allocas = instructions.iter().filter(|instruction| instruction.is_alloca());
        for (number, alloca) in allocas.enumerate() {
            names.locals.insert(*alloca, hash(&names.source, &format!("{}%{number}", names.function)));
        }
        for (index, param) in function.params().into_iter().enumerate() {
            let name = names.param(index);
            names.locals.extend(home(param).map(|alloca| (alloca, name)));
        }
        let ends = instructions.iter().filter(|instruction| instruction.opcode() == Opcode::LLVMRet);
        for value in ends.flat_map(|end| end.operands()).filter(|value| is_load(*value)) {
            if value.operand(0).is_alloca() {
                names.locals.insert(value.operand(0), names.result());
            }
        }
        names
    }

    /// Returns the name of the variable at an address; `None` if it is not known which one that is.
    pub fn at(&self, address: Value) -> Option<u64> {
        let mut root = address;
        while root.is_address_computation() {
            let ty = root.source_element_type();
            if ty.kind() == TypeKind::LLVMStructTypeKind && !ty.struct_name().is_empty() {
                let members = root.operands().into_iter().skip(2).map(|index| index.as_constant());
                let path: Option<Vec<String>> = members.map(|index| Some(index?.to_string())).collect();
                return Some(self.member(&ty.struct_name(), &path?.join(".")));
            }
            root = root.operand(0);
        }
        if root.is_alloca() {
            return self.locals.get(&root).copied();
        }
        let ty = root.variable_type()?;
        // The address of a struct is that of its first member.
        match ty.struct_name() {
            name if name.is_empty() => Some(self.global(root)),
            name => Some(self.member(&name, "0")),
        }
    }

    /// Returns the name of the function's result.
    pub fn result(&self) -> u64 {
        hash("", &format!("{}#", self.function))
    }

    /// Returns the name of the result of another function of the unit or of another one.
    pub fn result_of(&self, callee: Value) -> u64 {
        hash("", &format!("{}#", function_key(&self.source, callee)))
    }

    /// Returns the name of a parameter of a callee.
    pub fn param_of(&self, callee: Value, index: usize) -> u64 {
        hash("", &format!("{}#{index}", function_key(&self.source, callee)))
    }

    fn param(&self, index: usize) -> u64 {
        hash("", &format!("{}#{index}", self.function))
    }

    fn global(&self, variable: Value) -> u64 {
        let is_local =
            matches!(variable.linkage(), Linkage::LLVMInternalLinkage | Linkage::LLVMPrivateLinkage);
        hash(if is_local { &self.source } else { "" }, &variable.name())
    }

    /// Returns the name of a member of a struct type; an unnamed type is one of its unit.
    fn member(&self, ty: &str, path: &str) -> u64 {
        hash(if ty.contains(".anon") { &self.source } else { "" }, &format!("{ty}.{path}"))
    }
}

/// Returns the text that a function's own variables are named after.
fn function_key(source: &str, function: Value) -> String {
    let name = function.name();
    match function.linkage() {
        Linkage::LLVMInternalLinkage => format!("{source}:{name}"),
        // Calls of the library's function are redirected to the model later on.
        _ => name.strip_prefix(WRAPPER_PREFIX).unwrap_or(&name).to_owned(),
    }
}

/// Returns the alloca in which a parameter is kept.
fn home(param: Value) -> Option<Value> {
    let keeps = |user: &Value| user.opcode() == Opcode::LLVMStore && user.operand(0) == param;
    let mut stores = param.users().into_iter().filter(|user| user.is_instruction()).filter(keeps);
    stores.find_map(|store| Some(store.operand(1)).filter(|address| address.is_alloca()))
}

/// True for a load.
pub fn is_load(value: Value) -> bool {
    value.is_instruction() && value.opcode() == Opcode::LLVMLoad
}

fn hash(scope: &str, name: &str) -> u64 {
    type_hash(&format!("{scope}:{name}"))
}
