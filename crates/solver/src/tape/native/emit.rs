//! Translates a tape to Cranelift IR.
//!
//! A value is an integer of the next larger IR type, its other bits zero, as in the interpreters' registers.
//! Floats are kept as float or as integer values, or both, so that a chain of float operations stays in float
//! registers.

use super::{Kept, helpers};
use crate::tape::Tape;
use crate::tape::step::{Reg, TapeStep};
use cairn_expr::semantics::ones;
use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::ir::types::{F32, F64, I8, I16, I32, I64, I128};
use cranelift_codegen::ir::{
    AbiParam, Function, InsertBuilder, InstBuilder, MemFlagsData, SigRef, Signature, StackSlotData,
    StackSlotKind, Type, Value,
};
use cranelift_codegen::isa::CallConv;

/// The IR values of a register: as an integer, as a float, or both.
#[derive(Clone, Copy, Default)]
struct Known {
    bits: Option<Value>,
    number: Option<Value>,
}

pub(super) struct Emitter<'a> {
    cursor: FuncCursor<'a>,
    pub(super) tape: &'a Tape,
    pub(super) kept: &'a Kept,
    convention: CallConv,
    registers: Vec<Known>,
    /// Per table: true if the code that writes its symbolic bytes was emitted.
    pub(super) written: Vec<bool>,
    pub(super) input: Value,
    narrow: Option<SigRef>,
    wide: Option<(SigRef, Value)>,
}

/// The IR value that a step computes.
pub(super) enum Made {
    Bits(Value),
    Number(Value),
}

/// Fills `function` with code that computes the tape's roots.
pub(super) fn function(function: &mut Function, convention: CallConv, tape: &Tape, kept: &Kept) {
    function.signature.call_conv = convention;
    function.signature.params = vec![AbiParam::new(I64); 2];
    let block = function.dfg.make_block();
    let [input, out] = [I64, I64].map(|ty| function.dfg.append_block_param(block, ty));
    let mut cursor = FuncCursor::new(function);
    cursor.insert_block(block);
    let mut emitter = Emitter {
        cursor,
        tape,
        kept,
        convention,
        registers: Vec::with_capacity(tape.steps.len()),
        written: vec![false; tape.tables.len()],
        input,
        narrow: None,
        wide: None,
    };
    for (i, &step) in tape.steps.iter().enumerate() {
        let known = match emitter.step(i, step) {
            Made::Bits(value) => Known { bits: Some(value), number: None },
            Made::Number(value) => Known { bits: None, number: Some(value) },
        };
        emitter.registers.push(known);
    }
    emitter.store_roots(out);
}

/// Returns the smallest integer type for values of this width.
pub(super) fn holder(width: u8) -> Type {
    match width {
        ..=8 => I8,
        9..=16 => I16,
        17..=32 => I32,
        33..=64 => I64,
        _ => I128,
    }
}

pub(super) fn float_type(width: u8) -> Type {
    if width == 32 { F32 } else { F64 }
}

/// Returns flags for accesses that cannot trap, at any alignment.
pub(super) fn plain() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}

impl<'a> Emitter<'a> {
    pub(super) fn ins(&mut self) -> InsertBuilder<'_, &mut FuncCursor<'a>> {
        self.cursor.ins()
    }

    fn step(&mut self, i: usize, step: TapeStep) -> Made {
        let made = match step {
            TapeStep::Load(load) => Some(self.load(load)),
            TapeStep::Binary(op, width, a, b) => self.binary(op, width, a, b),
            TapeStep::Compare(op, width, a, b) => Some(self.compare(op, width, a, b)),
            TapeStep::SignExtend { from, to, of } => Some(self.sign_extend(from, to, of)),
            TapeStep::Extract { low, width, of } => Some(self.extract(low, width, of)),
            TapeStep::Concat { width, low_width, high, low } => {
                Some(self.concat(width, low_width, high, low))
            }
            TapeStep::Choose { width, condition, yes, no } => Some(self.choose(width, condition, yes, no)),
            TapeStep::FloatCompare(op, width, a, b) => Some(self.float_compare(op, width, a, b)),
            TapeStep::BitCount(what, width, of) => Some(self.count(what, width, of)),
            TapeStep::Read { table, bytes, place } => Some(self.read(table, bytes, place)),
            TapeStep::Float(op, width, a, b) => return self.float(i, op, width, a, b),
            TapeStep::Convert { how, from, to, of } => return self.convert(i, how, from, to, of),
            TapeStep::Math(function, width, operands) => return self.math(i, function, width, operands[0]),
        };
        Made::Bits(made.unwrap_or_else(|| self.call(i)))
    }

    pub(super) fn type_of(&self, value: Value) -> Type {
        self.cursor.func.dfg.value_type(value)
    }

    /// Returns the value of a constant's register.
    pub(super) fn as_constant(&self, register: Reg) -> Option<u128> {
        let i = (register as usize).checked_sub(self.tape.steps.len())?;
        Some(self.tape.constants[i])
    }

    pub(super) fn constant(&mut self, ty: Type, value: u128) -> Value {
        if ty == I128 {
            let [low, high] = [value, value >> 64].map(|half| self.ins().iconst(I64, half as u64 as i64));
            return self.ins().iconcat(low, high);
        }
        let value = value & ones(ty.bits() as u8);
        self.ins().iconst(ty, value as u64 as i64)
    }

