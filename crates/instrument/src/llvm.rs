//! A thin cover over the part of LLVM's C interface the pass uses.
//!
//! Handles are plain copies of LLVM's pointers and live as long as their context, which the pass
//! keeps until the module is written: that is the reason each call below is sound. Everything else
//! in this crate is safe code.
#![allow(unsafe_code, clippy::undocumented_unsafe_blocks)]

use llvm_sys::bit_reader::LLVMParseBitcodeInContext2;
use llvm_sys::bit_writer::LLVMWriteBitcodeToFile;
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMDISubprogramGetLine, LLVMGetSubprogram};
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::prelude::*;
use llvm_sys::target::*;
use llvm_sys::transforms::pass_builder::*;
pub use llvm_sys::{LLVMIntPredicate as Predicate, LLVMLinkage as Linkage, LLVMOpcode as Opcode, LLVMTypeKind as TypeKind};
use std::ffi::{CStr, CString};
use std::path::Path;
use std::ptr::null_mut;

/// LLVM's number for the convention.
const PRESERVE_MOST: u32 = 14;
const NAMELESS: *const std::ffi::c_char = c"".as_ptr();

/// A context with one module in it.
pub struct Module {
    context: LLVMContextRef,
    module: LLVMModuleRef,
    layout: LLVMTargetDataRef,
}

/// A value: instruction, constant, argument, global or function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Value(LLVMValueRef);

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Block(LLVMBasicBlockRef);

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Type(LLVMTypeRef);

/// Where in the source an instruction or function comes from.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Location {
    /// File name as the compiler was given it.
    pub file: String,
    /// Line, 0 if unknown.
    pub line: u32,
    /// Column, 0 if unknown.
    pub column: u32,
}

impl Drop for Module {
    fn drop(&mut self) {
        unsafe {
            LLVMDisposeModule(self.module);
            LLVMContextDispose(self.context);
        }
    }
}

fn message(text: *mut std::ffi::c_char) -> String {
    unsafe {
        let owned = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeMessage(text);
        owned
    }
}

