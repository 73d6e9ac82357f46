//! Calls of functions that may be uninstrumented.
//!
//! A callee shows on return whether it is instrumented: then it has set its tag. If a callee without one was
//! given a labelled value, as an argument or in memory reachable from an argument, its computations are not
//! in the path: the loss is counted, and named by diagnosis. The memory is searched before the call, since
//! the callee may free it or change the pointers to it. Callees that have set their tag before skip the
//! search, so that calls between instrumented units cost two comparisons. The pass passes the bounds of the
//! variable or struct member that a pointer points into; for others the runtime looks up the object
//! (`runtime/src/uninstrumented_calls.rs`).
//!
//! ```text
//! head:   if Tls::instrumented has no entry for the callee: search, else call
//! search: label = __cairn_reachable_label(0, pointer, start, size), for each pointer
//! call:   found = 0 or the label; call
//! rest:   if the callee is new or has set no tag: __cairn_uninstrumented(site, callee, found)
//! ```

use super::calls::after;
use super::function::FunctionPass;
use super::outputs::{self, Output};
use super::sinks::{REPLACES, is_sink, reads_memory};
use super::sites::SiteRef;
use super::taint::is_constant_data;
use crate::llvm::{Block, Opcode, Predicate, TypeKind, Value};
use crate::symbols::WRAPPER_PREFIX;
use cairn_wire::Loss;

/// Name that stands for the callee of an indirect call.
const THROUGH_POINTER: &str = "(through a pointer)";
/// Prefixes of the runtime's functions and of those that users call in it.
pub const OWN_PREFIXES: [&str; 3] = ["__cairn_", "cairn_", WRAPPER_PREFIX];

/// Labels that a call passes to its callee.
pub struct PassedLabels {
    /// One of the arguments' labels, 0 if none has one.
    label: Option<Value>,
    /// Result of the search of the memory behind its pointers.
    memory: Option<MemorySearch>,
}

/// Result of a search of the memory that a call passes by pointer.
struct MemorySearch {
    /// A label that was found, or 0.
    label: Value,
    /// True if the callee has set no tag so far, so that memory was searched.
    is_new: Value,
}

/// A member of a struct: the offset of an address in it, and its size.
struct Member {
    offset: u64,
    bytes: u64,
}

