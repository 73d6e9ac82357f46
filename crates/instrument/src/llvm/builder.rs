//! Instruction builder.
#![allow(clippy::undocumented_unsafe_blocks)] // one reason for all calls, see the parent

use super::{Block, Module, NAMELESS, Opcode, Predicate, Type, TypeKind, Value};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::ptr::null_mut;

/// Inserts instructions at a position.
pub struct Builder(pub(super) LLVMBuilderRef);

impl Module {
    /// Returns a builder without a position.
    pub fn builder(&self) -> Builder {
        Builder(unsafe { LLVMCreateBuilderInContext(self.context) })
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        unsafe { LLVMDisposeBuilder(self.0) }
    }
}

impl Builder {
    /// Positions before an instruction.
    pub fn before(&self, instruction: Value) {
        unsafe { LLVMPositionBuilderBefore(self.0, instruction.0) }
    }

    /// Positions at the end of a block.
    pub fn at_end(&self, block: Block) {
        unsafe { LLVMPositionBuilderAtEnd(self.0, block.0) }
    }

    /// Inserts an unlinked instruction; it keeps its source position.
    pub fn insert(&self, instruction: Value) {
        unsafe {
            LLVMSetCurrentDebugLocation2(self.0, null_mut());
            LLVMInsertIntoBuilder(self.0, instruction.0);
        }
    }

    /// Emits a binary operation.
    pub fn binary(&self, op: Opcode, a: Value, b: Value) -> Value {
        Value(unsafe { LLVMBuildBinOp(self.0, op, a.0, b.0, NAMELESS) })
    }

    /// Emits the bitwise complement.
    pub fn not(&self, value: Value) -> Value {
        Value(unsafe { LLVMBuildNot(self.0, value.0, NAMELESS) })
    }

    /// Emits a `freeze`: the same value as an instruction of its own.
    pub fn freeze(&self, value: Value) -> Value {
        Value(unsafe { LLVMBuildFreeze(self.0, value.0, NAMELESS) })
    }

    /// Emits an integer comparison.
    pub fn compare(&self, predicate: Predicate, a: Value, b: Value) -> Value {
        Value(unsafe { LLVMBuildICmp(self.0, predicate, a.0, b.0, NAMELESS) })
    }

    /// Emits a zero extension, unless the type is right already.
    pub fn zext(&self, value: Value, to: Type) -> Value {
        if value.ty() == to {
            return value;
        }
        Value(unsafe { LLVMBuildZExt(self.0, value.0, to.0, NAMELESS) })
    }

    /// Emits a sign extension, unless the type is right already.
    pub fn sext(&self, value: Value, to: Type) -> Value {
        if value.ty() == to {
            return value;
        }
        Value(unsafe { LLVMBuildSExt(self.0, value.0, to.0, NAMELESS) })
    }

    /// Emits a truncation, unless the type is right already.
    pub fn trunc(&self, value: Value, to: Type) -> Value {
        if value.ty() == to {
            return value;
        }
        Value(unsafe { LLVMBuildTrunc(self.0, value.0, to.0, NAMELESS) })
    }

    /// Emits a `bitcast`, unless the type is right already.
    pub fn bitcast(&self, value: Value, to: Type) -> Value {
        if value.ty() == to {
            return value;
        }
        Value(unsafe { LLVMBuildBitCast(self.0, value.0, to.0, NAMELESS) })
    }

    /// Emits a conversion of a float to a signed integer.
    pub fn float_to_int(&self, value: Value, to: Type) -> Value {
        Value(unsafe { LLVMBuildFPToSI(self.0, value.0, to.0, NAMELESS) })
    }

    /// Emits an `extractelement`.
    pub fn extract_element(&self, vector: Value, index: Value) -> Value {
        Value(unsafe { LLVMBuildExtractElement(self.0, vector.0, index.0, NAMELESS) })
    }

    /// Emits an `extractvalue`.
    pub fn extract_value(&self, aggregate: Value, index: u32) -> Value {
        Value(unsafe { LLVMBuildExtractValue(self.0, aggregate.0, index, NAMELESS) })
    }

    /// Emits a `ptrtoint`.
    pub fn ptr_to_int(&self, value: Value, to: Type) -> Value {
        Value(unsafe { LLVMBuildPtrToInt(self.0, value.0, to.0, NAMELESS) })
    }

    /// Emits an `inttoptr`.
    pub fn int_to_ptr(&self, value: Value, to: Type) -> Value {
        Value(unsafe { LLVMBuildIntToPtr(self.0, value.0, to.0, NAMELESS) })
    }

