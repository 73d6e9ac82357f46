//! Calls of code that may have no instrumentation.
//!
//! The callee shows that it has none when it returns: instrumented functions leave their tag. If one that did not was given
//! something symbolic, as an argument or in memory that an argument leads to, whatever it computes from that is not in the
//! path: it is counted, and named in diagnosis. The memory is searched before the call, since the callee may free it or
//! change the pointers that lead there. Calls of functions that have left their tag before skip the search, so that calls
//! between instrumented units pay for no more than two comparisons. The pass says which variable a pointer points into, or
//! which member of a struct; of the rest the runtime finds the object (`runtime/src/uninstrumented_calls.rs`).
//!
//! ```text
//! head: if Tls::instrumented has no entry for the callee: look, else call
//! look: label = __cairn_behind(0, pointer, start, size), for each pointer
//! call: found = 0 or the label; call
//! rest: if the callee is new or has left no tag: __cairn_uninstrumented(site, callee, found)
//! ```

use super::abi::WRAPPER_PREFIX;
use super::calls::after;
use super::function::FunctionPass;
use super::outputs::{self, Output};
use super::sinks::{REPLACES, ignores_memory, is_sink};
use super::sites::SiteRef;
use super::taint::is_constant_data;
use crate::llvm::{Block, Opcode, Predicate, TypeKind, Value};
use cairn_wire::Loss;

/// What stands for the name of a function that is called through a pointer.
const THROUGH_POINTER: &str = "(through a pointer)";
/// Names of the runtime's own functions and of what users call in it begin so.
pub const OWN_PREFIXES: [&str; 3] = ["__cairn_", "cairn_", WRAPPER_PREFIX];

/// What a call gives to its callee.
pub struct HandedOver {
    /// A label among those of its arguments, 0 if none has one.
    label: Option<Value>,
    /// Result of the search behind its pointers.
    behind: Option<Behind>,
}

/// Result of a search of the memory that a call hands over.
struct Behind {
    /// A label that was found, or 0.
    label: Value,
    /// True if the callee has left no tag so far, so that there was a search.
    is_new: Value,
}

/// A member of a struct: how far behind its start an address is, and its size.
struct Member {
    offset: u64,
    bytes: u64,
}

