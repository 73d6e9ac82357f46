//! The runtime's interface as seen by the pass: functions to call, thread-local block, shadow addresses,
//! wrappers.

use crate::llvm::{Builder, Module, Opcode, Predicate, Type, Value};
use cairn_wire::shadow;
use cairn_wire::tls::{self, Tls};
use std::mem::offset_of;

/// A declared function and its type.
pub type RuntimeFunction = (Value, Type);

/// Declarations of everything that instrumented code refers to.
pub struct Abi {
    pub binary: RuntimeFunction,
    pub decide: RuntimeFunction,
    pub cast: RuntimeFunction,
    pub operate: RuntimeFunction,
    pub constant: RuntimeFunction,
    pub reverse: RuntimeFunction,
    pub load: RuntimeFunction,
    pub load_wide: RuntimeFunction,
    pub symbolic_load: RuntimeFunction,
    pub symbolic_store: RuntimeFunction,
    pub store: RuntimeFunction,
    pub clear: RuntimeFunction,
    pub copy: RuntimeFunction,
    pub fill: RuntimeFunction,
    pub branch: RuntimeFunction,
    pub concretize: RuntimeFunction,
    pub lost: RuntimeFunction,
    pub lost_memory: RuntimeFunction,
    pub byval: RuntimeFunction,
    pub validate: RuntimeFunction,
    pub search_memory: RuntimeFunction,
    pub uninstrumented: RuntimeFunction,
    pub reserve: RuntimeFunction,
    pub errno: RuntimeFunction,
    pub unfollowed: RuntimeFunction,
    pub va_list_label: RuntimeFunction,
    pub output: RuntimeFunction,
    pub descriptors_change: RuntimeFunction,
    pub starts_program: RuntimeFunction,
    pub system_call: RuntimeFunction,
    pub callee: RuntimeFunction,
    pub va_enter: RuntimeFunction,
    pub enter: RuntimeFunction,
    pub result_at: RuntimeFunction,
    pub produce: RuntimeFunction,
    /// The intrinsic `llvm.va_start`.
    pub va_start: RuntimeFunction,
    tls: Value,
    /// Type of labels.
    pub label: Type,
    /// The 64-bit integer type.
    pub word: Type,
    pointer: Type,
    /// The constant label 0.
    pub concrete: Value,
}

impl Abi {
    /// Declares the runtime's interface in a module.
    pub fn declare(module: &Module) -> Abi {
        let (label, word, pointer, void) = (module.int(32), module.int(64), module.pointer(), module.void());
        let function = |name: &str, result: Type, params: &[Type]| {
            let declared = module.declare(name, result, params);
            module.add_attribute(declared.0, "nounwind");
            // A lazy binding stub would clobber registers that the callee preserves under `preserve_most`.
            module.add_attribute(declared.0, "nonlazybind");
            declared
        };
        let cold = |name: &str, result: Type, params: &[Type]| {
            let declared = function(name, result, params);
            module.add_attribute(declared.0, "cold");
            module.preserve_registers(declared.0);
            declared
        };
        Abi {
            binary: cold("__cairn_binary", label, &[label, label, label, word, word, word]),
            decide: cold("__cairn_decide", void, &[pointer, label, label, label, word, word]),
            cast: cold("__cairn_cast", label, &[label, label, word]),
            operate: cold("__cairn_operate", label, &[label, label, label, label, word, word]),
            constant: cold("__cairn_constant", label, &[label, label, label, word, word]),
            reverse: cold("__cairn_reverse", label, &[label, label, word, word]),
            validate: cold("__cairn_validate_label", label, &[label, label, word, word]),
            load: cold("__cairn_load", label, &[word, label, word]),
            load_wide: cold("__cairn_load_wide", label, &[word, label, word, word]),
            symbolic_load: cold("__cairn_symbolic_load", label, &[pointer, label, word, word, word, word]),
            symbolic_store: cold("__cairn_symbolic_store", void, &[pointer, label, word, word, word]),
            store: cold("__cairn_store", void, &[word, label, label]),
            clear: function("__cairn_clear", void, &[word, word]),
            copy: function("__cairn_copy", void, &[word, word, word]),
            fill: function("__cairn_fill", void, &[word, label, word]),
            branch: cold("__cairn_branch", void, &[pointer, label, word]),
            concretize: cold("__cairn_concretize", void, &[pointer, label, word]),
            lost: cold("__cairn_lost", void, &[pointer, label, label]),
            lost_memory: cold("__cairn_lost_memory", void, &[pointer, word, word, label]),
            search_memory: cold("__cairn_reachable_label", label, &[label, word, word, word]),
            uninstrumented: cold("__cairn_uninstrumented", void, &[pointer, word, label]),
            errno: cold("__cairn_errno", void, &[label]),
            unfollowed: cold("__cairn_unfollowed", void, &[]),
            reserve: cold("__cairn_reserve", void, &[pointer, label, word, word]),
            va_list_label: cold("__cairn_va_list_label", label, &[word, word]),
            output: cold("__cairn_output", void, &[pointer, label, label, word, word]),
            descriptors_change: function("__cairn_descriptors_change", void, &[]),
            starts_program: function("__cairn_starts_program", void, &[]),
            system_call: function("__cairn_system_call", void, &[word, word, word, word]),
            callee: cold("__cairn_callee", void, &[word, word]),
            byval: function("__cairn_byval", void, &[word, label, word, word]),
            va_enter: function("__cairn_va_enter", void, &[pointer, word, word]),
            enter: function("__cairn_enter", void, &[pointer]),
            result_at: function("__cairn_result", void, &[pointer, word, label]),
            produce: function("__cairn_produce", void, &[pointer, word]),
            va_start: module.declare("llvm.va_start.p0", void, &[pointer]),
            tls: module.thread_local(tls::SYMBOL, module.byte_array(size_of::<Tls>() as u64)),
            label,
            word,
            pointer,
            concrete: module.constant(32, 0),
        }
    }

