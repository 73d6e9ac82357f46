//! Questions to types, blocks and values.
#![allow(clippy::undocumented_unsafe_blocks)] // one reason for all calls, see the parent

use super::{
    AtomicOp, Block, Builder, Linkage, Location, Opcode, Predicate, Type, TypeKind, Value, bytes_to_string,
    chain, message,
};
use llvm_sys::core::*;
use llvm_sys::debuginfo::{LLVMDISubprogramGetLine, LLVMGetSubprogram};
use std::ffi::CStr;

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

    /// Elements of a vector type.
    pub fn vector_len(self) -> u32 {
        unsafe { LLVMGetVectorSize(self.0) }
    }

    /// Whether a function type takes more arguments than it names.
    pub fn is_variadic(self) -> bool {
        unsafe { LLVMIsFunctionVarArg(self.0) != 0 }
    }

    /// The type in LLVM's notation.
    pub fn text(self) -> String {
        message(unsafe { LLVMPrintTypeToString(self.0) })
    }

    /// Name of a struct type; empty if it has none, or is another kind of type: LLVM reads beyond the end of those.
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

    /// Whether the type has a size.
    pub fn is_sized(self) -> bool {
        unsafe { LLVMTypeIsSized(self.0) != 0 }
    }
}

impl Block {
    /// Instructions in order.
    pub fn instructions(self) -> Vec<Value> {
        chain(unsafe { LLVMGetFirstInstruction(self.0) }, |i| unsafe { LLVMGetNextInstruction(i) })
            .map(Value)
            .collect()
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

    /// Deletes a block that nothing leads to.
    pub fn delete(self) {
        unsafe { LLVMDeleteBasicBlock(self.0) }
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

    /// Whether an instruction calls something.
    pub fn is_call(self) -> bool {
        matches!(self.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke)
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

    /// Deletes an instruction that is in no block.
    pub fn delete_unlinked(self) {
        unsafe { LLVMDeleteInstruction(self.0) }
    }

    /// Section of a global variable; empty if it is in none of its own.
    pub fn section(self) -> String {
        unsafe {
            let name = LLVMGetSection(self.0);
            if name.is_null() { String::new() } else { CStr::from_ptr(name).to_string_lossy().into_owned() }
        }
    }

    /// The bytes of a field of the struct that a global variable is initialised with.
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

    /// The value as an integer constant, zero-extended.
    pub fn as_constant(self) -> Option<u64> {
        unsafe {
            let int = LLVMIsAConstantInt(self.0);
            (!int.is_null() && self.ty().int_width() <= 64).then(|| LLVMConstIntGetZExtValue(int))
        }
    }

    /// Whether this is the null pointer, or another constant of zeros.
    pub fn is_null(self) -> bool {
        unsafe { LLVMIsNull(self.0) != 0 }
    }

    /// Whether this is a function.
    pub fn is_function(self) -> bool {
        !unsafe { LLVMIsAFunction(self.0) }.is_null()
    }

    /// Whether this is a global variable whose contents never change.
    pub fn is_constant_global(self) -> bool {
        unsafe { !LLVMIsAGlobalVariable(self.0).is_null() && LLVMIsGlobalConstant(self.0) != 0 }
    }

    /// Whether this is a string that the source has no name for.
    pub fn is_literal(self) -> bool {
        self.is_constant_global() && self.linkage() == Linkage::LLVMPrivateLinkage
    }

    /// Whether this is room for a local variable.
    pub fn is_alloca(self) -> bool {
        !unsafe { LLVMIsAAllocaInst(self.0) }.is_null()
    }

    /// Type of a global variable that this unit defines.
    pub fn defined_variable(self) -> Option<Type> {
        unsafe {
            let is_variable = !LLVMIsAGlobalVariable(self.0).is_null();
            (is_variable && !self.is_declaration()).then(|| Type(LLVMGlobalGetValueType(self.0)))
        }
    }

    /// Whether every thread has its own copy of a variable.
    pub fn is_thread_local(self) -> bool {
        unsafe { LLVMIsThreadLocal(self.0) != 0 }
    }

    /// Type that an `alloca` of one element makes room for.
    pub fn allocated_type(self) -> Option<Type> {
        unsafe {
            let is_alloca = !LLVMIsAAllocaInst(self.0).is_null();
            (is_alloca && self.operand(0).as_constant() == Some(1))
                .then(|| Type(LLVMGetAllocatedType(self.0)))
        }
    }

    /// Type of one of the elements that an `alloca` makes room for.
    pub fn allocated_element(self) -> Type {
        Type(unsafe { LLVMGetAllocatedType(self.0) })
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

    /// Makes a symbol visible in its unit only.
    pub fn make_internal(self) {
        unsafe { LLVMSetLinkage(self.0, Linkage::LLVMInternalLinkage) }
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
        chain(unsafe { LLVMGetFirstBasicBlock(self.0) }, |b| unsafe { LLVMGetNextBasicBlock(b) })
            .map(Block)
            .collect()
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

    /// Whether a call's argument has an attribute without value.
    pub fn has_argument_attribute(self, argument: u32, name: &str) -> bool {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            !LLVMGetCallSiteEnumAttribute(self.0, argument + 1, kind).is_null()
        }
    }

    /// Alignment that is promised of a parameter, or 0.
    pub fn alignment(self, param: u32) -> u32 {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"align".as_ptr(), 5);
            let attribute = LLVMGetEnumAttributeAtIndex(self.0, param + 1, kind);
            if attribute.is_null() { 0 } else { LLVMGetEnumAttributeValue(attribute) as u32 }
        }
    }

    /// As [`Value::alignment`], of a call's argument.
    pub fn call_alignment(self, argument: u32) -> u32 {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"align".as_ptr(), 5);
            let attribute = LLVMGetCallSiteEnumAttribute(self.0, argument + 1, kind);
            if attribute.is_null() { 0 } else { LLVMGetEnumAttributeValue(attribute) as u32 }
        }
    }

