//! Labels across calls: arguments and results through thread-local memory, memory intrinsics through
//! the runtime.

use super::function::FunctionPass;
use super::intrinsics::Intrinsic;
use super::segment::Segment;
use super::sites::is_address_taken;
use super::types::{leaves, scalar_width};
use crate::llvm::{Block, TypeKind, Value};
use cairn_wire::tls::{MAX_ARGS, MAX_BYVAL, MAX_RESULTS};

/// Size of `va_list` on x86-64.
const VA_LIST_SIZE: u64 = 24;

impl FunctionPass<'_> {
    /// The beginning of the function: labels of the parameters.
    pub fn enter(&mut self, first: Option<Value>) {
        let Some(first) = first else { return };
        self.builder.before(first);
        let (module, abi) = (self.unit.module, self.unit.abi);
        let params = self.function.params();
        let for_us = self.meant_for_us(&params);
        for (index, param) in params.iter().enumerate().take(MAX_ARGS) {
            if !self.labelled.contains(param) || scalar_width(param.ty()).is_none() {
                continue;
            }
            let label = self.builder.load(abi.label, abi.arg(module, index), 4);
            let label = match for_us {
                Some(for_us) => self.builder.select(for_us, label, abi.concrete),
                None => label,
            };
            self.labels.insert(*param, vec![label]);
        }
        self.enter_byval(&params);
        if self.function.function_type().is_variadic() {
            let bytes = self.builder.load(abi.word, abi.overflow(module), 8);
            let for_us = abi.is_called(module, &self.builder, self.function);
            self.overflow = Some(self.builder.select(for_us, bytes, module.constant(64, 0)));
        }
        if for_us.is_some() && is_address_taken(self.function) {
            // Whoever calls it next may be the kernel, which sets no tag.
            self.set_tag(module.constant(64, 0));
        }
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

    /// The end of the function: labels of the result.
    pub fn leave(&mut self, ret: Value) {
        let Some(value) = ret.operands().first().copied().filter(|v| self.labelable(*v)) else { return };
        self.builder.before(ret);
        self.give_results(value);
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
        self.close(block, segment, call);
        self.builder.before(call);
        self.pass_arguments(call);
        if !self.unit.private.contains(&callee) {
            self.set_tag(self.builder.ptr_to_int(callee, self.unit.abi.word));
        }
        if self.labelled.contains(&call) && !call.is_must_tail() {
            self.take_results(call);
        }
    }

    fn pass_arguments(&mut self, call: Value) {
        let (module, abi) = (self.unit.module, self.unit.abi);
        let mut slot = 0;
        for (index, argument) in call.arguments().into_iter().enumerate() {
            if call.call_byval_type(index as u32).is_some() {
                if slot < MAX_BYVAL {
                    let origin = abi.widen(&self.builder, argument);
                    self.builder.store(origin, abi.byval_slot(module, slot));
                }
                slot += 1;
            } else if index < MAX_ARGS && scalar_width(argument.ty()).is_some() {
                self.builder.store(self.label_of(argument), abi.arg(module, index));
            }
        }
        if call.callee_type().is_variadic() {
            let bytes = module.constant(64, self.stack_bytes(call));
            self.builder.store(bytes, abi.overflow(module));
        }
    }

    /// Stack bytes of a variadic call's arguments: what does not fit the six integer and eight vector registers.
    fn stack_bytes(&self, call: Value) -> u64 {
        let (mut integers, mut vectors, mut memory) = (0u64, 0u64, 0);
        for (index, argument) in call.arguments().into_iter().enumerate() {
            if let Some(ty) = call.call_byval_type(index as u32) {
                memory += self.unit.module.store_size(ty).next_multiple_of(8);
                continue;
            }
            match argument.ty().kind() {
                TypeKind::LLVMX86_FP80TypeKind => memory += 16,
                TypeKind::LLVMFloatTypeKind | TypeKind::LLVMDoubleTypeKind | TypeKind::LLVMVectorTypeKind => {
                    vectors += 1
                }
                _ => integers += self.unit.module.store_size(argument.ty()).div_ceil(8),
            }
        }
        memory + 8 * (integers.saturating_sub(6) + vectors.saturating_sub(8))
    }

    /// After the call: labels of its result, if the callee was instrumented.
    fn take_results(&mut self, call: Value) {
        let (module, abi) = (self.unit.module, self.unit.abi);
        let Some(next) = call.next() else { return };
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
            _ => self.after_va_start(call),
        }
    }

    fn after_va_start(&mut self, call: Value) {
        let abi = self.unit.abi;
        let list = call.operand(0);
        self.builder.before(call);
        let address = abi.widen(&self.builder, list);
        self.builder.call(abi.clear, &[address, self.unit.module.constant(64, VA_LIST_SIZE)]);
        let Some(next) = call.next() else { return };
        self.builder.before(next);
        let overflow = self.overflow.unwrap_or_else(|| self.unit.module.constant(64, 0));
        self.builder.call(abi.va_start, &[list, overflow]);
    }
}