fn path_string(path: &Path) -> Result<CString, String> {
    CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| format!("{}: bad file name", path.display()))
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

    /// Runs a pipeline given in `opt`'s notation.
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

    /// Checks that the module is well formed.
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

    /// The module's source file name.
    pub fn source(&self) -> String {
        let mut len = 0;
        unsafe { bytes_to_string(LLVMGetSourceFileName(self.module, &mut len), len) }
    }

    /// The target triple.
    pub fn triple(&self) -> String {
        unsafe { CStr::from_ptr(LLVMGetTarget(self.module)).to_string_lossy().into_owned() }
    }

    /// All functions, declarations included.
    pub fn functions(&self) -> Vec<Value> {
        let first = unsafe { LLVMGetFirstFunction(self.module) };
        chain(first, |f| unsafe { LLVMGetNextFunction(f) }).map(Value).collect()
    }

    /// The function or declaration of this name.
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

    /// Puts an internal global with contents into a section, and keeps every linker from dropping it.
    pub fn place(&self, global: Value, contents: Value, section: &CStr, align: u32, constant: bool) {
        unsafe {
            LLVMSetInitializer(global.0, contents.0);
            LLVMSetLinkage(global.0, Linkage::LLVMInternalLinkage);
            LLVMSetSection(global.0, section.as_ptr());
            LLVMSetAlignment(global.0, align);
            LLVMSetGlobalConstant(global.0, constant.into());
        }
    }

    /// Appends to `llvm.used`, whatever was in it before.
    pub fn retain(&self, globals: &[Value]) {
        unsafe {
            let old = LLVMGetNamedGlobal(self.module, c"llvm.used".as_ptr());
            let mut all: Vec<LLVMValueRef> = Vec::new();
            if !old.is_null() {
                let list = LLVMGetInitializer(old);
                all.extend((0..LLVMGetNumOperands(list)).map(|i| LLVMGetOperand(list, i as u32)));
                LLVMDeleteGlobal(old);
            }
            all.extend(globals.iter().map(|g| g.0));
            let pointer = self.pointer();
            let list = LLVMConstArray2(pointer.0, all.as_mut_ptr(), all.len() as u64);
            let used = LLVMAddGlobal(self.module, LLVMTypeOf(list), c"llvm.used".as_ptr());
            LLVMSetInitializer(used, list);
            LLVMSetLinkage(used, Linkage::LLVMAppendingLinkage);
            LLVMSetSection(used, c"llvm.metadata".as_ptr());
        }
    }

    /// The integer type of this width.
    pub fn int(&self, bits: u32) -> Type {
        Type(unsafe { LLVMIntTypeInContext(self.context, bits) })
    }

    /// The pointer type.
    pub fn pointer(&self) -> Type {
        Type(unsafe { LLVMPointerTypeInContext(self.context, 0) })
    }

    /// The void type.
    pub fn void(&self) -> Type {
        Type(unsafe { LLVMVoidTypeInContext(self.context) })
    }

    /// An array of bytes.
    pub fn byte_array(&self, len: u64) -> Type {
        Type(unsafe { LLVMArrayType2(self.int(8).0, len) })
    }

    /// A constant byte array.
    pub fn bytes(&self, bytes: &[u8]) -> Value {
        Value(unsafe { LLVMConstStringInContext2(self.context, bytes.as_ptr().cast(), bytes.len(), 1) })
    }

    /// A packed constant struct.
    pub fn packed(&self, fields: &[Value]) -> Value {
        let mut fields: Vec<_> = fields.iter().map(|v| v.0).collect();
        Value(unsafe { LLVMConstStructInContext(self.context, fields.as_mut_ptr(), fields.len() as u32, 1) })
    }

    /// A constant of an integer type.
    pub fn constant(&self, bits: u32, value: u64) -> Value {
        Value(unsafe { LLVMConstInt(self.int(bits).0, value, 0) })
    }

    /// `to - from` as a 32-bit constant the linker computes.
    pub fn distance(&self, to: Value, from: Value) -> Value {
        let wide = self.int(64).0;
        unsafe {
            let difference = LLVMConstSub(LLVMConstPtrToInt(to.0, wide), LLVMConstPtrToInt(from.0, wide));
            Value(LLVMConstTrunc(difference, self.int(32).0))
        }
    }

    /// The constant address `base + offset`.
    pub fn offset(&self, base: Value, offset: u64) -> Value {
        let mut index = self.constant(64, offset).0;
        Value(unsafe { LLVMConstGEP2(self.int(8).0, base.0, &mut index, 1) })
    }

    /// Bytes a store of this type writes.
    pub fn store_size(&self, ty: Type) -> u64 {
        unsafe { LLVMStoreSizeOfType(self.layout, ty.0) }
    }

    /// Distance between elements of this type in an array.
    pub fn alloc_size(&self, ty: Type) -> u64 {
        unsafe { LLVMABISizeOfType(self.layout, ty.0) }
    }

    /// Byte offset of a struct's field.
    pub fn field_offset(&self, ty: Type, field: u32) -> u64 {
        unsafe { LLVMOffsetOfElement(self.layout, ty.0, field) }
    }

    /// A builder with no position.
    pub fn builder(&self) -> Builder {
        Builder(unsafe { LLVMCreateBuilderInContext(self.context) })
    }

    /// A new block placed before another one.
    pub fn block_before(&self, at: Block) -> Block {
        Block(unsafe { LLVMInsertBasicBlockInContext(self.context, at.0, NAMELESS) })
    }

    /// A new block at the end of a function.
    pub fn block_at_end(&self, function: Value) -> Block {
        Block(unsafe { LLVMAppendBasicBlockInContext(self.context, function.0, NAMELESS) })
    }

    /// Says of a two-way branch that its first side is hardly ever taken.
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

    /// Makes a function keep the caller's integer registers; calls of it follow.
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

fn bytes_to_string(text: *const std::ffi::c_char, len: usize) -> String {
    if text.is_null() {
        return String::new();
    }
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), len) };
    String::from_utf8_lossy(bytes).into_owned()
}

fn chain<T>(first: *mut T, next: impl Fn(*mut T) -> *mut T) -> impl Iterator<Item = *mut T> {
    std::iter::successors((!first.is_null()).then_some(first), move |at| {
        let after = next(*at);
        (!after.is_null()).then_some(after)
    })
}

impl Type {
    /// What sort of type this is.
    pub fn kind(self) -> TypeKind {
        unsafe { LLVMGetTypeKind(self.0) }
    }

