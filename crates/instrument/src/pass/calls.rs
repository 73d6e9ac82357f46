//! Calls: labels of arguments and results through thread-local memory, memory intrinsics through the runtime.
//!
//! The protocol is that of [`cairn_wire::tls`]:
//!
//! ```text
//! caller  store the argument labels and the tag (the callee's address); call;
//!         load the result labels if the tag is the callee's address + RETURNED, otherwise 0
//! callee  on entry, load the argument labels if the tag is its own address, otherwise 0;
//!         before returning, store the result labels and the tag (its address + RETURNED)
//! ```
//!
//! Calls between functions of a unit that only instrumented code can call omit the tag.

use super::function::FunctionPass;
use super::intrinsics::Intrinsic;
use super::modelled::EXPRESSED;
use super::segment::{Action, Segment};
use super::sinks::{JUMPS, RELEASES, is_sink};
use super::sites::is_address_taken;
use super::text_hash::text_hash;
use super::types::{leaves, scalar_width};
use super::uninstrumented_calls::OWN_PREFIXES;
use crate::llvm::{Block, Module, Opcode, Predicate, TypeKind, Value};
use crate::symbols::WRAPPER_PREFIX;
use cairn_wire::tls::{MAX_ARGS, MAX_BYVAL, MAX_RESULTS};
use cairn_wire::{Loss, Op};
use std::ffi::c_int;

/// Function of glibc that returns the address of `errno`.
const ERRNO: &str = "__errno_location";

/// Size of `va_list` on x86-64.
pub const VA_LIST_SIZE: u64 = 24;

