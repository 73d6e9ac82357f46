//! Modules: reading, writing, declarations, constants, attributes.
#![allow(clippy::undocumented_unsafe_blocks)] // one reason for all calls, see the parent

use super::{Block, Linkage, NAMELESS, Type, Value, bytes_to_string, chain, message};
use llvm_sys::bit_reader::LLVMParseBitcodeInContext2;
use llvm_sys::bit_writer::LLVMWriteBitcodeToFile;
use llvm_sys::core::*;
use llvm_sys::debuginfo::{
    LLVMDIBuilderCreateDebugLocation, LLVMDILocationGetInlinedAt, LLVMDILocationGetScope,
    LLVMInstructionGetDebugLoc, LLVMInstructionSetDebugLoc,
};
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::prelude::*;
use llvm_sys::target::*;
use llvm_sys::transforms::pass_builder::*;
use std::ffi::{CStr, CString};
use std::path::Path;
use std::ptr::null_mut;

/// LLVM's number of the calling convention `preserve_most`.
const PRESERVE_MOST: u32 = 14;

/// A context with one module in it.
pub struct Module {
    pub(super) context: LLVMContextRef,
    module: LLVMModuleRef,
    layout: LLVMTargetDataRef,
}

impl Drop for Module {
    fn drop(&mut self) {
        unsafe {
            LLVMDisposeModule(self.module);
            LLVMContextDispose(self.context);
        }
    }
}

fn path_string(path: &Path) -> Result<CString, String> {
    CString::new(path.as_os_str().as_encoded_bytes())
        .map_err(|_| format!("{}: bad file name", path.display()))
}

impl Module {
    /// Reads a bitcode file.
    pub fn read(path: &Path) -> Result<Module, String> {
        let file = path_string(path)?;
        unsafe {
            let (mut buffer, mut error) = (null_mut(), null_mut());
            if LLVMCreateMemoryBufferWithContentsOfFile(file.as_ptr(), &mut buffer, &mut error) != 0 {
                return Err(message(error));
            }
            let context = LLVMContextCreate();
            let mut module = null_mut();
            let failed = LLVMParseBitcodeInContext2(context, buffer, &mut module) != 0;
            LLVMDisposeMemoryBuffer(buffer);
            if failed {
                LLVMContextDispose(context);
                return Err(format!("{}: not LLVM bitcode", path.display()));
            }
            Ok(Module { context, module, layout: LLVMGetModuleDataLayout(module) })
        }
    }

    /// Writes a bitcode file.
    pub fn write(&self, path: &Path) -> Result<(), String> {
        let file = path_string(path)?;
        match unsafe { LLVMWriteBitcodeToFile(self.module, file.as_ptr()) } {
            0 => Ok(()),
            _ => Err(format!("{}: cannot be written", path.display())),
        }
    }

    /// Runs a pass pipeline given in `opt`'s notation.
    pub fn run_passes(&self, pipeline: &CStr) -> Result<(), String> {
        unsafe {
            let options = LLVMCreatePassBuilderOptions();
            let error = LLVMRunPasses(self.module, pipeline.as_ptr(), null_mut(), options);
            LLVMDisposePassBuilderOptions(options);
            if error.is_null() {
                return Ok(());
            }
            let text = LLVMGetErrorMessage(error);
            let owned = CStr::from_ptr(text).to_string_lossy().into_owned();
            LLVMDisposeErrorMessage(text);
            Err(owned)
        }
    }

    /// Verifies that the module is well formed.
    pub fn verify(&self) -> Result<(), String> {
        use llvm_sys::analysis::*;
        unsafe {
            let mut text = null_mut();
            let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
            let failed = LLVMVerifyModule(self.module, action, &mut text) != 0;
            let text = message(text);
            if failed { Err(text) } else { Ok(()) }
        }
    }

    /// Returns the module's source file name.
    pub fn source(&self) -> String {
        let mut len = 0;
        unsafe { bytes_to_string(LLVMGetSourceFileName(self.module, &mut len), len) }
    }

    /// Returns the target triple.
    pub fn triple(&self) -> String {
        unsafe { CStr::from_ptr(LLVMGetTarget(self.module)).to_string_lossy().into_owned() }
    }

    /// Returns all functions, declarations included.
    pub fn functions(&self) -> Vec<Value> {
        let first = unsafe { LLVMGetFirstFunction(self.module) };
        chain(first, |f| unsafe { LLVMGetNextFunction(f) }).map(Value).collect()
    }