    /// Width of an integer type.
    pub fn int_width(self) -> u32 {
        unsafe { LLVMGetIntTypeWidth(self.0) }
    }

    /// Fields of a struct type.
    pub fn fields(self) -> Vec<Type> {
        (0..unsafe { LLVMCountStructElementTypes(self.0) })
            .map(|i| Type(unsafe { LLVMStructGetTypeAtIndex(self.0, i) }))
            .collect()
    }

    /// Element type and length of an array type.
    pub fn array(self) -> (Type, u64) {
        unsafe { (Type(LLVMGetElementType(self.0)), LLVMGetArrayLength2(self.0)) }
    }

    /// Element type of an array or vector.
    pub fn element(self) -> Type {
        Type(unsafe { LLVMGetElementType(self.0) })
    }

    /// Whether a function type takes more arguments than it names.
    pub fn is_variadic(self) -> bool {
        unsafe { LLVMIsFunctionVarArg(self.0) != 0 }
    }

    /// The type in LLVM's notation.
    pub fn text(self) -> String {
        message(unsafe { LLVMPrintTypeToString(self.0) })
    }

    /// Whether the type has a size.
    pub fn is_sized(self) -> bool {
        unsafe { LLVMTypeIsSized(self.0) != 0 }
    }
}

impl Block {
    /// Instructions in order.
    pub fn instructions(self) -> Vec<Value> {
        chain(unsafe { LLVMGetFirstInstruction(self.0) }, |i| unsafe { LLVMGetNextInstruction(i) }).map(Value).collect()
    }

    /// First instruction.
    pub fn first(self) -> Option<Value> {
        let first = unsafe { LLVMGetFirstInstruction(self.0) };
        (!first.is_null()).then_some(Value(first))
    }

    /// The terminator.
    pub fn terminator(self) -> Value {
        Value(unsafe { LLVMGetBasicBlockTerminator(self.0) })
    }

    /// Sends every jump to this block to another one. Phis that name it as a predecessor keep it:
    /// LLVM would rename it there as well if it could see the block's successors.
    pub fn redirect_to(self, other: Block, builder: &Builder) {
        let terminator = self.terminator();
        terminator.unlink();
        unsafe { LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(self.0), LLVMBasicBlockAsValue(other.0)) }
        builder.at_end(self);
        builder.insert(terminator);
    }
}

impl Value {
    /// Its type.
    pub fn ty(self) -> Type {
        Type(unsafe { LLVMTypeOf(self.0) })
    }

    /// Symbol or value name.
    pub fn name(self) -> String {
        let mut len = 0;
        unsafe { bytes_to_string(LLVMGetValueName2(self.0, &mut len), len) }
    }

    /// Renames a symbol.
    pub fn set_name(self, name: &str) {
        unsafe { LLVMSetValueName2(self.0, name.as_ptr().cast(), name.len()) }
    }

    /// Whether this is an instruction.
    pub fn is_instruction(self) -> bool {
        !unsafe { LLVMIsAInstruction(self.0) }.is_null()
    }

    /// Operation of an instruction.
    pub fn opcode(self) -> Opcode {
        unsafe { LLVMGetInstructionOpcode(self.0) }
    }

    /// Operand by index.
    pub fn operand(self, index: u32) -> Value {
        Value(unsafe { LLVMGetOperand(self.0, index) })
    }

    /// All operands; a call's callee is the last.
    pub fn operands(self) -> Vec<Value> {
        (0..unsafe { LLVMGetNumOperands(self.0) }).map(|i| self.operand(i as u32)).collect()
    }

    /// Instructions (and constants) that use this value.
    pub fn users(self) -> Vec<Value> {
        chain(unsafe { LLVMGetFirstUse(self.0) }, |u| unsafe { LLVMGetNextUse(u) })
            .map(|u| Value(unsafe { LLVMGetUser(u) }))
            .collect()
    }

    /// The block an instruction is in.
    pub fn block(self) -> Block {
        Block(unsafe { LLVMGetInstructionParent(self.0) })
    }

    /// The instruction after this one.
    pub fn next(self) -> Option<Value> {
        let next = unsafe { LLVMGetNextInstruction(self.0) };
        (!next.is_null()).then_some(Value(next))
    }

