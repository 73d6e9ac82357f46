//! Accessors of types, blocks and values.
#![allow(clippy::undocumented_unsafe_blocks)] // one reason for all calls, see the parent

use super::{
    AtomicOp, Block, Builder, Linkage, Location, Opcode, Predicate, Type, TypeKind, Value, bytes_to_string,
    chain, message,
};
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMDISubprogramGetLine, LLVMGetSubprogram};
use std::ffi::CStr;

impl Type {
    /// Returns the kind of type.
    pub fn kind(self) -> TypeKind {
        unsafe { LLVMGetTypeKind(self.0) }
    }

    /// Returns the width of an integer type.
    pub fn int_width(self) -> u32 {
        unsafe { LLVMGetIntTypeWidth(self.0) }
    }

    /// Returns the fields of a struct type.
    pub fn fields(self) -> Vec<Type> {
        (0..unsafe { LLVMCountStructElementTypes(self.0) })
            .map(|i| Type(unsafe { LLVMStructGetTypeAtIndex(self.0, i) }))
            .collect()
    }

    /// Returns element type and length of an array type.
    pub fn array(self) -> (Type, u64) {
        unsafe { (Type(LLVMGetElementType(self.0)), LLVMGetArrayLength2(self.0)) }
    }

    /// Returns the element type of an array or vector.
    pub fn element(self) -> Type {
        Type(unsafe { LLVMGetElementType(self.0) })
    }

    /// Returns the number of elements of a vector type.
    pub fn vector_len(self) -> u32 {
        unsafe { LLVMGetVectorSize(self.0) }
    }

    /// True if a function type is variadic.
    pub fn is_variadic(self) -> bool {
        unsafe { LLVMIsFunctionVarArg(self.0) != 0 }
    }

    /// Returns the type in LLVM's notation.
    pub fn text(self) -> String {
        message(unsafe { LLVMPrintTypeToString(self.0) })
    }

    /// Returns the name of a struct type; empty if it has none, or is no struct, for which LLVM would read
    /// out of bounds.
    pub fn struct_name(self) -> String {
        if self.kind() != TypeKind::LLVMStructTypeKind {
            return String::new();
        }
        let text = unsafe { LLVMGetStructName(self.0) };
        if text.is_null() {
            return String::new();
        }
        unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy().into_owned()
    }

    /// True if the type has a size.
    pub fn is_sized(self) -> bool {
        unsafe { LLVMTypeIsSized(self.0) != 0 }
    }
}

impl Block {
    /// Returns the instructions in order.
    pub fn instructions(self) -> Vec<Value> {
        chain(unsafe { LLVMGetFirstInstruction(self.0) }, |i| unsafe { LLVMGetNextInstruction(i) })
            .map(Value)
            .collect()
    }

    /// Returns the first instruction.
    pub fn first(self) -> Option<Value> {
        let first = unsafe { LLVMGetFirstInstruction(self.0) };
        (!first.is_null()).then_some(Value(first))
    }

    /// Returns the terminator.
    pub fn terminator(self) -> Value {
        Value(unsafe { LLVMGetBasicBlockTerminator(self.0) })
    }

    /// Deletes an unreachable block.
    pub fn delete(self) {
        unsafe { LLVMDeleteBasicBlock(self.0) }
    }

    /// Redirects every jump to this block to another one. Phis that name it as a predecessor keep it: LLVM
    /// would rename it there as well if it could see the block's successors.
    pub fn redirect_to(self, other: Block, builder: &Builder) {
        let terminator = self.terminator();
        terminator.unlink();
        unsafe { LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(self.0), LLVMBasicBlockAsValue(other.0)) }
        builder.at_end(self);
        builder.insert(terminator);
    }
}

impl Value {
    /// Returns its type.
    pub fn ty(self) -> Type {
        Type(unsafe { LLVMTypeOf(self.0) })
    }

    /// Returns the symbol or value name.
    pub fn name(self) -> String {
        let mut len = 0;
        unsafe { bytes_to_string(LLVMGetValueName2(self.0, &mut len), len) }
    }

    /// Renames a symbol.
    pub fn set_name(self, name: &str) {
        unsafe { LLVMSetValueName2(self.0, name.as_ptr().cast(), name.len()) }
    }

    /// True for an instruction.
    pub fn is_instruction(self) -> bool {
        !unsafe { LLVMIsAInstruction(self.0) }.is_null()
    }

    /// True if an instruction is a call.
    pub fn is_call(self) -> bool {
        matches!(self.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke)
    }