    /// Returns all global variables, declarations included.
    pub fn variables(&self) -> Vec<Value> {
        let first = unsafe { LLVMGetFirstGlobal(self.module) };
        chain(first, |g| unsafe { LLVMGetNextGlobal(g) }).map(Value).collect()
    }

    /// Returns the function or declaration of this name.
    pub fn function(&self, name: &str) -> Option<Value> {
        let name = CString::new(name).ok()?;
        let found = unsafe { LLVMGetNamedFunction(self.module, name.as_ptr()) };
        (!found.is_null()).then_some(Value(found))
    }

    /// Declares a function.
    pub fn declare(&self, name: &str, result: Type, params: &[Type]) -> (Value, Type) {
        let mut types: Vec<_> = params.iter().map(|t| t.0).collect();
        let name = CString::new(name).expect("names have no NUL");
        unsafe {
            let ty = LLVMFunctionType(result.0, types.as_mut_ptr(), types.len() as u32, 0);
            let function = LLVMGetNamedFunction(self.module, name.as_ptr());
            let function =
                if function.is_null() { LLVMAddFunction(self.module, name.as_ptr(), ty) } else { function };
            (Value(function), Type(ty))
        }
    }

    /// Adds a global variable without initialiser.
    pub fn global(&self, name: &str, ty: Type) -> Value {
        let name = CString::new(name).expect("names have no NUL");
        Value(unsafe { LLVMAddGlobal(self.module, ty.0, name.as_ptr()) })
    }

    /// Adds an external thread-local variable of the initial-exec model.
    pub fn thread_local(&self, name: &str, ty: Type) -> Value {
        let global = self.global(name, ty);
        unsafe {
            LLVMSetThreadLocalMode(global.0, llvm_sys::LLVMThreadLocalMode::LLVMInitialExecTLSModel);
        }
        global
    }

    /// Puts an internal global with an initialiser into a section, and keeps linkers from dropping it.
    pub fn place(&self, global: Value, contents: Value, section: &CStr, align: u32, constant: bool) {
        unsafe {
            LLVMSetInitializer(global.0, contents.0);
            LLVMSetLinkage(global.0, Linkage::LLVMInternalLinkage);
            LLVMSetSection(global.0, section.as_ptr());
            LLVMSetAlignment(global.0, align);
            LLVMSetGlobalConstant(global.0, constant.into());
        }
    }

    /// Appends to `llvm.used`.
    pub fn retain(&self, globals: &[Value]) {
        let mut all = self.take_used();
        all.extend(globals.iter().map(|g| g.0));
        self.set_used(all);
    }

    /// Removes globals from `llvm.used`.
    pub fn release(&self, globals: &[Value]) {
        let mut kept = self.take_used();
        kept.retain(|used| !globals.contains(&Value(*used)));
        self.set_used(kept);
    }

    fn take_used(&self) -> Vec<LLVMValueRef> {
        unsafe {
            let old = LLVMGetNamedGlobal(self.module, c"llvm.used".as_ptr());
            if old.is_null() {
                return Vec::new();
            }
            let list = LLVMGetInitializer(old);
            let all = (0..LLVMGetNumOperands(list)).map(|i| LLVMGetOperand(list, i as u32)).collect();
            LLVMDeleteGlobal(old);
            all
        }
    }

    fn set_used(&self, mut all: Vec<LLVMValueRef>) {
        if all.is_empty() {
            return;
        }
        unsafe {
            let pointer = self.pointer();
            let list = LLVMConstArray2(pointer.0, all.as_mut_ptr(), all.len() as u64);
            let used = LLVMAddGlobal(self.module, LLVMTypeOf(list), c"llvm.used".as_ptr());
            LLVMSetInitializer(used, list);
            LLVMSetLinkage(used, Linkage::LLVMAppendingLinkage);
            LLVMSetSection(used, c"llvm.metadata".as_ptr());
        }
    }

    /// Returns the integer type of this width.
    pub fn int(&self, bits: u32) -> Type {
        Type(unsafe { LLVMIntTypeInContext(self.context, bits) })
    }

    /// Returns the floating-point type of 32 or 64 bits.
    pub fn float(&self, bits: u32) -> Type {
        Type(match bits {
            32 => unsafe { LLVMFloatTypeInContext(self.context) },
            _ => unsafe { LLVMDoubleTypeInContext(self.context) },
        })
    }

