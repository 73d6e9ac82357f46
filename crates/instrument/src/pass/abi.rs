//! The runtime as the pass sees it: functions to call, thread-local memory, wrapped libc functions.

use crate::llvm::{Builder, Module, Opcode, Predicate, Type, Value};
use cairn_wire::shadow;
use cairn_wire::tls::{self, Tls};
use std::mem::offset_of;

/// A declared function and its type.
pub type Function = (Value, Type);

/// Everything instrumented code refers to.
pub struct Abi {
    pub binary: Function,
    pub decide: Function,
    pub cast: Function,
    pub operate: Function,
    pub constant: Function,
    pub reverse: Function,
    pub load: Function,
    pub load_wide: Function,
    pub read: Function,
    pub written: Function,
    pub store: Function,
    pub clear: Function,
    pub copy: Function,
    pub fill: Function,
    pub branch: Function,
    pub pin: Function,
    pub lost: Function,
    pub lost_memory: Function,
    pub byval: Function,
    pub admit: Function,
    pub behind: Function,
    pub foreign: Function,
    pub reserve: Function,
    pub errno: Function,
    pub unfollowed: Function,
    pub listed: Function,
    pub output: Function,
    pub descriptors_change: Function,
    pub callee: Function,
    pub va_enter: Function,
    /// LLVM's own.
    pub va_start: Function,
    tls: Value,
    /// The type of labels.
    pub label: Type,
    /// 64 bits.
    pub word: Type,
    pointer: Type,
    /// Label 0.
    pub concrete: Value,
}

impl Abi {
    /// Declares the runtime in a module.
    pub fn declare(module: &Module) -> Abi {
        let (label, word, pointer, void) = (module.int(32), module.int(64), module.pointer(), module.void());
        let function = |name: &str, result: Type, params: &[Type]| {
            let declared = module.declare(name, result, params);
            module.add_attribute(declared.0, "nounwind");
            // A lazy binding stub in a shared object would not preserve what the callee preserves.
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
            admit: cold("__cairn_admit", label, &[label, label, word, word]),
            load: cold("__cairn_load", label, &[word, label, word]),
            load_wide: cold("__cairn_load_wide", label, &[word, label, word, word]),
            read: cold("__cairn_read", label, &[pointer, label, word, word, word, word]),
            written: cold("__cairn_written", void, &[pointer, label, word, word, word]),
            store: cold("__cairn_store", void, &[word, label, label]),
            clear: function("__cairn_clear", void, &[word, word]),
            copy: function("__cairn_copy", void, &[word, word, word]),
            fill: function("__cairn_fill", void, &[word, label, word]),
            branch: cold("__cairn_branch", void, &[pointer, label, word]),
            pin: cold("__cairn_concretize", void, &[pointer, label, word]),
            lost: cold("__cairn_lost", void, &[pointer, label, label]),
            lost_memory: cold("__cairn_lost_memory", void, &[pointer, word, word, label]),
            behind: cold("__cairn_behind", label, &[label, word, word, word]),
            foreign: cold("__cairn_uninstrumented", void, &[pointer, word, label]),
            errno: cold("__cairn_errno", void, &[label]),
            unfollowed: cold("__cairn_unfollowed", void, &[]),
            reserve: cold("__cairn_reserve", void, &[pointer, label, word, word]),
            listed: cold("__cairn_listed", label, &[word, word]),
            output: cold("__cairn_output", void, &[pointer, label, label, word, word]),
            descriptors_change: function("__cairn_descriptors_change", void, &[]),
            callee: cold("__cairn_callee", void, &[word, word]),
            byval: function("__cairn_byval", void, &[word, label, word, word]),
            va_enter: function("__cairn_va_enter", void, &[pointer, word, word]),
            va_start: module.declare("llvm.va_start.p0", void, &[pointer]),
            tls: module.thread_local(tls::SYMBOL, module.byte_array(size_of::<Tls>() as u64)),
            label,
            word,
            pointer,
            concrete: module.constant(32, 0),
        }
    }