    /// A copy of an instruction, not yet in a block.
    pub fn duplicate(self) -> Value {
        Value(unsafe { LLVMInstructionClone(self.0) })
    }

    /// Changes one operand.
    pub fn set_operand(self, index: u32, value: Value) {
        unsafe { LLVMSetOperand(self.0, index, value.0) }
    }

    /// Whether this is a parameter of a function.
    pub fn is_param(self) -> bool {
        !unsafe { LLVMIsAArgument(self.0) }.is_null()
    }

    /// Puts another value in this one's place everywhere.
    pub fn replace_with(self, other: Value) {
        unsafe { LLVMReplaceAllUsesWith(self.0, other.0) }
    }

    /// Deletes an instruction that nobody uses.
    pub fn erase(self) {
        unsafe { LLVMInstructionEraseFromParent(self.0) }
    }

    /// Deletes a global that nobody uses.
    pub fn delete_global(self) {
        unsafe { LLVMDeleteGlobal(self.0) }
    }

    /// Takes an instruction out of its block.
    pub fn unlink(self) {
        unsafe { LLVMInstructionRemoveFromParent(self.0) }
    }

    /// The value as an integer constant, zero-extended.
    pub fn as_constant(self) -> Option<u64> {
        unsafe {
            let int = LLVMIsAConstantInt(self.0);
            (!int.is_null() && self.ty().int_width() <= 64).then(|| LLVMConstIntGetZExtValue(int))
        }
    }

    /// Whether this is a function.
    pub fn is_function(self) -> bool {
        !unsafe { LLVMIsAFunction(self.0) }.is_null()
    }

    /// Whether this is a global variable whose contents never change.
    pub fn is_constant_global(self) -> bool {
        unsafe { !LLVMIsAGlobalVariable(self.0).is_null() && LLVMIsGlobalConstant(self.0) != 0 }
    }

    /// Whether this is a `getelementptr`, as instruction or as constant expression.
    pub fn is_address_computation(self) -> bool {
        unsafe {
            let instruction = !LLVMIsAGetElementPtrInst(self.0).is_null();
            instruction
                || (!LLVMIsAConstantExpr(self.0).is_null()
                    && LLVMGetConstOpcode(self.0) == Opcode::LLVMGetElementPtr)
        }
    }

    /// Whether a function has no body.
    pub fn is_declaration(self) -> bool {
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }

    /// Linkage of a symbol.
    pub fn linkage(self) -> Linkage {
        unsafe { LLVMGetLinkage(self.0) }
    }

    /// Type of a function (not of the pointer to it).
    pub fn function_type(self) -> Type {
        Type(unsafe { LLVMGlobalGetValueType(self.0) })
    }

    /// Parameters of a function.
    pub fn params(self) -> Vec<Value> {
        (0..unsafe { LLVMCountParams(self.0) }).map(|i| Value(unsafe { LLVMGetParam(self.0, i) })).collect()
    }

    /// Blocks of a function in order.
    pub fn blocks(self) -> Vec<Block> {
        chain(unsafe { LLVMGetFirstBasicBlock(self.0) }, |b| unsafe { LLVMGetNextBasicBlock(b) }).map(Block).collect()
    }

