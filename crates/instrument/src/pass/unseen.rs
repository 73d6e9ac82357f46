//! Calls by which a program gets input that no model sees: those that start other programs, which inherit the input, and
//! system calls made by number. Either is reported to the runtime before the call.

use super::function::FunctionPass;
use crate::llvm::{TypeKind, Value};

/// Functions that start another program without `fork`.
const STARTS: &[&str] =
    &["system", "popen", "posix_spawn", "posix_spawnp", "pidfd_spawn", "pidfd_spawnp", "wordexp"];

/// Arguments of `syscall` that the runtime looks at: the number, and where system calls have a descriptor.
const LOOKED_AT: [usize; 4] = [0, 1, 2, 5];

impl FunctionPass<'_> {
    /// Reports a call by which input may come in, or be decided on, unseen.
    pub fn tell_unseen(&self, call: Value) {
        let callee = call.callee();
        if !callee.is_function() || !callee.is_declaration() {
            return;
        }
        match &*callee.name() {
            "syscall" => self.tell_system_call(call),
            name if STARTS.contains(&name) => {
                self.builder.call(self.unit.abi.starts_program, &[]);
            }
            _ => {}
        }
    }

    fn tell_system_call(&self, call: Value) {
        let (module, abi) = (self.unit.module, self.unit.abi);
        let arguments = call.arguments();
        let words = LOOKED_AT.map(|index| {
            let is_word = |value: &&Value| {
                matches!(value.ty().kind(), TypeKind::LLVMPointerTypeKind | TypeKind::LLVMIntegerTypeKind)
            };
            let argument = arguments.get(index).filter(is_word);
            argument.map_or(module.constant(64, u64::MAX), |value| abi.widen(&self.builder, *value))
        });
        self.builder.call(abi.system_call, &words);
    }
}