    /// Returns the opcode of an instruction.
    pub fn opcode(self) -> Opcode {
        unsafe { LLVMGetInstructionOpcode(self.0) }
    }

    /// Returns an operand.
    pub fn operand(self, index: u32) -> Value {
        Value(unsafe { LLVMGetOperand(self.0, index) })
    }

    /// Returns all operands; a call's callee is the last.
    pub fn operands(self) -> Vec<Value> {
        (0..unsafe { LLVMGetNumOperands(self.0) }).map(|i| self.operand(i as u32)).collect()
    }

    /// Returns the instructions (and constants) that use this value.
    pub fn users(self) -> Vec<Value> {
        chain(unsafe { LLVMGetFirstUse(self.0) }, |u| unsafe { LLVMGetNextUse(u) })
            .map(|u| Value(unsafe { LLVMGetUser(u) }))
            .collect()
    }

    /// Returns the block of an instruction.
    pub fn block(self) -> Block {
        Block(unsafe { LLVMGetInstructionParent(self.0) })
    }

    /// Returns the next instruction.
    pub fn next(self) -> Option<Value> {
        let next = unsafe { LLVMGetNextInstruction(self.0) };
        (!next.is_null()).then_some(Value(next))
    }

    /// Clones an instruction, without inserting it into a block.
    pub fn duplicate(self) -> Value {
        Value(unsafe { LLVMInstructionClone(self.0) })
    }

    /// Changes an operand.
    pub fn set_operand(self, index: u32, value: Value) {
        unsafe { LLVMSetOperand(self.0, index, value.0) }
    }

    /// True for a parameter of a function.
    pub fn is_param(self) -> bool {
        !unsafe { LLVMIsAArgument(self.0) }.is_null()
    }

    /// Replaces all uses by another value.
    pub fn replace_with(self, other: Value) {
        unsafe { LLVMReplaceAllUsesWith(self.0, other.0) }
    }

    /// Deletes an unused instruction.
    pub fn erase(self) {
        unsafe { LLVMInstructionEraseFromParent(self.0) }
    }

    /// Deletes an unused global.
    pub fn delete_global(self) {
        unsafe { LLVMDeleteGlobal(self.0) }
    }

    /// Removes an instruction from its block.
    pub fn unlink(self) {
        unsafe { LLVMInstructionRemoveFromParent(self.0) }
    }

    /// Deletes an instruction that is in no block.
    pub fn delete_unlinked(self) {
        unsafe { LLVMDeleteInstruction(self.0) }
    }

    /// Returns the section of a global variable; empty for the default.
    pub fn section(self) -> String {
        unsafe {
            let name = LLVMGetSection(self.0);
            if name.is_null() { String::new() } else { CStr::from_ptr(name).to_string_lossy().into_owned() }
        }
    }

    /// Returns the bytes of a field of a global variable's struct initialiser.
    pub fn initializer_field(self, index: u32) -> Option<Vec<u8>> {
        unsafe {
            let fields = LLVMGetInitializer(self.0);
            if fields.is_null() || LLVMGetNumOperands(fields) <= index as i32 {
                return None;
            }
            let field = LLVMGetOperand(fields, index);
            if LLVMIsAConstantDataSequential(field).is_null() || LLVMIsConstantString(field) == 0 {
                return None;
            }
            let mut length = 0;
            let text = LLVMGetAsString(field, &mut length);
            Some(std::slice::from_raw_parts(text.cast::<u8>(), length).to_vec())
        }
    }

    /// Returns the initialiser of a global variable that this unit defines.
    pub fn initializer(self) -> Option<Value> {
        unsafe {
            let value = LLVMGetInitializer(self.0);
            (!value.is_null()).then_some(Value(value))
        }
    }

    /// Returns the elements of a constant array or struct, unless they are plain numbers.
    pub fn constant_elements(self) -> Vec<Value> {
        unsafe {
            let is_aggregate =
                !LLVMIsAConstantArray(self.0).is_null() || !LLVMIsAConstantStruct(self.0).is_null();
            if is_aggregate { self.operands() } else { Vec::new() }
        }
    }

    /// Returns the text of a string literal, without its NUL; none of other constants.
    pub fn literal_text(self) -> Option<Vec<u8>> {
        unsafe {
            let bytes = self.initializer()?.0;
            if LLVMIsAConstantDataSequential(bytes).is_null() || LLVMIsConstantString(bytes) == 0 {
                return None;
            }
            let mut length = 0;
            let text = LLVMGetAsString(bytes, &mut length);
            let text = std::slice::from_raw_parts(text.cast::<u8>(), length);
            Some(text.strip_suffix(&[0]).unwrap_or(text).to_vec())
        }
    }