    /// Returns the pointer type.
    pub fn pointer(&self) -> Type {
        Type(unsafe { LLVMPointerTypeInContext(self.context, 0) })
    }

    /// Returns the void type.
    pub fn void(&self) -> Type {
        Type(unsafe { LLVMVoidTypeInContext(self.context) })
    }

    /// Returns the type of a byte array.
    pub fn byte_array(&self, len: u64) -> Type {
        Type(unsafe { LLVMArrayType2(self.int(8).0, len) })
    }

    /// Returns a constant byte array.
    pub fn bytes(&self, bytes: &[u8]) -> Value {
        Value(unsafe { LLVMConstStringInContext2(self.context, bytes.as_ptr().cast(), bytes.len(), 1) })
    }

    /// Returns a private constant with these bytes, aligned to eight; the same one for the same bytes.
    pub fn constant_bytes(&self, prefix: &str, bytes: &[u8]) -> Value {
        let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
        let name =
            CString::new(format!("{prefix}{}", digits.collect::<String>())).expect("names have no NUL");
        unsafe {
            let known = LLVMGetNamedGlobal(self.module, name.as_ptr());
            if !known.is_null() {
                return Value(known);
            }
            let contents = self.bytes(bytes);
            let global = LLVMAddGlobal(self.module, contents.ty().0, name.as_ptr());
            LLVMSetInitializer(global, contents.0);
            LLVMSetLinkage(global, Linkage::LLVMPrivateLinkage);
            LLVMSetUnnamedAddress(global, llvm_sys::LLVMUnnamedAddr::LLVMGlobalUnnamedAddr);
            LLVMSetAlignment(global, 8);
            LLVMSetGlobalConstant(global, 1);
            Value(global)
        }
    }

    /// Returns a packed constant struct.
    pub fn packed(&self, fields: &[Value]) -> Value {
        let mut fields: Vec<_> = fields.iter().map(|v| v.0).collect();
        Value(unsafe { LLVMConstStructInContext(self.context, fields.as_mut_ptr(), fields.len() as u32, 1) })
    }

    /// Returns an integer constant.
    pub fn constant(&self, bits: u32, value: u64) -> Value {
        Value(unsafe { LLVMConstInt(self.int(bits).0, value, 0) })
    }

    /// Returns the `undef` value of a type.
    pub fn undefined(&self, ty: Type) -> Value {
        Value(unsafe { LLVMGetUndef(ty.0) })
    }

    /// Returns `to - from` as a 32-bit constant that the linker computes.
    pub fn distance(&self, to: Value, from: Value) -> Value {
        let wide = self.int(64).0;
        unsafe {
            let difference = LLVMConstSub(LLVMConstPtrToInt(to.0, wide), LLVMConstPtrToInt(from.0, wide));
            Value(LLVMConstTrunc(difference, self.int(32).0))
        }
    }

    /// Returns the constant address `base + offset`.
    pub fn offset(&self, base: Value, offset: u64) -> Value {
        let mut index = self.constant(64, offset).0;
        Value(unsafe { LLVMConstGEP2(self.int(8).0, base.0, &mut index, 1) })
    }

    /// Returns the number of bytes that a store of this type writes.
    pub fn store_size(&self, ty: Type) -> u64 {
        unsafe { LLVMStoreSizeOfType(self.layout, ty.0) }
    }

    /// Returns the distance between elements of this type in an array.
    pub fn alloc_size(&self, ty: Type) -> u64 {
        unsafe { LLVMABISizeOfType(self.layout, ty.0) }
    }

    /// Returns the byte offset of a struct's field.
    pub fn field_offset(&self, ty: Type, field: u32) -> u64 {
        unsafe { LLVMOffsetOfElement(self.layout, ty.0, field) }
    }

    /// Creates a block before another one.
    pub fn block_before(&self, at: Block) -> Block {
        Block(unsafe { LLVMInsertBasicBlockInContext(self.context, at.0, NAMELESS) })
    }

    /// Creates a block at the end of a function.
    pub fn block_at_end(&self, function: Value) -> Block {
        Block(unsafe { LLVMAppendBasicBlockInContext(self.context, function.0, NAMELESS) })
    }

