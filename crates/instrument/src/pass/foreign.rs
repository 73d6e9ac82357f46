//! Calls of code that may have no instrumentation.
//!
//! Whether it has shows when it returns: instrumented functions leave their tag. If one that did not was given something
//! symbolic, as an argument or in memory that an argument points to, whatever it computes from that is not in the
//! path: it is counted, and named in diagnosis. Memory is looked at when the call has returned, so that calls of
//! instrumented functions pay for no more than a look at the tag; labels are still there, since uninstrumented code knows nothing of
//! them. The pass says which variable a pointer points into, or which member of a struct; of the rest the runtime finds the
//! object (`runtime/src/foreign.rs`).

use super::abi::WRAPPER_PREFIX;
use super::calls::after;
use super::function::FunctionPass;
use super::outputs;
use super::sinks::{REPLACES, ignores_memory, is_sink};
use super::taint::is_constant_data;
use crate::llvm::{Opcode, Predicate, TypeKind, Value};
use cairn_wire::Loss;

/// What stands for the name of a function that is called through a pointer.
const THROUGH_POINTER: &str = "(through a pointer)";
/// Names of the runtime's own functions and of what users call in it begin so.
const OWN_PREFIXES: [&str; 3] = ["__cairn_", "cairn_", WRAPPER_PREFIX];

/// What a call gives to its callee.
pub struct HandedOver {
    /// A label among those of its arguments, 0 if none has one.
    pub(super) label: Option<Value>,
    /// Arguments that point to memory with labels, perhaps.
    pub(super) pointers: Vec<Value>,
}

/// A member of a struct: how far behind its start an address is, and its size.
struct Member {
    offset: u64,
    bytes: u64,
}

impl FunctionPass<'_> {
    /// What a call hands to code that may have no instrumentation; computed before the call. None where there can be
    /// no such thing.
    pub fn handed_over(&self, call: Value) -> Option<HandedOver> {
        let name = self.foreign_name(call)?;
        let goes_on = after(call).is_some_and(|next| next.opcode() != Opcode::LLVMUnreachable);
        if call.is_must_tail() || !goes_on {
            return None;
        }
        let arguments = call.arguments();
        let labels = arguments.iter().filter_map(|argument| self.labels.get(argument)).flatten().copied();
        let labels = labels.filter(|label| *label != self.unit.abi.concrete);
        // The largest of them is one of them, and 0 only if all are.
        let label = labels.reduce(|a, b| {
            let larger = self.builder.compare(Predicate::LLVMIntUGT, a, b);
            self.builder.select(larger, a, b)
        });
        let is_read = !ignores_memory(&name);
        let pointers = arguments.into_iter().filter(|a| is_read && may_point_to_labels(*a));
        let pointers: Vec<Value> = pointers.collect();
        (label.is_some() || !pointers.is_empty()).then_some(HandedOver { label, pointers })
    }

    /// Tells the runtime what was handed over: after the call if the callee is none of ours, before it if the callee does
    /// not come back.
    pub fn tell_foreign(&mut self, call: Value, handed: &HandedOver) {
        let Some(name) = self.foreign_name(call) else { return };
        let replaces = REPLACES.contains(&&*name);
        let Some(next) = (if replaces { Some(call) } else { after(call) }) else { return };
        let block = next.block();
        let (module, abi) = (self.unit.module, self.unit.abi);
        let site = self.sites.foreign(self.found.index, call, &name);
        let head = self.cut(block, next);
        let told = module.block_at_end(self.function);
        self.builder.at_end(head);
        match replaces {
            true => drop(self.builder.jump(told)),
            false => {
                let suspected = self.is_lost(call, handed);
                module.mark_unlikely(self.builder.branch(suspected, told, block));
            }
        }
        self.builder.at_end(told);
        let record = self.record(site);
        if let Some(output) = outputs::find(&name) {
            self.tell_output(call, handed, &output, record);
            self.builder.jump(block);
            return;
        }
        if let Some(label) = handed.label {
            let why = module.constant(32, Loss::Foreign as u64);
            self.builder.call(abi.lost, &[record, label, why]);
        }
        for pointer in &handed.pointers {
            let (start, bytes) = self.region(*pointer);
            let pointer = abi.widen(&self.builder, *pointer);
            self.builder.call(abi.foreign, &[record, pointer, start, module.constant(64, bytes)]);
        }
        self.builder.jump(block);
    }

    /// True if the callee has left no tag, and something may have been handed over.
    fn is_lost(&self, call: Value, handed: &HandedOver) -> Value {
        let (module, abi) = (self.unit.module, self.unit.abi);
        let returned = abi.has_returned(module, &self.builder, call.callee());
        let foreign = self.builder.binary(Opcode::LLVMXor, returned, module.constant(1, 1));
        match handed.label.filter(|_| handed.pointers.is_empty()) {
            Some(label) => {
                let any = self.builder.compare(Predicate::LLVMIntNE, label, abi.concrete);
                self.builder.binary(Opcode::LLVMAnd, foreign, any)
            }
            None => foreign,
        }
    }

    /// Start of the variable, or of the member of a struct, that a pointer points into, and its size; size 0 if the types
    /// do not say.
    pub(super) fn region(&self, pointer: Value) -> (Value, u64) {
        let (module, abi) = (self.unit.module, self.unit.abi);
        let address = abi.widen(&self.builder, pointer);
        if let Some(Member { offset, bytes }) = self.member(pointer) {
            let start = self.builder.binary(Opcode::LLVMSub, address, module.constant(64, offset));
            return (start, bytes);
        }
        let mut root = pointer;
        while root.is_address_computation() {
            root = root.operand(0);
        }
        match root.allocated_type().or_else(|| root.defined_variable()) {
            Some(ty) => (abi.widen(&self.builder, root), module.alloc_size(ty)),
            None => (address, 0),
        }
    }

    /// The member of a struct that an address was computed for.
    fn member(&self, address: Value) -> Option<Member> {
        if !address.is_address_computation() {
            return None;
        }
        let module = self.unit.module;
        let (mut ty, mut member) = (address.source_element_type(), None);
        for index in address.operands().into_iter().skip(2) {
            let index = index.as_constant()?;
            if ty.kind() == TypeKind::LLVMStructTypeKind {
                ty = *ty.fields().get(index as usize)?;
                // The last member of a struct may be declared shorter than it is.
                let is_whole = ty.kind() != TypeKind::LLVMArrayTypeKind || ty.array().1 > 1;
                member = is_whole.then(|| Member { offset: 0, bytes: module.alloc_size(ty) });
            } else {
                ty = ty.element();
                let distance = index.wrapping_mul(module.alloc_size(ty));
                member = member.map(|m: Member| Member { offset: m.offset.wrapping_add(distance), ..m });
            }
        }
        member
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
}

fn may_point_to_labels(argument: Value) -> bool {
    argument.ty().kind() == TypeKind::LLVMPointerTypeKind
        && !argument.is_function()
        && !argument.is_null()
        && !is_constant_data(argument)
}