    /// Emits a load with the given alignment.
    pub fn load(&self, ty: Type, from: Value, align: u32) -> Value {
        unsafe {
            let load = LLVMBuildLoad2(self.0, ty.0, from.0, NAMELESS);
            LLVMSetAlignment(load, align);
            Value(load)
        }
    }

    /// Emits an `alloca`.
    pub fn alloca(&self, ty: Type) -> Value {
        unsafe {
            let room = LLVMBuildAlloca(self.0, ty.0, NAMELESS);
            LLVMSetAlignment(room, 16);
            Value(room)
        }
    }

    /// Emits a store.
    pub fn store(&self, value: Value, to: Value) -> Value {
        Value(unsafe { LLVMBuildStore(self.0, value.0, to.0) })
    }

    /// Emits the address of the byte `index` after `base`.
    pub fn byte_address(&self, byte: Type, base: Value, index: Value) -> Value {
        let mut index = index.0;
        Value(unsafe { LLVMBuildGEP2(self.0, byte.0, base.0, &mut index, 1, NAMELESS) })
    }

    /// Emits a select.
    pub fn select(&self, condition: Value, yes: Value, no: Value) -> Value {
        Value(unsafe { LLVMBuildSelect(self.0, condition.0, yes.0, no.0, NAMELESS) })
    }

    /// Emits a phi without incoming values.
    pub fn phi(&self, ty: Type) -> Value {
        Value(unsafe { LLVMBuildPhi(self.0, ty.0, NAMELESS) })
    }

    /// Emits a call, with the function's calling convention.
    pub fn call(&self, (function, ty): (Value, Type), arguments: &[Value]) -> Value {
        let mut arguments: Vec<_> = arguments.iter().map(|a| a.0).collect();
        let count = arguments.len() as u32;
        unsafe {
            let call = LLVMBuildCall2(self.0, ty.0, function.0, arguments.as_mut_ptr(), count, NAMELESS);
            LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(function.0));
            Value(call)
        }
    }

    /// Emits a copy of a value through empty inline assembly, so that no optimisation knows they are equal.
    pub fn opaque(&self, value: Value) -> Value {
        let mut ty = value.ty().0;
        let is_float =
            matches!(value.ty().kind(), TypeKind::LLVMFloatTypeKind | TypeKind::LLVMDoubleTypeKind);
        let constraint = if is_float { c"=x,0" } else { c"=r,0" };
        unsafe {
            let function = LLVMFunctionType(ty, &mut ty, 1, 0);
            let dialect = llvm_sys::LLVMInlineAsmDialect::LLVMInlineAsmDialectATT;
            let asm = LLVMGetInlineAsm(function, NAMELESS, 0, constraint.as_ptr(), 4, 0, 0, dialect, 0);
            let mut argument = value.0;
            Value(LLVMBuildCall2(self.0, function, asm, &mut argument, 1, NAMELESS))
        }
    }

    /// Emits inline assembly with side effects, which accesses no memory that the program can see: result
    /// type, text and constraints.
    pub fn assembly(
        &self,
        module: &Module,
        (result, text, constraints): (Type, &str, &str),
        arguments: &[Value],
    ) -> Value {
        let mut types: Vec<_> = arguments.iter().map(|a| a.ty().0).collect();
        let mut arguments: Vec<_> = arguments.iter().map(|a| a.0).collect();
        let count = arguments.len() as u32;
        let bytes = |text: &str| (text.as_ptr().cast(), text.len());
        let ((text, len), (constraints, constraints_len)) = (bytes(text), bytes(constraints));
        let call = unsafe {
            let function = LLVMFunctionType(result.0, types.as_mut_ptr(), count, 0);
            let dialect = llvm_sys::LLVMInlineAsmDialect::LLVMInlineAsmDialectATT;
            let asm = LLVMGetInlineAsm(function, text, len, constraints, constraints_len, 1, 0, dialect, 0);
            Value(LLVMBuildCall2(self.0, function, asm, arguments.as_mut_ptr(), count, NAMELESS))
        };
        module.add_call_attribute(call, "nounwind");
        // Otherwise every load before it would be repeated after it.
        module.hides_memory(call);
        call
    }

    /// Emits a jump.
    pub fn jump(&self, to: Block) -> Value {
        Value(unsafe { LLVMBuildBr(self.0, to.0) })
    }

    /// Emits a conditional branch.
    pub fn branch(&self, condition: Value, yes: Block, no: Block) -> Value {
        Value(unsafe { LLVMBuildCondBr(self.0, condition.0, yes.0, no.0) })
    }
}
