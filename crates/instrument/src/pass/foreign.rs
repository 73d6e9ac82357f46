//! Calls of code that may have no instrumentation.
//!
//! Whether it has shows when it returns: instrumented functions leave their tag. If something symbolic was
//! handed to one that did not, whatever it computes from that is not in the path: it is counted, and told
//! by name. The check looks at labels that are there anyway, and at the first byte behind every pointer.

use super::abi::WRAPPER_PREFIX;
use super::calls::after;
use super::function::FunctionPass;
use super::sinks::is_sink;
use super::taint::is_constant_data;
use crate::llvm::{Opcode, Predicate, TypeKind, Value};

/// What stands for the name of a function that is called through a pointer.
const THROUGH_POINTER: &str = "(through a pointer)";
/// Names of the runtime's own functions and of what users call in it begin so.
const OWN_PREFIXES: [&str; 3] = ["__cairn_", "cairn_", WRAPPER_PREFIX];

impl FunctionPass<'_> {
    /// A label of something that a call hands to code that may have no instrumentation, or 0; computed
    /// before the call. None where there can be no such thing.
    pub fn handed_over(&self, call: Value) -> Option<Value> {
        self.foreign_name(call)?;
        let goes_on = after(call).is_some_and(|next| next.opcode() != Opcode::LLVMUnreachable);
        if call.is_must_tail() || !goes_on {
            return None;
        }
        let arguments = call.arguments();
        let labels = arguments.iter().filter_map(|argument| self.labels.get(argument)).flatten().copied();
        let labels = labels.filter(|label| *label != self.unit.abi.concrete);
        let pointers = arguments.iter().filter(|argument| may_point_to_labels(**argument));
        let words: Vec<Value> = labels.chain(pointers.map(|pointer| self.first_word(*pointer))).collect();
        // The largest of them is one of them, and 0 only if all are.
        words.into_iter().reduce(|a, b| {
            let larger = self.builder.compare(Predicate::LLVMIntUGT, a, b);
            self.builder.select(larger, a, b)
        })
    }

    /// After the call: if something was handed over, the runtime looks whether the callee is one of ours.
    pub fn tell_foreign(&mut self, call: Value, handed: Value) {
        let (Some(next), Some(name)) = (after(call), self.foreign_name(call)) else { return };
        let block = next.block();
        let (module, abi) = (self.unit.module, self.unit.abi);
        let site = self.sites.foreign(self.found.index, call, &name);
        let head = self.cut(block, next);
        self.builder.at_end(head);
        let any = self.builder.compare(Predicate::LLVMIntNE, handed, abi.concrete);
        let told = module.block_at_end(self.function);
        module.mark_unlikely(self.builder.branch(any, told, block));
        self.builder.at_end(told);
        let callee = self.builder.ptr_to_int(call.callee(), abi.word);
        self.builder.call(abi.foreign, &[self.record(site), handed, callee]);
        self.builder.jump(block);
    }

    /// What to call a callee that may have no instrumentation. Models know what they ask the library for.
    fn foreign_name(&self, call: Value) -> Option<String> {
        let callee = call.callee();
        if self.unit.is_model || self.unit.instrumented.contains(&callee) {
            return None;
        }
        if !callee.is_function() {
            return Some(THROUGH_POINTER.to_owned());
        }
        let name = callee.name();
        let ours = OWN_PREFIXES.iter().any(|prefix| name.starts_with(prefix));
        (!ours && !is_sink(&name)).then_some(name)
    }

    /// Shadow of the byte that a pointer points to.
    fn first_word(&self, pointer: Value) -> Value {
        let (module, abi) = (self.unit.module, self.unit.abi);
        let address = abi.widen(&self.builder, pointer);
        self.builder.load(abi.label, abi.shadow_address(module, &self.builder, address), 4)
    }
}

fn may_point_to_labels(argument: Value) -> bool {
    argument.ty().kind() == TypeKind::LLVMPointerTypeKind
        && !argument.is_function()
        && !argument.is_null()
        && !is_constant_data(argument)
}