    /// Returns a register's value in the type it has; a constant in one that is large enough.
    pub(super) fn held(&mut self, register: Reg) -> Value {
        if let Some(value) = self.as_constant(register) {
            return self.constant(if value > u64::MAX.into() { I128 } else { I64 }, value);
        }
        let known = self.registers[register as usize];
        known.bits.unwrap_or_else(|| {
            let number = known.number.expect("a register is known one way or the other");
            let ty = if self.type_of(number) == F32 { I32 } else { I64 };
            let bits = self.ins().bitcast(ty, MemFlagsData::new(), number);
            self.registers[register as usize].bits = Some(bits);
            bits
        })
    }

    /// Returns a register's value as an integer of this type.
    pub(super) fn bits(&mut self, register: Reg, ty: Type) -> Value {
        match self.as_constant(register) {
            Some(value) => self.constant(ty, value),
            None => {
                let held = self.held(register);
                self.resized(held, ty)
            }
        }
    }

    /// Returns a register's value as a float of this width.
    pub(super) fn number(&mut self, register: Reg, width: u8) -> Value {
        let ty = float_type(width);
        let known = self.registers.get(register as usize).and_then(|known| known.number);
        known.filter(|&number| self.type_of(number) == ty).unwrap_or_else(|| {
            let bits = self.bits(register, holder(width));
            let number = self.ins().bitcast(ty, MemFlagsData::new(), bits);
            if let Some(known) = self.registers.get_mut(register as usize) {
                known.number = Some(number);
            }
            number
        })
    }

    /// Zero-extends or truncates a value to this type.
    pub(super) fn resized(&mut self, value: Value, ty: Type) -> Value {
        let own = self.type_of(value);
        match own.bits().cmp(&ty.bits()) {
            std::cmp::Ordering::Less => self.ins().uextend(ty, value),
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Greater => self.ins().ireduce(ty, value),
        }
    }

    /// Clears all but this many low bits.
    pub(super) fn masked(&mut self, value: Value, width: u8) -> Value {
        let ty = self.type_of(value);
        if u32::from(width) >= ty.bits() {
            return value;
        }
        let mask = self.constant(ty, ones(width));
        self.ins().band(value, mask)
    }

    /// Emits a call of the helper that computes the step.
    pub(super) fn call(&mut self, i: usize) -> Value {
        let mut step = self.tape.steps[i];
        let result = holder(step.width());
        let operands: Vec<Reg> = step.operands_mut().into_iter().flatten().map(|operand| *operand).collect();
        let held: Vec<Value> = operands.iter().map(|&operand| self.held(operand)).collect();
        let address = &raw const self.kept.steps[i] as i64;
        let step = self.ins().iconst(I64, address);
        if result == I128 || held.iter().any(|&value| self.type_of(value) == I128) {
            self.call_wide(step, &held, result)
        } else {
            self.call_narrow(step, &held, result)
        }
    }

    fn call_narrow(&mut self, step: Value, operands: &[Value], result: Type) -> Value {
        let signature = *self.narrow.get_or_insert_with(|| {
            let mut signature = Signature::new(self.convention);
            signature.params = vec![AbiParam::new(I64); 4];
            signature.returns = vec![AbiParam::new(I64)];
            self.cursor.func.import_signature(signature)
        });
        let mut arguments = vec![step];
        for i in 0..3 {
            let operand = operands.get(i).map(|&operand| self.resized(operand, I64));
            arguments.push(operand.unwrap_or(arguments[i]));
        }
        let helper = self.ins().iconst(I64, helpers::narrow as *const () as i64);
        let call = self.ins().call_indirect(signature, helper, &arguments);
        let value = self.cursor.func.dfg.first_result(call);
        self.resized(value, result)
    }

    fn call_wide(&mut self, step: Value, operands: &[Value], result: Type) -> Value {
        let (signature, place) = self.wide_call();
        for (i, &operand) in (0..).zip(operands) {
            let operand = self.resized(operand, I128);
            self.ins().store(plain(), operand, place, i * 16);
        }
        let helper = self.ins().iconst(I64, helpers::wide as *const () as i64);
        self.ins().call_indirect(signature, helper, &[step, place]);
        let value = self.ins().load(I128, plain(), place, 0);
        self.resized(value, result)
    }

    /// Returns the wide helper's signature, and the stack slot of its operands.
    fn wide_call(&mut self) -> (SigRef, Value) {
        if let Some(known) = self.wide {
            return known;
        }
        let mut signature = Signature::new(self.convention);
        signature.params = vec![AbiParam::new(I64); 2];
        let signature = self.cursor.func.import_signature(signature);
        let slot = StackSlotData::new(StackSlotKind::ExplicitSlot, 48, 4);
        let slot = self.cursor.func.create_sized_stack_slot(slot);
        let place = self.ins().stack_addr(I64, slot, 0);
        // A helper is shown three operands, whether it needs them or not.
        let zero = self.constant(I128, 0);
        for i in 0..3 {
            self.ins().store(plain(), zero, place, i * 16);
        }
        *self.wide.insert((signature, place))
    }

    fn store_roots(&mut self, out: Value) {
        for (i, &root) in (0..).zip(&self.tape.roots) {
            let value = self.bits(root, I128);
            self.ins().store(plain(), value, out, i * 16);
        }
        self.ins().return_(&[]);
    }
}