impl FunctionPass<'_> {
    /// Emits the prologue: labels of the parameters.
    pub fn emit_prologue(&mut self, block: Block, first: Option<Value>) {
        let Some(first) = first else { return };
        self.builder.before(first);
        let module = self.unit.module;
        let params = self.function.params();
        let is_tagged = self.tag_matches(&params);
        for (param, slot) in params.iter().zip(argument_slots(module, &params)) {
            if self.labelled.contains(param) {
                let labels = (slot..slot + self.scalars(*param)).map(|slot| self.argument(slot, is_tagged));
                let labels = labels.collect();
                self.labels.insert(*param, labels);
                if is_tagged.is_some() {
                    self.unvalidated.entry(block).or_default().push(*param);
                }
            }
        }
        self.receive_byval(&params);
        self.receive_variadic();
        if is_tagged.is_some() && is_address_taken(self.function) {
            // The next caller may be the kernel (a signal handler), which sets no tag.
            self.set_tag(module.constant(64, 0));
        }
    }

    fn argument(&self, slot: usize, is_tagged: Option<Value>) -> Value {
        let (module, abi) = (self.unit.module, self.unit.abi);
        if slot >= MAX_ARGS {
            return abi.concrete;
        }
        let label = self.builder.load(abi.label, abi.arg(module, slot), 4);
        is_tagged.map_or(label, |is_tagged| self.builder.select(is_tagged, label, abi.concrete))
    }

    /// Emits the test that the argument labels are for this function; `None` for private functions, where
    /// they always are.
    fn tag_matches(&self, params: &[Value]) -> Option<Value> {
        let any = params.iter().any(|p| self.labelled.contains(p));
        let private = self.unit.private.contains(&self.function);
        (any && !private).then(|| self.unit.abi.is_called(self.unit.module, &self.builder, self.function))
    }

    fn receive_byval(&mut self, params: &[Value]) {
        let (module, abi) = (self.unit.module, self.unit.abi);
        let mut slot = 0;
        for (index, param) in params.iter().enumerate() {
            let Some(ty) = self.function.byval_type(index as u32) else { continue };
            let function = self.builder.ptr_to_int(self.function, abi.word);
            let copy = abi.widen(&self.builder, *param);
            let size = module.constant(64, module.store_size(ty));
            self.builder.call(abi.byval, &[function, module.constant(32, slot), copy, size]);
            slot += 1;
        }
    }

    /// Emits the epilogue: labels of the result, and the tag.
    pub fn emit_epilogue(&mut self, ret: Value) {
        self.builder.before(ret);
        if let Some(value) = ret.operands().first().copied().filter(|v| self.labelable(*v)) {
            self.store_result_labels(value);
        }
        if !self.unit.private.contains(&self.function) {
            self.set_tag(self.unit.abi.returned(self.unit.module, &self.builder, self.function));
        }
    }

    fn store_result_labels(&mut self, value: Value) {
        let (module, abi) = (self.unit.module, self.unit.abi);
        for (index, label) in self.labels_of(value).into_iter().enumerate().take(MAX_RESULTS) {
            self.builder.store(label, abi.result(module, index));
        }
    }

    fn set_tag(&self, tag: Value) {
        self.builder.store(tag, self.unit.abi.tag(self.unit.module));
    }

    /// Instruments a call of a function that is no intrinsic.
    pub fn ordinary_call(&mut self, block: Block, call: Value, segment: &mut Segment) {
        let callee = call.callee();
        self.concretize(call, callee, segment);
        self.concretize_arguments(call, segment);
        self.lose_excess_arguments(block, call, segment);
        self.concretize_output_arguments(call, segment);
        self.close(block, segment, call);
        if !callee.is_function() {
            self.report_indirect_call(block, call);
        }
        self.builder.before(call);
        self.report_errno(call);
        if callee.is_function() && !callee.is_declaration() && callee.has_attribute("naked") {
            // A naked function has no prologue that could report it, see `report_unfollowed_entry`.
            self.builder.call(self.unit.abi.unfollowed, &[]);
        }
        self.invalidate_destinations(call);
        self.report_unmodelled_input(call);
        let passed_labels = self.passed_labels(block, call);
        self.pass_arguments(call);
        if !self.unit.private.contains(&callee) {
            self.set_tag(self.builder.ptr_to_int(callee, self.unit.abi.word));
        }
        if let Some(passed_labels) = passed_labels {
            self.report_uninstrumented_call(call, &passed_labels);
        }
        let is_used = !call.users().is_empty();
        if self.labelled.contains(&call) && is_used {
            self.load_result_labels(call, segment);
        }
    }

    /// Concretizes arguments on which the rest of the path depends although the callee returns no label for
    /// them.
    fn concretize_arguments(&mut self, call: Value, segment: &mut Segment) {
        let callee = call.callee();
        if !callee.is_function() {
            return;
        }
        let is_answer_concrete = self.unit.is_model && is_library_function(callee) && !is_expressed(callee);
        // After the jump `setjmp` returns the second argument.
        let (jumps, releases) = (JUMPS.contains(&&*callee.name()), RELEASES.contains(&&*callee.name()));
        for (argument, index) in call.arguments().into_iter().zip(0..) {
            if is_answer_concrete && is_integer_or_pointer(argument)
                || jumps && index > 0
                || releases && index == 0
            {
                self.concretize(call, argument, segment);
            }
        }
    }

    /// Emits a report that the program reads or writes `errno`, which functions of `<math.h>` set as well.
    fn report_errno(&self, call: Value) {
        let callee = call.callee();
        if self.unit.is_model || !callee.is_function() || callee.name() != ERRNO {
            return;
        }
        let is_set = |user: Value| user.opcode() == Opcode::LLVMStore && user.operand(1) == call;
        let is_set = call.users().into_iter().all(is_set);
        self.builder.call(self.unit.abi.errno, &[self.unit.module.constant(32, is_set.into())]);
    }

    /// Records losses of argument labels beyond the slots of the thread-local block.
    fn lose_excess_arguments(&mut self, block: Block, call: Value, segment: &mut Segment) {
        let (callee, arguments) = (call.callee(), call.arguments());
        // Each argument has at most as many scalars as a result.
        let have_room = arguments.len() <= MAX_BYVAL.min(MAX_ARGS / MAX_RESULTS);
        if have_room || callee.is_function() && is_sink(&callee.name()) {
            return;
        }
        let slots = argument_slots(self.unit.module, &arguments);
        let mut copies = 0;
        for ((argument, slot), index) in arguments.into_iter().zip(slots).zip(0..) {
            if let Some(ty) = call.call_byval_type(index) {
                copies += 1;
                if copies > MAX_BYVAL {
                    if segment.stored {
                        self.close(block, segment, call);
                    }
                    self.lose_memory(call, argument, ty, Loss::Arguments, segment);
                }
            } else if slot + self.scalars(argument) > MAX_ARGS {
                self.lose(call, &[argument], Loss::Arguments, segment);
            }
        }
    }

    /// Emits a report of an indirect call's target, guarded by the runtime's flag.
    fn report_indirect_call(&mut self, block: Block, call: Value) {
        let (module, abi) = (self.unit.module, self.unit.abi);
        let head = self.split_before(block, call);
        let report = module.block_at_end(self.function);
        self.builder.at_end(head);
        let logging = self.builder.load(abi.word, abi.logging(module), 8);
        let logging = self.builder.compare(Predicate::LLVMIntNE, logging, module.constant(64, 0));
        module.mark_unlikely(self.builder.branch(logging, report, block));
        self.builder.at_end(report);
        let hash = module.constant(64, text_hash(&call.callee_type().text()));
        self.builder.call(abi.callee, &[hash, abi.widen(&self.builder, call.callee())]);
        self.builder.jump(block);
    }

    fn pass_arguments(&mut self, call: Value) {
        let (module, abi) = (self.unit.module, self.unit.abi);
        let arguments = call.arguments();
        let slots = argument_slots(module, &arguments);
        let mut copies = 0..MAX_BYVAL;
        for ((argument, slot), index) in arguments.into_iter().zip(slots).zip(0..) {
            if call.call_byval_type(index).is_some() {
                if let Some(copy) = copies.next() {
                    let origin = abi.widen(&self.builder, argument);
                    self.builder.store(origin, abi.byval_slot(module, copy));
                }
            } else if self.labelable(argument) {
                let labels = match self.extension(call, index) {
                    Some(op) => vec![self.extended(argument, op)],
                    None => self.labels_of(argument),
                };
                for (label, slot) in labels.into_iter().zip(slot..MAX_ARGS) {
                    self.builder.store(label, abi.arg(module, slot));
                }
            }
        }
        if call.callee_type().is_variadic() {
            self.emit_argument_layout(call);
        }
    }

    /// Returns the extension of a narrow argument to `int` that a model's parameter needs: the model is
    /// compiled with an `int` parameter, while the caller may pass a label of the narrow value.
    fn extension(&self, call: Value, argument: u32) -> Option<Op> {
        let (callee, value) = (call.callee(), call.arguments()[argument as usize]);
        let width = scalar_width(value.ty())?;
        let is_library = callee.is_function() && callee.name().starts_with(WRAPPER_PREFIX);
        if !is_library || width >= c_int::BITS || !self.labelled.contains(&value) {
            return None;
        }
        if call.has_argument_attribute(argument, "signext") { Some(Op::SExt) } else { Some(Op::ZExt) }
    }

    /// Emits the label of a narrow integer extended to `int`.
    fn extended(&self, value: Value, op: Op) -> Value {
        let (module, abi) = (self.unit.module, self.unit.abi);
        let int = module.int(c_int::BITS);
        let wide = match op {
            Op::SExt => self.builder.sext(value, int),
            _ => self.builder.zext(value, int),
        };
        let code = module.constant(32, u64::from(op as u32 | c_int::BITS << 8));
        self.builder.call(abi.cast, &[code, self.label_of(value), self.builder.zext(wide, abi.word)])
    }

    /// Emits, after the call, the loads of its result labels; they count only if the callee was instrumented.
    fn load_result_labels(&mut self, call: Value, segment: &mut Segment) {
        let (module, abi) = (self.unit.module, self.unit.abi);
        let Some(next) = after(call) else { return };
        self.builder.before(next);
        let callee = call.callee();
        let private = self.unit.private.contains(&callee);
        let from_callee = (!private).then(|| abi.has_returned(module, &self.builder, callee));
        let count = leaves(module, call.ty()).map_or(0, |all| all.len());
        let labels = (0..count).map(|index| {
            let label = self.builder.load(abi.label, abi.result(module, index), 4);
            match from_callee {
                Some(from_callee) => self.builder.select(from_callee, label, abi.concrete),
                None => label,
            }
        });
        let labels = labels.collect();
        self.labels.insert(call, labels);
        if self.has_matching_callee(call) {
            return;
        }
        match call.opcode() {
            Opcode::LLVMInvoke => {
                self.unvalidated.entry(call.normal_destination()).or_default().push(call);
            }
            _ => segment.actions.push(Action::Validate(call)),
        }
    }

    /// True if the call is of an instrumented function of this unit by its own type, so that both sides agree
    /// on the labels.
    fn has_matching_callee(&self, call: Value) -> bool {
        let callee = call.callee();
        self.unit.instrumented.contains(&callee) && callee.function_type() == call.callee_type()
    }

    /// Instruments `memcpy`, `memset`, `va_start` and similar intrinsics.
    pub fn memory_intrinsic(&mut self, block: Block, call: Value, kind: Intrinsic, segment: &mut Segment) {
        for (index, argument) in call.arguments().into_iter().enumerate() {
            if kind != Intrinsic::Fill || index != 1 {
                self.concretize(call, argument, segment);
            }
        }
        self.close(block, segment, call);
        self.builder.before(call);
        let (module, abi) = (self.unit.module, self.unit.abi);
        let word = |index| abi.widen(&self.builder, call.operand(index));
        match kind {
            Intrinsic::Copy => {
                self.builder.call(abi.copy, &[word(0), word(1), word(2)]);
            }
            Intrinsic::Fill => {
                self.builder.call(abi.fill, &[word(0), self.label_of(call.operand(1)), word(2)]);
            }
            Intrinsic::VaCopy => {
                let size = module.constant(64, VA_LIST_SIZE);
                self.builder.call(abi.copy, &[word(0), word(1), size]);
            }
            _ => {
                let size = module.constant(64, VA_LIST_SIZE);
                self.builder.call(abi.clear, &[word(0), size]);
            }
        }
    }
}

/// True if a function that a model calls is neither a model nor part of the runtime.
fn is_library_function(callee: Value) -> bool {
    let name = callee.name();
    callee.is_declaration() && !OWN_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// True for integers and pointers; models of functions that take floats concretize these themselves.
fn is_integer_or_pointer(argument: Value) -> bool {
    matches!(argument.ty().kind(), TypeKind::LLVMIntegerTypeKind | TypeKind::LLVMPointerTypeKind)
}

fn is_expressed(callee: Value) -> bool {
    EXPRESSED.contains(&&*callee.name())
}

/// Returns the instruction that is executed after a call has returned.
pub fn after(call: Value) -> Option<Value> {
    match call.opcode() {
        // The block has no other predecessor, see `split_invokes`.
        Opcode::LLVMInvoke => call.normal_destination().first(),
        _ => call.next(),
    }
}

/// Returns the first label slot of each argument: one slot per scalar.
pub fn argument_slots(module: &Module, arguments: &[Value]) -> Vec<usize> {
    let mut next = 0;
    let slot = |argument: &Value| {
        let slot = next;
        next += leaves(module, argument.ty()).map_or(1, |all| all.len());
        slot
    };
    arguments.iter().map(slot).collect()
}
