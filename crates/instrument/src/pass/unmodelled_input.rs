//! Calls by which input gets past the models: those that start other programs, which inherit the input, and system
//! calls made through `syscall`. Both are reported to the runtime before the call.

use super::function::FunctionPass;
use crate::llvm::{TypeKind, Value};

/// Functions that start another program without `fork`.
const STARTS: &[&str] =
    &["system", "popen", "posix_spawn", "posix_spawnp", "pidfd_spawn", "pidfd_spawnp", "wordexp"];

/// Arguments of `syscall` that the runtime inspects: the number, and those that may be a descriptor.
const INSPECTED: [usize; 4] = [0, 1, 2, 5];

impl FunctionPass<'_> {
    /// Reports a call by which input may be read, or decided on, past the models.
    pub fn report_unmodelled_input(&self, call: Value) {
        let callee = call.callee();
        if !callee.is_function() || !callee.is_declaration() {
            return;
        }
        match &*callee.name() {
            "syscall" => self.report_system_call(call),
            name if STARTS.contains(&name) => {
                self.builder.call(self.unit.abi.starts_program, &[]);
            }
            _ => {}
        }
    }

    fn report_system_call(&self, call: Value) {
        let (module, abi) = (self.unit.module, self.unit.abi);
        let arguments = call.arguments();
        let words = INSPECTED.map(|index| {
            let is_word = |value: &&Value| {
                matches!(value.ty().kind(), TypeKind::LLVMPointerTypeKind | TypeKind::LLVMIntegerTypeKind)
            };
            let argument = arguments.get(index).filter(is_word);
            argument.map_or(module.constant(64, u64::MAX), |value| abi.widen(&self.builder, *value))
        });
        self.builder.call(abi.system_call, &words);
    }
}