impl FunctionPass<'_> {
    /// Collects what a call hands to code that may have no instrumentation, before the call. None if there is no such
    /// thing, or if the callee does not return: what it is given is then counted at once or not at all.
    pub fn handed_over(&mut self, block: Block, call: Value) -> Option<HandedOver> {
        let name = self.foreign_name(call)?;
        after(call).filter(|next| next.opcode() != Opcode::LLVMUnreachable)?;
        let arguments = call.arguments();
        let label = self.any_label(&arguments);
        let output = outputs::find(&name);
        let pointers = match &output {
            _ if ignores_memory(&name) => Vec::new(),
            Some(output) => pointers(&output.data(&arguments)),
            None => pointers(&arguments),
        };
        if REPLACES.contains(&&*name) {
            // It comes back only if it fails.
            let site = self.sites.foreign(self.found.index, call, &name);
            self.lose_behind(site, label.unwrap_or(self.unit.abi.concrete), &pointers, Loss::Foreign);
            return None;
        }
        let behind = (!pointers.is_empty()).then(|| self.look_behind(block, call, &pointers));
        let has_list = output.is_some_and(|output| output.has_list());
        (label.is_some() || behind.is_some() || has_list).then_some(HandedOver { label, behind })
    }

    /// One of the labels of some values, 0 if all are concrete; None if they always are.
    fn any_label(&self, values: &[Value]) -> Option<Value> {
        let labels = values.iter().filter_map(|value| self.labels.get(value)).flatten().copied();
        let labels = labels.filter(|label| *label != self.unit.abi.concrete);
        labels.reduce(|a, b| self.larger(a, b))
    }

    /// The larger of two labels is one of them, and 0 only if both are.
    fn larger(&self, a: Value, b: Value) -> Value {
        let larger = self.builder.compare(Predicate::LLVMIntUGT, a, b);
        self.builder.select(larger, a, b)
    }

    /// Counts a label, or one in the memory behind pointers, as lost; at the builder's position.
    pub fn lose_behind(&self, site: SiteRef, label: Value, pointers: &[Value], why: Loss) {
        let found = self.search(label, pointers);
        let why = self.unit.module.constant(32, why as u64);
        self.builder.call(self.unit.abi.lost, &[self.record(site), found, why]);
    }

    /// Searches the memory behind pointers for a label, if the callee has left no tag so far.
    fn look_behind(&mut self, block: Block, call: Value, pointers: &[Value]) -> Behind {
        let (module, abi) = (self.unit.module, self.unit.abi);
        let head = self.cut(block, call);
        let look = module.block_at_end(self.function);
        self.builder.at_end(head);
        let callee = abi.widen(&self.builder, call.callee());
        let entry = self.builder.load(abi.word, abi.instrumented(module, &self.builder, callee), 8);
        let is_new = self.builder.compare(Predicate::LLVMIntNE, entry, callee);
        module.mark_unlikely(self.builder.branch(is_new, look, block));
        self.builder.at_end(look);
        let found = self.search(abi.concrete, pointers);
        self.builder.jump(block);
        self.builder.before(call);
        let label = self.builder.phi(abi.label);
        label.add_incoming(&[(abi.concrete, head), (found, look)]);
        Behind { label, is_new }
    }

    /// The given label or, if that is 0, one in the memory behind pointers.
    fn search(&self, label: Value, pointers: &[Value]) -> Value {
        let (module, abi) = (self.unit.module, self.unit.abi);
        pointers.iter().fold(label, |label, pointer| {
            let (start, bytes) = self.region(*pointer);
            let pointer = abi.widen(&self.builder, *pointer);
            self.builder.call(abi.behind, &[label, pointer, start, module.constant(64, bytes)])
        })
    }

    /// After the call: tells the runtime what a callee was given that has left no tag, or what has left its first.
    pub fn tell_foreign(&mut self, call: Value, handed: &HandedOver) {
        let (Some(name), Some(next)) = (self.foreign_name(call), after(call)) else { return };
        let block = next.block();
        let (module, abi) = (self.unit.module, self.unit.abi);
        let site = self.sites.foreign(self.found.index, call, &name);
        let head = self.cut(block, next);
        let told = module.block_at_end(self.function);
        self.builder.at_end(head);
        let output = outputs::find(&name);
        let suspected = self.is_suspected(call, handed, output.as_ref());
        module.mark_unlikely(self.builder.branch(suspected, told, block));
        self.builder.at_end(told);
        let labels = handed.label.into_iter().chain(handed.behind.as_ref().map(|behind| behind.label));
        let label = labels.reduce(|a, b| self.larger(a, b)).unwrap_or(abi.concrete);
        match output {
            Some(output) => self.tell_output(call, label, &output, self.record(site)),
            None => {
                let callee = abi.widen(&self.builder, call.callee());
                self.builder.call(abi.foreign, &[self.record(site), callee, label]);
            }
        }
        self.builder.jump(block);
    }

    /// True if the callee has left no tag, or its first one; the latter is of no use for functions that print, which are
    /// rarely the program's own.
    fn is_suspected(&self, call: Value, handed: &HandedOver, output: Option<&Output>) -> Value {
        let (module, abi) = (self.unit.module, self.unit.abi);
        let returned = abi.has_returned(module, &self.builder, call.callee());
        let foreign = self.builder.binary(Opcode::LLVMXor, returned, module.constant(1, 1));
        if output.is_some() {
            return foreign;
        }
        match (&handed.behind, handed.label) {
            (Some(behind), _) => self.builder.binary(Opcode::LLVMOr, foreign, behind.is_new),
            (None, Some(label)) => {
                let any = self.builder.compare(Predicate::LLVMIntNE, label, abi.concrete);
                self.builder.binary(Opcode::LLVMAnd, foreign, any)
            }
            (None, None) => foreign,
        }
    }

    /// Start of the variable, or of the member of a struct, that a pointer points into, and its size; size 0 if the types
    /// do not say.
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

/// Those of some values that may point to memory with labels.
pub fn pointers(values: &[Value]) -> Vec<Value> {
    values.iter().map(|value| as_pointer(*value)).filter(|value| may_point_to_labels(*value)).collect()
}

/// The pointer that an integer was made of; other values as they are.
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