    /// Type of what a pointer given to inline assembly points to.
    pub fn call_element_type(self, argument: u32) -> Option<Type> {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(c"elementtype".as_ptr(), 11);
            let attribute = LLVMGetCallSiteEnumAttribute(self.0, argument + 1, kind);
            (!attribute.is_null()).then(|| Type(LLVMGetTypeAttributeValue(attribute)))
        }
    }

    /// Value of a function's attribute that has a string for a name.
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

    /// Whether a function has this attribute.
    pub fn has_attribute(self, name: &str) -> bool {
        unsafe {
            let kind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
            !LLVMGetEnumAttributeAtIndex(self.0, llvm_sys::LLVMAttributeFunctionIndex, kind).is_null()
        }
    }

    /// What an atomic update does with memory and its operand.
    pub fn atomic_op(self) -> AtomicOp {
        unsafe { LLVMGetAtomicRMWBinOp(self.0) }
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
        let must = llvm_sys::LLVMTailCallKind::LLVMTailCallKindMustTail;
        self.opcode() == Opcode::LLVMCall && unsafe { LLVMGetTailCallKind(self.0) } == must
    }

    /// Whether this is inline assembly.
    pub fn is_inline_asm(self) -> bool {
        !unsafe { LLVMIsAInlineAsm(self.0) }.is_null()
    }

    /// Template of inline assembly.
    pub fn asm_template(self) -> String {
        let mut len = 0;
        bytes_to_string(unsafe { LLVMGetInlineAsmAsmString(self.0, &mut len) }, len)
    }

    /// Constraints of inline assembly: those of the outputs first.
    pub fn asm_constraints(self) -> String {
        let mut len = 0;
        bytes_to_string(unsafe { LLVMGetInlineAsmConstraintString(self.0, &mut len) }, len)
    }

    /// LLVM's number of a floating-point comparison's predicate.
    pub fn float_predicate(self) -> u32 {
        unsafe { LLVMGetFCmpPredicate(self.0) as u32 }
    }

    /// Which elements a `shufflevector` takes; `None` where it does not matter.
    pub fn shuffle_mask(self) -> Vec<Option<usize>> {
        unsafe {
            let count = LLVMGetNumMaskElements(self.0);
            (0..count).map(|i| usize::try_from(LLVMGetMaskValue(self.0, i)).ok()).collect()
        }
    }

    /// Predicate of an integer comparison.
    pub fn predicate(self) -> Predicate {
        unsafe { LLVMGetICmpPredicate(self.0) }
    }

    /// Whether an operation's signed result is taken to have room.
    pub fn must_not_wrap(self) -> bool {
        unsafe { LLVMGetNSW(self.0) != 0 }
    }

    /// Takes no result for granted to have room, and no address to stay inside its object.
    pub fn allow_wrapping(self) {
        use Opcode::{LLVMAdd, LLVMGetElementPtr, LLVMMul, LLVMShl, LLVMSub};
        match self.opcode() {
            LLVMAdd | LLVMSub | LLVMMul | LLVMShl => unsafe { LLVMSetNSW(self.0, 0) },
            LLVMGetElementPtr => unsafe { LLVMSetIsInBounds(self.0, 0) },
            _ => {}
        }
    }

    /// Whether a branch has a condition.
    pub fn is_conditional(self) -> bool {
        unsafe { LLVMIsConditional(self.0) != 0 }
    }

    /// Condition of a conditional branch.
    pub fn condition(self) -> Value {
        Value(unsafe { LLVMGetCondition(self.0) })
    }

    /// Changes the condition of a conditional branch.
    pub fn set_condition(self, condition: Value) {
        unsafe { LLVMSetCondition(self.0, condition.0) }
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

    /// Where an `invoke` goes on if nothing is thrown.
    pub fn normal_destination(self) -> Block {
        Block(unsafe { LLVMGetNormalDest(self.0) })
    }

    /// Changes [`Value::normal_destination`].
    pub fn set_normal_destination(self, block: Block) {
        unsafe { LLVMSetNormalDest(self.0, block.0) }
    }

    /// Values and blocks of a phi.
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

    /// The file of an instruction or function. Clang cuts off what it has in common with the directory it runs in, or
    /// that directory itself.
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

    /// Source position of an instruction, or of a function's definition.
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