impl FunctionPass<'_> {
    /// Emits, before a call, code that finds the labels passed to a callee that may be uninstrumented.
    /// Returns `None` if there can be none, or if the callee does not return: then they are counted here or
    /// not at all.
    pub fn passed_labels(&mut self, block: Block, call: Value) -> Option<PassedLabels> {
        let name = self.uninstrumented_name(call)?;
        after(call).filter(|next| next.opcode() != Opcode::LLVMUnreachable)?;
        let arguments = call.arguments();
        let label = self.any_label(&arguments);
        let output = outputs::find(&name);
        let data = match &output {
            Some(output) => output.data(&arguments),
            None => {
                let read = (0..).zip(&arguments).filter(|(index, _)| reads_memory(&name, *index));
                read.map(|(_, argument)| *argument).collect()
            }
        };
        let pointers = pointers(&data);
        if REPLACES.contains(&&*name) {
            // It returns only if it fails.
            let site = self.sites.uninstrumented(self.found.index, call, &name);
            self.lose_reachable(site, label.unwrap_or(self.unit.abi.concrete), &pointers, Loss::Foreign);
            return None;
        }
        let memory = (!pointers.is_empty()).then(|| self.search_before_call(block, call, &pointers));
        let has_list = output.is_some_and(|output| output.has_list());
        (label.is_some() || memory.is_some() || has_list).then_some(PassedLabels { label, memory })
    }

    /// Emits one of the labels of some values, 0 if all are concrete; `None` if they always are.
    fn any_label(&self, values: &[Value]) -> Option<Value> {
        let labels = values.iter().filter_map(|value| self.labels.get(value)).flatten().copied();
        let labels = labels.filter(|label| *label != self.unit.abi.concrete);
        labels.reduce(|a, b| self.larger(a, b))
    }

    /// Emits the larger of two labels: one of them, and 0 only if both are.
    fn larger(&self, a: Value, b: Value) -> Value {
        let larger = self.builder.compare(Predicate::LLVMIntUGT, a, b);
        self.builder.select(larger, a, b)
    }

    /// Records a loss of a label, or of one in the memory behind pointers; at the builder's position.
    pub fn lose_reachable(&self, site: SiteRef, label: Value, pointers: &[Value], reason: Loss) {
        let found = self.search(label, pointers);
        let reason = self.unit.module.constant(32, reason as u64);
        self.builder.call(self.unit.abi.lost, &[self.record(site), found, reason]);
    }

    /// Emits a search of the memory behind pointers, skipped if the callee has set its tag before.
    fn search_before_call(&mut self, block: Block, call: Value, pointers: &[Value]) -> MemorySearch {
        let (module, abi) = (self.unit.module, self.unit.abi);
        let head = self.split_before(block, call);
        let search = module.block_at_end(self.function);
        self.builder.at_end(head);
        let callee = abi.widen(&self.builder, call.callee());
        let entry = self.builder.load(abi.word, abi.instrumented(module, &self.builder, callee), 8);
        let is_new = self.builder.compare(Predicate::LLVMIntNE, entry, callee);
        module.mark_unlikely(self.builder.branch(is_new, search, block));
        self.builder.at_end(search);
        let found = self.search(abi.concrete, pointers);
        self.builder.jump(block);
        self.builder.before(call);
        let label = self.builder.phi(abi.label);
        label.add_incoming(&[(abi.concrete, head), (found, search)]);
        MemorySearch { label, is_new }
    }

    /// Emits the given label or, if that is 0, one found in the memory behind pointers.
    fn search(&self, label: Value, pointers: &[Value]) -> Value {
        let (module, abi) = (self.unit.module, self.unit.abi);
        pointers.iter().fold(label, |label, pointer| {
            let (start, bytes) = self.region(*pointer);
            let pointer = abi.widen(&self.builder, *pointer);
            self.builder.call(abi.search_memory, &[label, pointer, start, module.constant(64, bytes)])
        })
    }

    /// Emits, after the call, the report of labels that an uninstrumented callee was given, or of a callee's
    /// first tag.
    pub fn report_uninstrumented_call(&mut self, call: Value, passed: &PassedLabels) {
        let (Some(name), Some(next)) = (self.uninstrumented_name(call), after(call)) else { return };
        let block = next.block();
        let (module, abi) = (self.unit.module, self.unit.abi);
        let site = self.sites.uninstrumented(self.found.index, call, &name);
        let head = self.split_before(block, next);
        let report = module.block_at_end(self.function);
        self.builder.at_end(head);
        let output = outputs::find(&name);
        let needs_report = self.needs_report(call, passed, output.as_ref());
        module.mark_unlikely(self.builder.branch(needs_report, report, block));
        self.builder.at_end(report);
        let labels = passed.label.into_iter().chain(passed.memory.as_ref().map(|memory| memory.label));
        let label = labels.reduce(|a, b| self.larger(a, b)).unwrap_or(abi.concrete);
        match output {
            Some(output) => self.report_output(call, label, &output, self.record(site)),
            None => {
                let callee = abi.widen(&self.builder, call.callee());
                self.builder.call(abi.uninstrumented, &[self.record(site), callee, label]);
            }
        }
        self.builder.jump(block);
    }

    /// Emits the test that the callee has set no tag, or its first one; the latter is omitted for output
    /// functions, which are rarely the program's own.
    fn needs_report(&self, call: Value, passed: &PassedLabels, output: Option<&Output>) -> Value {
        let (module, abi) = (self.unit.module, self.unit.abi);
        let returned = abi.has_returned(module, &self.builder, call.callee());
        let is_uninstrumented = self.builder.binary(Opcode::LLVMXor, returned, module.constant(1, 1));
        if output.is_some() {
            return is_uninstrumented;
        }
        match (&passed.memory, passed.label) {
            (Some(memory), _) => self.builder.binary(Opcode::LLVMOr, is_uninstrumented, memory.is_new),
            (None, Some(label)) => {
                let any = self.builder.compare(Predicate::LLVMIntNE, label, abi.concrete);
                self.builder.binary(Opcode::LLVMAnd, is_uninstrumented, any)
            }
            (None, None) => is_uninstrumented,
        }
    }

    /// Returns the start and size of the variable, or struct member, that a pointer points into; size 0 if
    /// the types do not tell.
    fn region(&self, pointer: Value) -> (Value, u64) {
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

    /// Returns the struct member that an address was computed for.
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
                // A trailing array of length 0 or 1 may be a flexible array member.
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

    /// Returns the name of a callee that may be uninstrumented; `None` for calls in models, which handle the
    /// library's results themselves.
    fn uninstrumented_name(&self, call: Value) -> Option<String> {
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

/// Returns those values that may point to memory with labels.
pub fn pointers(values: &[Value]) -> Vec<Value> {
    values.iter().map(|value| as_pointer(*value)).filter(|value| may_point_to_labels(*value)).collect()
}

/// Returns the pointer that an integer was converted from; other values as they are.
fn as_pointer(value: Value) -> Value {
    match value.is_instruction() && value.opcode() == Opcode::LLVMPtrToInt {
        true => value.operand(0),
        false => value,
    }
}

fn may_point_to_labels(argument: Value) -> bool {
    argument.ty().kind() == TypeKind::LLVMPointerTypeKind
        && !argument.is_function()
        && !argument.is_null()
        && !is_constant_data(argument)
}