    /// Returns an integer constant, zero-extended.
    pub fn as_constant(self) -> Option<u64> {
        unsafe {
            let int = LLVMIsAConstantInt(self.0);
            (!int.is_null() && self.ty().int_width() <= 64).then(|| LLVMConstIntGetZExtValue(int))
        }
    }

    /// True for the null pointer and other zero constants.
    pub fn is_null(self) -> bool {
        unsafe { LLVMIsNull(self.0) != 0 }
    }

    /// True for a function.
    pub fn is_function(self) -> bool {
        !unsafe { LLVMIsAFunction(self.0) }.is_null()
    }

    /// True for a global variable that is constant.
    pub fn is_constant_global(self) -> bool {
        unsafe { !LLVMIsAGlobalVariable(self.0).is_null() && LLVMIsGlobalConstant(self.0) != 0 }
    }

    /// True for a string literal.
    pub fn is_literal(self) -> bool {
        self.is_constant_global() && self.linkage() == Linkage::LLVMPrivateLinkage
    }

    /// True for an `alloca`.
    pub fn is_alloca(self) -> bool {
        !unsafe { LLVMIsAAllocaInst(self.0) }.is_null()
    }

    /// Returns the type of a global variable.
    pub fn variable_type(self) -> Option<Type> {
        unsafe {
            let is_variable = !LLVMIsAGlobalVariable(self.0).is_null();
            is_variable.then(|| Type(LLVMGlobalGetValueType(self.0)))
        }
    }

    /// Returns the type of a global variable that this unit defines.
    pub fn defined_variable(self) -> Option<Type> {
        self.variable_type().filter(|_| !self.is_declaration())
    }

    /// True for a thread-local variable.
    pub fn is_thread_local(self) -> bool {
        unsafe { LLVMIsThreadLocal(self.0) != 0 }
    }

    /// Returns the type that an `alloca` of one element allocates.
    pub fn allocated_type(self) -> Option<Type> {
        unsafe {
            let is_alloca = !LLVMIsAAllocaInst(self.0).is_null();
            (is_alloca && self.operand(0).as_constant() == Some(1))
                .then(|| Type(LLVMGetAllocatedType(self.0)))
        }
    }

    /// Returns the element type of an `alloca`.
    pub fn allocated_element(self) -> Type {
        Type(unsafe { LLVMGetAllocatedType(self.0) })
    }

    /// True for a `getelementptr`, as instruction or as constant expression.
    pub fn is_address_computation(self) -> bool {
        unsafe {
            let instruction = !LLVMIsAGetElementPtrInst(self.0).is_null();
            instruction
                || (!LLVMIsAConstantExpr(self.0).is_null()
                    && LLVMGetConstOpcode(self.0) == Opcode::LLVMGetElementPtr)
        }
    }

    /// True if a function has no body.
    pub fn is_declaration(self) -> bool {
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }

    /// Returns the linkage of a symbol.
    pub fn linkage(self) -> Linkage {
        unsafe { LLVMGetLinkage(self.0) }
    }

    /// Gives a symbol internal linkage.
    pub fn make_internal(self) {
        unsafe { LLVMSetLinkage(self.0, Linkage::LLVMInternalLinkage) }
    }

    /// Returns the type of a function (not of the pointer to it).
    pub fn function_type(self) -> Type {
        Type(unsafe { LLVMGlobalGetValueType(self.0) })
    }

    /// Returns the parameters of a function.
    pub fn params(self) -> Vec<Value> {
        (0..unsafe { LLVMCountParams(self.0) }).map(|i| Value(unsafe { LLVMGetParam(self.0, i) })).collect()
    }

    /// Returns the blocks of a function in order.
    pub fn blocks(self) -> Vec<Block> {
        chain(unsafe { LLVMGetFirstBasicBlock(self.0) }, |b| unsafe { LLVMGetNextBasicBlock(b) })
            .map(Block)
            .collect()
    }

