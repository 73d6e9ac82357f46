//! Variadic arguments: the caller describes where the System V calling convention puts them.
//!
//! A variadic function saves its argument registers in an area of its frame, and `va_arg` is ordinary code
//! that reads this area or the stack. So it suffices to write the labels to the shadow of both, once, in the
//! prologue. Only the caller knows the location of each argument: it passes the address of a constant that
//! describes them.

use super::calls::{VA_LIST_SIZE, argument_slots};
use super::function::FunctionPass;
use super::intrinsics::{Intrinsic, intrinsic};
use super::types::leaves;
use crate::llvm::{Module, Opcode, Type, TypeKind, Value};
use cairn_wire::tls::{MAX_ARGS, MAX_BYVAL, Piece, REGISTER_AREA, Variadic};

/// Registers for integers and pointers, eight bytes each (System V ABI).
const INTEGER_REGISTERS: u32 = 6;
/// Registers for floats and vectors, sixteen bytes each (System V ABI).
const VECTOR_REGISTERS: u32 = 8;

impl FunctionPass<'_> {
    /// Emits, before a call of a variadic function, the address of its argument layout.
    pub fn emit_argument_layout(&self, call: Value) {
        let (module, abi) = (self.unit.module, self.unit.abi);
        let locations = module.constant_bytes("cairn.variadic.", &encode(&describe(module, call)));
        self.builder.store(abi.widen(&self.builder, locations), abi.variadic(module));
    }

    /// Emits, in the prologue of a variadic function, the transfer of the argument labels to the shadow.
    pub fn receive_variadic(&self) {
        if !uses_va_start(self.function) {
            return;
        }
        let (module, abi) = (self.unit.module, self.unit.abi);
        let list = self.builder.alloca(module.byte_array(VA_LIST_SIZE));
        self.builder.call(abi.va_start, &[list]);
        let function = self.builder.ptr_to_int(self.function, abi.word);
        let named = module.constant(64, u64::from(named_stack_bytes(module, self.function)));
        self.builder.call(abi.va_enter, &[list, function, named]);
    }
}

/// True if a function calls `va_start`.
fn uses_va_start(function: Value) -> bool {
    let starts =
        |i: Value| i.opcode() == Opcode::LLVMCall && intrinsic(i.callee()) == Some(Intrinsic::VaStart);
    function.blocks().into_iter().any(|block| block.instructions().into_iter().any(starts))
}

/// Returns the stack size of a variadic function's named parameters.
fn named_stack_bytes(module: &Module, function: Value) -> u32 {
    let mut locations = ArgumentLocations::default();
    for (index, param) in (0..).zip(function.params()) {
        locations.next(
            module,
            param.ty(),
            function.byval_type(index).map(|ty| (ty, function.alignment(index))),
        );
    }
    locations.stack
}

fn describe(module: &Module, call: Value) -> (Variadic, Vec<Piece>) {
    let (mut locations, mut pieces, mut byval) =
        (ArgumentLocations::default(), Vec::new(), MAX_ARGS..MAX_ARGS + MAX_BYVAL);
    let arguments = call.arguments();
    let slots = argument_slots(module, &arguments);
    for ((argument, slot), index) in arguments.into_iter().zip(slots).zip(0..) {
        let copied = call.call_byval_type(index);
        let start = locations.next(module, argument.ty(), copied.map(|ty| (ty, call.call_alignment(index))));
        if let Some(ty) = copied {
            let piece = |source| Piece { place: start, size: module.store_size(ty) as u32, source };
            pieces.extend(byval.next().map(|source| piece(source as u32)));
            continue;
        }
        for (leaf, slot) in leaves(module, argument.ty()).into_iter().flatten().zip(slot..MAX_ARGS) {
            if leaf.width.is_some() {
                let place = start + leaf.offset as u32;
                pieces.push(Piece { place, size: leaf.size as u32, source: slot as u32 });
            }
        }
    }
    (Variadic { stack_bytes: locations.stack, pieces: pieces.len() as u32 }, pieces)
}

/// Encodes the layout as little-endian 32-bit words.
fn encode((variadic, pieces): &(Variadic, Vec<Piece>)) -> Vec<u8> {
    let front = [variadic.stack_bytes, variadic.pieces];
    let rest = pieces.iter().flat_map(|piece| [piece.place, piece.size, piece.source]);
    front.into_iter().chain(rest).flat_map(u32::to_le_bytes).collect()
}

/// Assigns argument locations, in order.
#[derive(Default)]
struct ArgumentLocations {
    integers: u32,
    vectors: u32,
    stack: u32,
}

impl ArgumentLocations {
    /// Returns the location of the next argument; `copied` is the type and alignment of one passed in memory.
    fn next(&mut self, module: &Module, ty: Type, copied: Option<(Type, u32)>) -> u32 {
        if let Some((ty, align)) = copied {
            return self.on_stack(module.store_size(ty) as u32, align);
        }
        let size = module.store_size(ty) as u32;
        match ty.kind() {
            TypeKind::LLVMX86_FP80TypeKind | TypeKind::LLVMStructTypeKind | TypeKind::LLVMArrayTypeKind => {
                self.on_stack(size, 16)
            }
            TypeKind::LLVMIntegerTypeKind | TypeKind::LLVMPointerTypeKind => self.integer(size),
            _ => self.vector(size),
        }
    }

    /// Assigns an integer to registers as a whole, or to the stack.
    fn integer(&mut self, size: u32) -> u32 {
        let registers = size.div_ceil(8);
        if self.integers + registers > INTEGER_REGISTERS {
            return self.on_stack(size, 8 * registers);
        }
        let location = self.integers * 8;
        self.integers += registers;
        location
    }

    fn vector(&mut self, size: u32) -> u32 {
        if self.vectors == VECTOR_REGISTERS || size > 16 {
            return self.on_stack(size, size);
        }
        let location = INTEGER_REGISTERS * 8 + self.vectors * 16;
        self.vectors += 1;
        location
    }

    fn on_stack(&mut self, size: u32, align: u32) -> u32 {
        let start = self.stack.next_multiple_of(align.max(8));
        self.stack = (start + size).next_multiple_of(8);
        REGISTER_AREA + start
    }
}
