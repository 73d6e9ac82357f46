//! Labels across calls: arguments and results through thread-local memory, memory intrinsics through
//! the runtime.

use super::abi::WRAPPER_PREFIX;
use super::function::FunctionPass;
use super::intrinsics::Intrinsic;
use super::modelled::EXPRESSED;
use super::segment::{Action, Segment};
use super::sinks::{JUMPS, RELEASES, is_sink};
use super::sites::{is_address_taken, type_hash};
use super::types::{leaves, scalar_width};
use super::uninstrumented_calls::OWN_PREFIXES;
use crate::llvm::{Block, Module, Opcode, Predicate, TypeKind, Value};
use cairn_wire::tls::{MAX_ARGS, MAX_BYVAL, MAX_RESULTS};
use cairn_wire::{Loss, Op};
use std::ffi::c_int;

/// Gives the address of `errno`.
const ERRNO: &str = "__errno_location";

/// Size of `va_list` on x86-64.
pub const VA_LIST_SIZE: u64 = 24;

impl FunctionPass<'_> {
    /// The beginning of the function: labels of the parameters.
    pub fn enter(&mut self, block: Block, first: Option<Value>) {
        let Some(first) = first else { return };
        self.builder.before(first);
        let module = self.unit.module;
        let params = self.function.params();
        let for_us = self.meant_for_us(&params);
        for (param, slot) in params.iter().zip(argument_slots(module, &params)) {
            if self.labelled.contains(param) {
                let labels = (slot..slot + self.scalars(*param)).map(|slot| self.argument(slot, for_us));
                let labels = labels.collect();
                self.labels.insert(*param, labels);
                if for_us.is_some() {
                    self.arriving.entry(block).or_default().push(*param);
                }
            }
        }
        self.enter_byval(&params);
        self.enter_variadic();
        if for_us.is_some() && is_address_taken(self.function) {
            // Whoever calls it next may be the kernel, which sets no tag.
            self.set_tag(module.constant(64, 0));
        }
    }

    fn argument(&self, slot: usize, for_us: Option<Value>) -> Value {
        let (module, abi) = (self.unit.module, self.unit.abi);
        if slot >= MAX_ARGS {
            return abi.concrete;
        }
        let label = self.builder.load(abi.label, abi.arg(module, slot), 4);
        for_us.map_or(label, |for_us| self.builder.select(for_us, label, abi.concrete))
    }

    /// Whether the labels were left for this function; `None` where that goes without saying.
    fn meant_for_us(&self, params: &[Value]) -> Option<Value> {
        let any = params.iter().any(|p| self.labelled.contains(p));
        let private = self.unit.private.contains(&self.function);
        (any && !private).then(|| self.unit.abi.is_called(self.unit.module, &self.builder, self.function))
    }

    fn enter_byval(&mut self, params: &[Value]) {
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

    /// The end of the function: labels of the result, and the tag, which also says that we were here.
    pub fn leave(&mut self, ret: Value) {
        self.builder.before(ret);
        if let Some(value) = ret.operands().first().copied().filter(|v| self.labelable(*v)) {
            self.give_results(value);
        }
        if !self.unit.private.contains(&self.function) {
            self.set_tag(self.unit.abi.returned(self.unit.module, &self.builder, self.function));
        }
    }

    fn give_results(&mut self, value: Value) {
        let (module, abi) = (self.unit.module, self.unit.abi);
        for (index, label) in self.labels_of(value).into_iter().enumerate().take(MAX_RESULTS) {
            self.builder.store(label, abi.result(module, index));
        }
    }

    fn set_tag(&self, tag: Value) {
        self.builder.store(tag, self.unit.abi.tag(self.unit.module));
    }

    /// A call of a function: known or not, instrumented or not.
    pub fn ordinary_call(&mut self, block: Block, call: Value, segment: &mut Segment) {
        let callee = call.callee();
        self.pin(call, callee, segment);
        self.concretize_arguments(call, segment);
        self.lose_beyond(block, call, segment);
        self.pin_output(call, segment);
        self.close(block, segment, call);
        if !callee.is_function() {
            self.tell_callee(block, call);
        }
        self.builder.before(call);
        self.tell_errno(call);
        if callee.is_function() && !callee.is_declaration() && callee.has_attribute("naked") {
            // There is no place for it in the function itself, see `tell_unfollowed`.
            self.builder.call(self.unit.abi.unfollowed, &[]);
        }
        self.forget_destinations(call);
        let handed_over = self.handed_over(block, call);
        self.pass_arguments(call);
        if !self.unit.private.contains(&callee) {
            self.set_tag(self.builder.ptr_to_int(callee, self.unit.abi.word));
        }
        if let Some(handed_over) = handed_over {
            self.tell_foreign(call, &handed_over);
        }
        let is_used = !call.users().is_empty();
        if self.labelled.contains(&call) && is_used {
            self.take_results(call, segment);
        }
    }

    /// Concretizes arguments on which it depends how the program goes on, though the library hands no label along.
    fn concretize_arguments(&mut self, call: Value, segment: &mut Segment) {
        let callee = call.callee();
        if !callee.is_function() {
            return;
        }
        let is_answer_concrete = self.unit.is_model && is_library_function(callee) && !is_expressed(callee);
        // Where a jump ends, `setjmp` returns its second argument.
        let (jumps, releases) = (JUMPS.contains(&&*callee.name()), RELEASES.contains(&&*callee.name()));
        for (argument, index) in call.arguments().into_iter().zip(0..) {
            if is_answer_concrete && is_integer_or_pointer(argument)
                || jumps && index > 0
                || releases && index == 0
            {
                self.pin(call, argument, segment);
            }
        }
    }

    /// Tells the runtime that the program reads or sets `errno`, which functions of `<math.h>` set as well.
    fn tell_errno(&self, call: Value) {
        let callee = call.callee();
        if self.unit.is_model || !callee.is_function() || callee.name() != ERRNO {
            return;
        }
        let is_set = |user: Value| user.opcode() == Opcode::LLVMStore && user.operand(1) == call;
        let is_set = call.users().into_iter().all(is_set);
        self.builder.call(self.unit.abi.errno, &[self.unit.module.constant(32, is_set.into())]);
    }

    /// Counts labels that a call has no room for.
    fn lose_beyond(&mut self, block: Block, call: Value, segment: &mut Segment) {
        let (callee, arguments) = (call.callee(), call.arguments());
        // An argument has as many scalars as a result at most.
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

    /// Tells the runtime where a call through a pointer leads, if it wants to know.
    fn tell_callee(&mut self, block: Block, call: Value) {
        let (module, abi) = (self.unit.module, self.unit.abi);
        let head = self.cut(block, call);
        let told = module.block_at_end(self.function);
        self.builder.at_end(head);
        let logging = self.builder.load(abi.word, abi.logging(module), 8);
        let logging = self.builder.compare(Predicate::LLVMIntNE, logging, module.constant(64, 0));
        module.mark_unlikely(self.builder.branch(logging, told, block));
        self.builder.at_end(told);
        let hash = module.constant(64, type_hash(&call.callee_type().text()));
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
            self.tell_places(call);
        }
    }

    /// How a narrow argument of a library function is extended: the function that stands for it takes an `int`, which
    /// has only the value to go by.
    fn extension(&self, call: Value, argument: u32) -> Option<Op> {
        let (callee, value) = (call.callee(), call.arguments()[argument as usize]);
        let width = scalar_width(value.ty())?;
        let is_library = callee.is_function() && callee.name().starts_with(WRAPPER_PREFIX);
        if !is_library || width >= c_int::BITS || !self.labelled.contains(&value) {
            return None;
        }
        if call.has_argument_attribute(argument, "signext") { Some(Op::SExt) } else { Some(Op::ZExt) }
    }

    /// Label of a narrow integer as an `int`.
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

    /// After the call: labels of its result, if the callee was instrumented.
    fn take_results(&mut self, call: Value, segment: &mut Segment) {
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
        if self.is_known(call) {
            return;
        }
        match call.opcode() {
            Opcode::LLVMInvoke => {
                self.arriving.entry(call.normal_destination()).or_default().push(call);
            }
            _ => segment.actions.push(Action::Admit(call)),
        }
    }

    /// Whether a call is of a function of this unit, by its own type: both sides agree on what is passed.
    fn is_known(&self, call: Value) -> bool {
        let callee = call.callee();
        self.unit.instrumented.contains(&callee) && callee.function_type() == call.callee_type()
    }

    /// `memcpy`, `memset`, `va_start` and the like.
    pub fn memory_intrinsic(&mut self, block: Block, call: Value, kind: Intrinsic, segment: &mut Segment) {
        for (index, argument) in call.arguments().into_iter().enumerate() {
            if kind != Intrinsic::Fill || index != 1 {
                self.pin(call, argument, segment);
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

/// True if a function that a model calls is none of the models' and the runtime's own.
fn is_library_function(callee: Value) -> bool {
    let name = callee.name();
    callee.is_declaration() && !OWN_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// False for floats: models of functions that take some concretize them themselves.
fn is_integer_or_pointer(argument: Value) -> bool {
    matches!(argument.ty().kind(), TypeKind::LLVMIntegerTypeKind | TypeKind::LLVMPointerTypeKind)
}

fn is_expressed(callee: Value) -> bool {
    EXPRESSED.contains(&&*callee.name())
}

/// The instruction that runs when a call has returned.
pub fn after(call: Value) -> Option<Value> {
    match call.opcode() {
        // The block is its own, see `split_invokes`.
        Opcode::LLVMInvoke => call.normal_destination().first(),
        _ => call.next(),
    }
}

/// The first label of each argument among those a call passes: one per scalar.
pub fn argument_slots(module: &Module, arguments: &[Value]) -> Vec<usize> {
    let mut next = 0;
    let slot = |argument: &Value| {
        let slot = next;
        next += leaves(module, argument.ty()).map_or(1, |all| all.len());
        slot
    };
    arguments.iter().map(slot).collect()
}