    /// Attaches branch weights: the first successor is hardly ever taken.
    pub fn mark_unlikely(&self, branch: Value) {
        let (rarely, mostly) = (self.constant(32, 1), self.constant(32, 1 << 20));
        unsafe {
            let kind = LLVMGetMDKindIDInContext(self.context, c"prof".as_ptr(), 4);
            let name = LLVMMDStringInContext2(self.context, c"branch_weights".as_ptr(), 14);
            let mut parts = [name, LLVMValueAsMetadata(rarely.0), LLVMValueAsMetadata(mostly.0)];
            let node = LLVMMDNodeInContext2(self.context, parts.as_mut_ptr(), parts.len());
            LLVMSetMetadata(branch.0, kind, LLVMMetadataAsValue(self.context, node));
        }
    }

    /// Attaches text of some kind to an instruction as metadata, which survives passes and is copied with the
    /// instruction.
    pub fn attach_text(&self, instruction: Value, kind: &str, text: &str) {
        unsafe {
            let text = LLVMMDStringInContext2(self.context, text.as_ptr().cast(), text.len());
            let node = LLVMMDNodeInContext2(self.context, &mut { text }, 1);
            let kind = self.text_kind(kind);
            LLVMSetMetadata(instruction.0, kind, LLVMMetadataAsValue(self.context, node));
        }
    }

    /// Removes and returns the text of some kind attached to an instruction.
    pub fn detach_text(&self, instruction: Value, kind: &str) -> Option<String> {
        unsafe {
            let kind = self.text_kind(kind);
            let node = LLVMGetMetadata(instruction.0, kind);
            if node.is_null() {
                return None;
            }
            let (mut text, mut len) = (null_mut(), 0);
            LLVMGetMDNodeOperands(node, &mut text);
            let text = LLVMGetMDString(text, &mut len);
            let text = bytes_to_string(text, len as usize);
            LLVMSetMetadata(instruction.0, kind, null_mut());
            Some(text)
        }
    }

    fn text_kind(&self, name: &str) -> u32 {
        unsafe { LLVMGetMDKindIDInContext(self.context, name.as_ptr().cast(), name.len() as u32) }
    }

    /// Changes the line and column of an instruction that has a source position.
    pub fn set_position(&self, instruction: Value, line: u32, column: u32) {
        unsafe {
            let old = LLVMInstructionGetDebugLoc(instruction.0);
            if !old.is_null() {
                let (scope, inlined) = (LLVMDILocationGetScope(old), LLVMDILocationGetInlinedAt(old));
                let new = LLVMDIBuilderCreateDebugLocation(self.context, line, column, scope, inlined);
                LLVMInstructionSetDebugLoc(instruction.0, new);
            }
        }
    }

    /// Gives a function the calling convention `preserve_most`, which keeps the caller's integer registers.
    pub fn preserve_registers(&self, function: Value) {
        unsafe { LLVMSetFunctionCallConv(function.0, PRESERVE_MOST) }
    }

    /// Adds an attribute without value to a function.
    pub fn add_attribute(&self, function: Value, name: &str) {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let attribute = LLVMCreateEnumAttribute(self.context, kind, 0);
            LLVMAddAttributeAtIndex(function.0, llvm_sys::LLVMAttributeFunctionIndex, attribute);
        }
    }

    /// Adds an attribute without value to a call.
    pub fn add_call_attribute(&self, call: Value, name: &str) {
        self.add_call_attribute_of(call, name, 0);
    }

    /// Declares that a call accesses only memory that the program cannot see (`inaccessiblemem`).
    pub fn hides_memory(&self, call: Value) {
        /// Encoding of LLVM's `memory` attribute: two bits each for argument, inaccessible and other memory;
        /// 3 is read and write.
        const INACCESSIBLE: u64 = 3 << 2;
        self.add_call_attribute_of(call, "memory", INACCESSIBLE);
    }

    fn add_call_attribute_of(&self, call: Value, name: &str, value: u64) {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            let attribute = LLVMCreateEnumAttribute(self.context, kind, value);
            LLVMAddCallSiteAttribute(call.0, llvm_sys::LLVMAttributeFunctionIndex, attribute);
        }
    }

    /// Removes an attribute from a function.
    pub fn remove_attribute(&self, function: Value, name: &str) {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            LLVMRemoveEnumAttributeAtIndex(function.0, llvm_sys::LLVMAttributeFunctionIndex, kind);
        }
    }

    /// Removes a function attribute from a call.
    pub fn remove_call_attribute(&self, call: Value, name: &str) {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            LLVMRemoveCallSiteEnumAttribute(call.0, llvm_sys::LLVMAttributeFunctionIndex, kind);
        }
    }
}