    /// Type of a parameter passed as a copy in memory (`byval`).
    pub fn byval_type(self, param: u32) -> Option<Type> {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5);
            let attribute = LLVMGetEnumAttributeAtIndex(self.0, param + 1, kind);
            (!attribute.is_null()).then(|| Type(LLVMGetTypeAttributeValue(attribute)))
        }
    }

    /// As [`Value::byval_type`], of a call's argument.
    pub fn call_byval_type(self, argument: u32) -> Option<Type> {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5);
            let attribute = LLVMGetCallSiteEnumAttribute(self.0, argument + 1, kind);
            (!attribute.is_null()).then(|| Type(LLVMGetTypeAttributeValue(attribute)))
        }
    }

    /// Whether a function has this attribute.
    pub fn has_attribute(self, name: &str) -> bool {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            !LLVMGetEnumAttributeAtIndex(self.0, llvm_sys::LLVMAttributeFunctionIndex, kind).is_null()
        }
    }

    /// What a call calls.
    pub fn callee(self) -> Value {
        Value(unsafe { LLVMGetCalledValue(self.0) })
    }

    /// Function type a call uses.
    pub fn callee_type(self) -> Type {
        Type(unsafe { LLVMGetCalledFunctionType(self.0) })
    }

    /// Arguments of a call.
    pub fn arguments(self) -> Vec<Value> {
        (0..unsafe { LLVMGetNumArgOperands(self.0) }).map(|i| self.operand(i)).collect()
    }

    /// Whether a call must be the last thing its function does.
    pub fn is_must_tail(self) -> bool {
        unsafe { LLVMGetTailCallKind(self.0) == llvm_sys::LLVMTailCallKind::LLVMTailCallKindMustTail }
    }

    /// Whether this is inline assembly.
    pub fn is_inline_asm(self) -> bool {
        !unsafe { LLVMIsAInlineAsm(self.0) }.is_null()
    }

    /// Predicate of an integer comparison.
    pub fn predicate(self) -> Predicate {
        unsafe { LLVMGetICmpPredicate(self.0) }
    }

    /// Whether a branch has a condition.
    pub fn is_conditional(self) -> bool {
        unsafe { LLVMIsConditional(self.0) != 0 }
    }

    /// Condition of a conditional branch.
    pub fn condition(self) -> Value {
        Value(unsafe { LLVMGetCondition(self.0) })
    }

    /// Successors of a terminator.
    pub fn successors(self) -> Vec<Block> {
        (0..unsafe { LLVMGetNumSuccessors(self.0) })
            .map(|i| Block(unsafe { LLVMGetSuccessor(self.0, i) }))
            .collect()
    }

    /// Changes one successor of a terminator.
    pub fn set_successor(self, index: u32, block: Block) {
        unsafe { LLVMSetSuccessor(self.0, index, block.0) }
    }

    /// Values and blocks of a phi.
    pub fn incoming(self) -> Vec<(Value, Block)> {
        (0..unsafe { LLVMCountIncoming(self.0) })
            .map(|i| unsafe { (Value(LLVMGetIncomingValue(self.0, i)), Block(LLVMGetIncomingBlock(self.0, i))) })
            .collect()
    }

    /// Adds values and blocks to a phi.
    pub fn add_incoming(self, incoming: &[(Value, Block)]) {
        for (value, block) in incoming {
            let (mut value, mut block) = (value.0, block.0);
            unsafe { LLVMAddIncoming(self.0, &mut value, &mut block, 1) };
        }
    }

    /// Type a `getelementptr` walks through.
    pub fn source_element_type(self) -> Type {
        Type(unsafe { LLVMGetGEPSourceElementType(self.0) })
    }

    /// Indices of an `extractvalue` or `insertvalue`.
    pub fn indices(self) -> Vec<u32> {
        unsafe {
            let count = LLVMGetNumIndices(self.0) as usize;
            std::slice::from_raw_parts(LLVMGetIndices(self.0), count).to_vec()
        }
    }

    /// Source position of an instruction, or of a function's definition.
    pub fn location(self) -> Location {
        unsafe {
            let mut len = 0;
            let text = LLVMGetDebugLocFilename(self.0, &mut len);
            let file = bytes_to_string(text, len as usize);
            if self.is_function() {
                let subprogram = LLVMGetSubprogram(self.0);
                let line = if subprogram.is_null() { 0 } else { LLVMDISubprogramGetLine(subprogram) };
                return Location { file, line, column: 0 };
            }
            Location { file, line: LLVMGetDebugLocLine(self.0), column: LLVMGetDebugLocColumn(self.0) }
        }
    }
}

/// Inserts instructions.
pub struct Builder(LLVMBuilderRef);

impl Drop for Builder {
    fn drop(&mut self) {
        unsafe { LLVMDisposeBuilder(self.0) }
    }
}

impl Builder {
    /// Continues before an instruction.
    pub fn before(&self, instruction: Value) {
        unsafe { LLVMPositionBuilderBefore(self.0, instruction.0) }
    }

    /// Continues at the end of a block.
    pub fn at_end(&self, block: Block) {
        unsafe { LLVMPositionBuilderAtEnd(self.0, block.0) }
    }

    /// Puts an unlinked instruction here; it keeps its source position.
    pub fn insert(&self, instruction: Value) {
        unsafe {
            LLVMSetCurrentDebugLocation2(self.0, null_mut());
            LLVMInsertIntoBuilder(self.0, instruction.0);
        }
    }