    /// Returns the address of the tag.
    pub fn tag(&self, module: &Module) -> Value {
        module.offset(self.tls, offset_of!(Tls, tag) as u64)
    }

    /// Returns the address of a result's label.
    pub fn result(&self, module: &Module, index: usize) -> Value {
        module.offset(self.tls, (offset_of!(Tls, results) + 4 * index) as u64)
    }

    /// Returns the address of the label slot of an argument's scalar.
    pub fn arg(&self, module: &Module, slot: usize) -> Value {
        module.offset(self.tls, (offset_of!(Tls, args) + 4 * slot) as u64)
    }

    /// Returns the address of the slot for the origin of a struct passed by value.
    pub fn byval_slot(&self, module: &Module, index: usize) -> Value {
        module.offset(self.tls, (offset_of!(Tls, byval) + 8 * index) as u64)
    }

    /// Returns the address of the pointer to a variadic call's layout.
    pub fn variadic(&self, module: &Module) -> Value {
        module.offset(self.tls, offset_of!(Tls, variadic) as u64)
    }

    /// Returns the address of the flag that enables reports of indirect calls.
    pub fn logging(&self, module: &Module) -> Value {
        module.offset(self.tls, offset_of!(Tls, logging) as u64)
    }

    /// Returns the address of a function's entry in the cache of instrumented functions; `function` is an
    /// integer.
    pub fn instrumented(&self, module: &Module, builder: &Builder, function: Value) -> Value {
        let shift = module.constant(64, tls::INSTRUMENTED_SHIFT.into());
        let shifted = builder.binary(Opcode::LLVMLShr, function, shift);
        let offset = builder.binary(Opcode::LLVMAnd, shifted, module.constant(64, tls::INSTRUMENTED_MASK));
        let cache = module.offset(self.tls, offset_of!(Tls, instrumented) as u64);
        builder.byte_address(module.int(8), cache, offset)
    }

    /// Extends an integer of up to 64 bits, or a pointer, to 64 bits.
    pub fn widen(&self, builder: &Builder, value: Value) -> Value {
        if value.ty() == self.pointer {
            return builder.ptr_to_int(value, self.word);
        }
        builder.zext(value, self.word)
    }

    /// Returns the shadow address of an address (both integers until the last cast).
    pub fn shadow_address(&self, module: &Module, builder: &Builder, address: Value) -> Value {
        let masked = builder.binary(Opcode::LLVMAnd, address, module.constant(64, shadow::ADDRESS_MASK));
        let scaled = builder.binary(Opcode::LLVMShl, masked, module.constant(64, shadow::SCALE_SHIFT));
        let moved = builder.binary(Opcode::LLVMAdd, scaled, module.constant(64, shadow::BASE));
        builder.int_to_ptr(moved, self.pointer)
    }

    /// Returns the address of the summary byte of an address (given as an integer).
    pub fn summary_address(&self, module: &Module, builder: &Builder, address: Value) -> Value {
        let grain = builder.binary(Opcode::LLVMLShr, address, module.constant(64, shadow::GRAIN_SHIFT));
        let index = builder.binary(Opcode::LLVMAnd, grain, module.constant(64, shadow::SUMMARY_SIZE - 1));
        let moved = builder.binary(Opcode::LLVMAdd, index, module.constant(64, shadow::SUMMARY));
        builder.int_to_ptr(moved, self.pointer)
    }

    /// Emits the test that the tag says `function` was called by instrumented code.
    pub fn is_called(&self, module: &Module, builder: &Builder, function: Value) -> Value {
        self.tag_is(module, builder, builder.ptr_to_int(function, self.word))
    }

    /// Emits the test that the tag says `function` has returned.
    pub fn has_returned(&self, module: &Module, builder: &Builder, function: Value) -> Value {
        self.tag_is(module, builder, self.returned(module, builder, function))
    }

    /// Returns the tag of a function that has returned.
    pub fn returned(&self, module: &Module, builder: &Builder, function: Value) -> Value {
        let address = builder.ptr_to_int(function, self.word);
        builder.binary(Opcode::LLVMAdd, address, module.constant(64, tls::RETURNED))
    }

    fn tag_is(&self, module: &Module, builder: &Builder, wanted: Value) -> Value {
        let tag = builder.load(self.word, self.tag(module), 8);
        builder.compare(Predicate::LLVMIntEQ, tag, wanted)
    }
}

/// Functions of libc whose declarations are redirected to the runtime's wrappers.
pub const WRAPPED: &[&str] = &["malloc", "calloc", "realloc", "free", "memcpy", "memmove", "memset", "vfork"];