    /// Address of the tag.
    pub fn tag(&self, module: &Module) -> Value {
        module.offset(self.tls, offset_of!(Tls, tag) as u64)
    }

    /// Address of a result's label.
    pub fn result(&self, module: &Module, index: usize) -> Value {
        module.offset(self.tls, (offset_of!(Tls, results) + 4 * index) as u64)
    }

    /// Address of the label of a scalar among the arguments.
    pub fn arg(&self, module: &Module, slot: usize) -> Value {
        module.offset(self.tls, (offset_of!(Tls, args) + 4 * slot) as u64)
    }

    /// Address of the origin of a struct passed by value.
    pub fn byval_slot(&self, module: &Module, index: usize) -> Value {
        module.offset(self.tls, (offset_of!(Tls, byval) + 8 * index) as u64)
    }

    /// Address of where a variadic call says how it passes its arguments.
    pub fn variadic(&self, module: &Module) -> Value {
        module.offset(self.tls, offset_of!(Tls, variadic) as u64)
    }

    /// Address of whether calls through pointers are told.
    pub fn logging(&self, module: &Module) -> Value {
        module.offset(self.tls, offset_of!(Tls, logging) as u64)
    }

    /// Address of the entry of a function, given by its address, in the cache of those that leave their tag.
    pub fn instrumented(&self, module: &Module, builder: &Builder, function: Value) -> Value {
        let shift = module.constant(64, tls::INSTRUMENTED_SHIFT.into());
        let shifted = builder.binary(Opcode::LLVMLShr, function, shift);
        let offset = builder.binary(Opcode::LLVMAnd, shifted, module.constant(64, tls::INSTRUMENTED_MASK));
        let cache = module.offset(self.tls, offset_of!(Tls, instrumented) as u64);
        builder.byte_address(module.int(8), cache, offset)
    }

    /// An integer of up to 64 bits, or a pointer, as 64 bits.
    pub fn widen(&self, builder: &Builder, value: Value) -> Value {
        if value.ty() == self.pointer {
            return builder.ptr_to_int(value, self.word);
        }
        builder.zext(value, self.word)
    }

    /// Address of the shadow of an address (given as integer).
    pub fn shadow_address(&self, module: &Module, builder: &Builder, address: Value) -> Value {
        let masked = builder.binary(Opcode::LLVMAnd, address, module.constant(64, shadow::ADDRESS_MASK));
        let scaled = builder.binary(Opcode::LLVMShl, masked, module.constant(64, shadow::SCALE_SHIFT));
        let moved = builder.binary(Opcode::LLVMAdd, scaled, module.constant(64, shadow::BASE));
        builder.int_to_ptr(moved, self.pointer)
    }

    /// Address of the hint for what lies at an address (given as integer).
    pub fn hint_address(&self, module: &Module, builder: &Builder, address: Value) -> Value {
        let grain = builder.binary(Opcode::LLVMLShr, address, module.constant(64, shadow::GRAIN_SHIFT));
        let index = builder.binary(Opcode::LLVMAnd, grain, module.constant(64, shadow::SUMMARY_SIZE - 1));
        let moved = builder.binary(Opcode::LLVMAdd, index, module.constant(64, shadow::SUMMARY));
        builder.int_to_ptr(moved, self.pointer)
    }

    /// Whether the tag names a function that is called.
    pub fn is_called(&self, module: &Module, builder: &Builder, function: Value) -> Value {
        self.tag_is(module, builder, builder.ptr_to_int(function, self.word))
    }

    /// Whether the tag names a function that has returned.
    pub fn has_returned(&self, module: &Module, builder: &Builder, function: Value) -> Value {
        self.tag_is(module, builder, self.returned(module, builder, function))
    }

    /// The tag of a function that has returned.
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

/// Prefix of a wrapper's name.
pub const WRAPPER_PREFIX: &str = "__cairn_w_";