    /// A binary operation.
    pub fn binary(&self, op: Opcode, a: Value, b: Value) -> Value {
        Value(unsafe { LLVMBuildBinOp(self.0, op, a.0, b.0, NAMELESS) })
    }

    /// An integer comparison.
    pub fn compare(&self, predicate: Predicate, a: Value, b: Value) -> Value {
        Value(unsafe { LLVMBuildICmp(self.0, predicate, a.0, b.0, NAMELESS) })
    }

    /// Zero extension; nothing if the type is right already.
    pub fn zext(&self, value: Value, to: Type) -> Value {
        if value.ty() == to {
            return value;
        }
        Value(unsafe { LLVMBuildZExt(self.0, value.0, to.0, NAMELESS) })
    }

    /// Sign extension; nothing if the type is right already.
    pub fn sext(&self, value: Value, to: Type) -> Value {
        if value.ty() == to {
            return value;
        }
        Value(unsafe { LLVMBuildSExt(self.0, value.0, to.0, NAMELESS) })
    }

    /// Address as integer.
    pub fn ptr_to_int(&self, value: Value, to: Type) -> Value {
        Value(unsafe { LLVMBuildPtrToInt(self.0, value.0, to.0, NAMELESS) })
    }

    /// Integer as address.
    pub fn int_to_ptr(&self, value: Value, to: Type) -> Value {
        Value(unsafe { LLVMBuildIntToPtr(self.0, value.0, to.0, NAMELESS) })
    }

    /// A load with the given alignment.
    pub fn load(&self, ty: Type, from: Value, align: u32) -> Value {
        unsafe {
            let load = LLVMBuildLoad2(self.0, ty.0, from.0, NAMELESS);
            LLVMSetAlignment(load, align);
            Value(load)
        }
    }

    /// A store.
    pub fn store(&self, value: Value, to: Value) -> Value {
        Value(unsafe { LLVMBuildStore(self.0, value.0, to.0) })
    }

    /// Address of the byte `index` after `base`.
    pub fn byte_address(&self, byte: Type, base: Value, index: Value) -> Value {
        let mut index = index.0;
        Value(unsafe { LLVMBuildGEP2(self.0, byte.0, base.0, &mut index, 1, NAMELESS) })
    }

    /// One of two values.
    pub fn select(&self, condition: Value, yes: Value, no: Value) -> Value {
        Value(unsafe { LLVMBuildSelect(self.0, condition.0, yes.0, no.0, NAMELESS) })
    }

    /// A phi without incoming values.
    pub fn phi(&self, ty: Type) -> Value {
        Value(unsafe { LLVMBuildPhi(self.0, ty.0, NAMELESS) })
    }

    /// A call of a function, by its own convention.
    pub fn call(&self, (function, ty): (Value, Type), arguments: &[Value]) -> Value {
        let mut arguments: Vec<_> = arguments.iter().map(|a| a.0).collect();
        let count = arguments.len() as u32;
        unsafe {
            let call = LLVMBuildCall2(self.0, ty.0, function.0, arguments.as_mut_ptr(), count, NAMELESS);
            LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(function.0));
            Value(call)
        }
    }

    /// The same value, but one that no optimisation knows to be the same.
    pub fn opaque(&self, value: Value) -> Value {
        let mut ty = value.ty().0;
        let constraint = c"=r,0";
        unsafe {
            let function = LLVMFunctionType(ty, &mut ty, 1, 0);
            let dialect = llvm_sys::LLVMInlineAsmDialect::LLVMInlineAsmDialectATT;
            let asm = LLVMGetInlineAsm(function, NAMELESS, 0, constraint.as_ptr(), 4, 0, 0, dialect, 0);
            let mut argument = value.0;
            Value(LLVMBuildCall2(self.0, function, asm, &mut argument, 1, NAMELESS))
        }
    }

    /// A jump.
    pub fn jump(&self, to: Block) -> Value {
        Value(unsafe { LLVMBuildBr(self.0, to.0) })
    }

    /// A conditional branch.
    pub fn branch(&self, condition: Value, yes: Block, no: Block) -> Value {
        Value(unsafe { LLVMBuildCondBr(self.0, condition.0, yes.0, no.0) })
    }
}