    /// Returns the type of a parameter passed as a copy in memory (`byval`).
    pub fn byval_type(self, param: u32) -> Option<Type> {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5);
            let attribute = LLVMGetEnumAttributeAtIndex(self.0, param + 1, kind);
            (!attribute.is_null()).then(|| Type(LLVMGetTypeAttributeValue(attribute)))
        }
    }

    /// Returns the `byval` type of a call's argument.
    pub fn call_byval_type(self, argument: u32) -> Option<Type> {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"byval".as_ptr(), 5);
            let attribute = LLVMGetCallSiteEnumAttribute(self.0, argument + 1, kind);
            (!attribute.is_null()).then(|| Type(LLVMGetTypeAttributeValue(attribute)))
        }
    }

    /// True if a call's argument has this enum attribute.
    pub fn has_argument_attribute(self, argument: u32, name: &str) -> bool {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            !LLVMGetCallSiteEnumAttribute(self.0, argument + 1, kind).is_null()
        }
    }

    /// Returns the declared alignment of a parameter, or 0.
    pub fn alignment(self, param: u32) -> u32 {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"align".as_ptr(), 5);
            let attribute = LLVMGetEnumAttributeAtIndex(self.0, param + 1, kind);
            if attribute.is_null() { 0 } else { LLVMGetEnumAttributeValue(attribute) as u32 }
        }
    }

    /// Returns the declared alignment of a call's argument, or 0.
    pub fn call_alignment(self, argument: u32) -> u32 {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"align".as_ptr(), 5);
            let attribute = LLVMGetCallSiteEnumAttribute(self.0, argument + 1, kind);
            if attribute.is_null() { 0 } else { LLVMGetEnumAttributeValue(attribute) as u32 }
        }
    }

    /// Returns the pointee type of a memory operand of inline assembly (`elementtype`).
    pub fn call_element_type(self, argument: u32) -> Option<Type> {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"elementtype".as_ptr(), 11);
            let attribute = LLVMGetCallSiteEnumAttribute(self.0, argument + 1, kind);
            (!attribute.is_null()).then(|| Type(LLVMGetTypeAttributeValue(attribute)))
        }
    }

    /// Returns the value of a function's string attribute.
    pub fn text_attribute(self, name: &str) -> String {
        unsafe {
            let index = llvm_sys::LLVMAttributeFunctionIndex;
            let attribute =
                LLVMGetStringAttributeAtIndex(self.0, index, name.as_ptr().cast(), name.len() as u32);
            if attribute.is_null() {
                return String::new();
            }
            let mut len = 0;
            let text = LLVMGetStringAttributeValue(attribute, &mut len);
            bytes_to_string(text, len as usize)
        }
    }

    /// True if a function has this attribute.
    pub fn has_attribute(self, name: &str) -> bool {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            !LLVMGetEnumAttributeAtIndex(self.0, llvm_sys::LLVMAttributeFunctionIndex, kind).is_null()
        }
    }

    /// Returns the operation of an `atomicrmw`.
    pub fn atomic_op(self) -> AtomicOp {
        unsafe { LLVMGetAtomicRMWBinOp(self.0) }
    }

    /// Returns the callee of a call.
    pub fn callee(self) -> Value {
        Value(unsafe { LLVMGetCalledValue(self.0) })
    }

    /// Returns the function type of a call.
    pub fn callee_type(self) -> Type {
        Type(unsafe { LLVMGetCalledFunctionType(self.0) })
    }

    /// Returns the arguments of a call.
    pub fn arguments(self) -> Vec<Value> {
        (0..unsafe { LLVMGetNumArgOperands(self.0) }).map(|i| self.operand(i)).collect()
    }

    /// True for a `musttail` call.
    pub fn is_must_tail(self) -> bool {
        let must = llvm_sys::LLVMTailCallKind::LLVMTailCallKindMustTail;
        self.opcode() == Opcode::LLVMCall && unsafe { LLVMGetTailCallKind(self.0) } == must
    }

    /// True for inline assembly.
    pub fn is_inline_asm(self) -> bool {
        !unsafe { LLVMIsAInlineAsm(self.0) }.is_null()
    }

    /// Returns the template of inline assembly.
    pub fn asm_template(self) -> String {
        let mut len = 0;
        bytes_to_string(unsafe { LLVMGetInlineAsmAsmString(self.0, &mut len) }, len)
    }

    /// Returns the constraints of inline assembly: those of the outputs first.
    pub fn asm_constraints(self) -> String {
        let mut len = 0;
        bytes_to_string(unsafe { LLVMGetInlineAsmConstraintString(self.0, &mut len) }, len)
    }

    /// Returns LLVM's number of a floating-point comparison's predicate.
    pub fn float_predicate(self) -> u32 {
        unsafe { LLVMGetFCmpPredicate(self.0) as u32 }
    }

    /// Returns the mask of a `shufflevector`; `None` for an undefined element.
    pub fn shuffle_mask(self) -> Vec<Option<usize>> {
        unsafe {
            let count = LLVMGetNumMaskElements(self.0);
            (0..count).map(|i| usize::try_from(LLVMGetMaskValue(self.0, i)).ok()).collect()
        }
    }

    /// Returns the predicate of an integer comparison.
    pub fn predicate(self) -> Predicate {
        unsafe { LLVMGetICmpPredicate(self.0) }
    }

    /// True if an operation is `nsw`.
    pub fn must_not_wrap(self) -> bool {
        unsafe { LLVMGetNSW(self.0) != 0 }
    }

    /// Removes `nsw` and `inbounds`.
    pub fn allow_wrapping(self) {
        use Opcode::{LLVMAdd, LLVMGetElementPtr, LLVMMul, LLVMShl, LLVMSub};
        match self.opcode() {
            LLVMAdd | LLVMSub | LLVMMul | LLVMShl => unsafe { LLVMSetNSW(self.0, 0) },
            LLVMGetElementPtr => unsafe { LLVMSetIsInBounds(self.0, 0) },
            _ => {}
        }
    }

    /// True if a branch is conditional.
    pub fn is_conditional(self) -> bool {
        unsafe { LLVMIsConditional(self.0) != 0 }
    }

    /// Returns the condition of a conditional branch.
    pub fn condition(self) -> Value {
        Value(unsafe { LLVMGetCondition(self.0) })
    }

    /// Changes the condition of a conditional branch.
    pub fn set_condition(self, condition: Value) {
        unsafe { LLVMSetCondition(self.0, condition.0) }
    }

    /// Returns the successors of a terminator.
    pub fn successors(self) -> Vec<Block> {
        (0..unsafe { LLVMGetNumSuccessors(self.0) })
            .map(|i| Block(unsafe { LLVMGetSuccessor(self.0, i) }))
            .collect()
    }

    /// Changes one successor of a terminator.
    pub fn set_successor(self, index: u32, block: Block) {
        unsafe { LLVMSetSuccessor(self.0, index, block.0) }
    }

    /// Returns the normal destination of an `invoke`.
    pub fn normal_destination(self) -> Block {
        Block(unsafe { LLVMGetNormalDest(self.0) })
    }

    /// Changes the normal destination of an `invoke`.
    pub fn set_normal_destination(self, block: Block) {
        unsafe { LLVMSetNormalDest(self.0, block.0) }
    }

    /// Returns the values and blocks of a phi.
    pub fn incoming(self) -> Vec<(Value, Block)> {
        (0..unsafe { LLVMCountIncoming(self.0) })
            .map(|i| unsafe {
                (Value(LLVMGetIncomingValue(self.0, i)), Block(LLVMGetIncomingBlock(self.0, i)))
            })
            .collect()
    }

    /// Adds values and blocks to a phi.
    pub fn add_incoming(self, incoming: &[(Value, Block)]) {
        for (value, block) in incoming {
            let (mut value, mut block) = (value.0, block.0);
            unsafe { LLVMAddIncoming(self.0, &mut value, &mut block, 1) };
        }
    }

    /// Returns the source element type of a `getelementptr`.
    pub fn source_element_type(self) -> Type {
        Type(unsafe { LLVMGetGEPSourceElementType(self.0) })
    }

    /// Returns the indices of an `extractvalue` or `insertvalue`.
    pub fn indices(self) -> Vec<u32> {
        unsafe {
            let count = LLVMGetNumIndices(self.0) as usize;
            std::slice::from_raw_parts(LLVMGetIndices(self.0), count).to_vec()
        }
    }

    /// Returns the file of an instruction or function. Clang strips the prefix that it shares with the
    /// working directory, or that directory itself.
    fn source_file(self) -> String {
        let (mut file_length, mut directory_length) = (0, 0);
        let (file, directory) = unsafe {
            let file = LLVMGetDebugLocFilename(self.0, &mut file_length);
            let directory = LLVMGetDebugLocDirectory(self.0, &mut directory_length);
            (
                bytes_to_string(file, file_length as usize),
                bytes_to_string(directory, directory_length as usize),
            )
        };
        if file.is_empty() || directory.is_empty() || file.starts_with('/') {
            return file;
        }
        format!("{directory}/{}", file.trim_start_matches("./"))
    }

    /// Returns the source position of an instruction, or of a function's definition.
    pub fn location(self) -> Location {
        unsafe {
            let file = self.source_file();
            if self.is_function() {
                let subprogram = LLVMGetSubprogram(self.0);
                let line = if subprogram.is_null() { 0 } else { LLVMDISubprogramGetLine(subprogram) };
                return Location { file, line, column: 0 };
            }
            Location { file, line: LLVMGetDebugLocLine(self.0), column: LLVMGetDebugLocColumn(self.0) }
        }
    }
}
