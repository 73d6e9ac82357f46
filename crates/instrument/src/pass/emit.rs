//! The slow block of a segment: straight calls into the runtime.
//!
//! It computes the segment's operations a second time, from inputs the optimiser cannot recognise: used
//! directly, every intermediate value would have to survive until the check, and the fast path would
//! spend its time saving registers for a block it hardly ever enters.

use super::function::{FunctionPass, Labels};
use super::intrinsics::{Intrinsic, intrinsic};
use super::segment::Action;
use super::types::{Leaf, leaf_range, leaves, scalar_width};
use crate::llvm::{Opcode, Predicate, Type, TypeKind, Value};
use cairn_wire::Op;
use std::collections::HashMap;

/// Builds one slow block at the builder's position.
pub struct Slow<'a, 'b> {
    pass: &'a FunctionPass<'b>,
    /// Labels computed in this block.
    here: Labels,
    /// The same, in order.
    order: Vec<Value>,
    /// What stands for the values of the fast path here.
    doubles: HashMap<Value, Value>,
}

impl<'a, 'b> Slow<'a, 'b> {
    /// An empty slow block.
    pub fn new(pass: &'a FunctionPass<'b>) -> Self {
        Slow { pass, here: Labels::new(), order: Vec::new(), doubles: HashMap::new() }
    }

    /// Emits all actions; the values that got labels, in order.
    pub fn run(mut self, actions: &[Action]) -> Vec<(Value, Vec<Value>)> {
        for action in actions {
            match *action {
                Action::Operation(instruction) => {
                    self.repeat(instruction);
                    let labels = self.operation(instruction);
                    self.set(instruction, labels);
                }
                Action::Load(load) => {
                    self.adopt(load.operand(0));
                    self.adopt(load);
                    let labels = self.load(load);
                    self.set(load, labels);
                }
                Action::Store(store) => {
                    self.adopt(store.operand(1));
                    self.store(store);
                }
                Action::Decision(site, value) => {
                    self.adopt(value);
                    self.report(self.pass.unit.abi.branch, site, value);
                }
                Action::Lose(value) => {
                    self.pass.builder.call(self.pass.unit.abi.lost, &[self.label(value)]);
                }
                Action::LoseMemory { address, value } => {
                    self.adopt(address);
                    let size = self.pass.unit.module.store_size(value.ty());
                    let arguments = [self.wide(address), self.constant(64, size)];
                    self.pass.builder.call(self.pass.unit.abi.lost_memory, &arguments);
                }
                Action::Pin(site, value) => {
                    self.adopt(value);
                    self.report(self.pass.unit.abi.pin, site, value);
                }
            }
        }
        let here = self.here;
        self.order.into_iter().map(|value| (value, here[&value].clone())).collect()
    }

    fn set(&mut self, value: Value, labels: Vec<Value>) {
        self.here.insert(value, labels);
        self.order.push(value);
    }

    /// Computes an operation again.
    fn repeat(&mut self, instruction: Value) {
        let double = instruction.duplicate();
        let callee = instruction.opcode() == Opcode::LLVMCall;
        for (index, operand) in instruction.operands().into_iter().enumerate() {
            if callee && index > 0 {
                break;
            }
            self.adopt(operand);
            double.set_operand(index as u32, self.value(operand));
        }
        self.pass.builder.insert(double);
        self.doubles.insert(instruction, double);
    }

    /// Takes in a value from outside.
    fn adopt(&mut self, value: Value) {
        let plain_width = matches!(scalar_width(value.ty()), Some(8 | 16 | 32 | 64));
        if plain_width && (value.is_instruction() || value.is_param()) && !self.doubles.contains_key(&value) {
            self.doubles.insert(value, self.pass.builder.opaque(value));
        }
    }

    fn value(&self, value: Value) -> Value {
        self.doubles.get(&value).copied().unwrap_or(value)
    }

    fn labels(&self, value: Value) -> Vec<Value> {
        self.here.get(&value).cloned().unwrap_or_else(|| self.pass.labels_of(value))
    }

    fn label(&self, value: Value) -> Value {
        self.here.get(&value).map_or_else(|| self.pass.label_of(value), |labels| labels[0])
    }

    fn constant(&self, bits: u32, value: u64) -> Value {
        self.pass.unit.module.constant(bits, value)
    }

    fn wide(&self, value: Value) -> Value {
        self.pass.unit.abi.widen(&self.pass.builder, self.value(value))
    }

    fn report(&self, function: super::abi::Function, site: super::sites::SiteRef, value: Value) {
        let arguments = [self.pass.record(site), self.label(value), self.wide(value)];
        self.pass.builder.call(function, &arguments);
    }

    fn operation(&self, instruction: Value) -> Vec<Value> {
        use Opcode::*;
        let operand = |i| instruction.operand(i);
        match instruction.opcode() {
            LLVMICmp => vec![self.comparison(instruction)],
            LLVMTrunc => vec![self.cast(Op::Trunc, operand(0), instruction)],
            LLVMZExt => vec![self.cast(Op::ZExt, operand(0), instruction)],
            LLVMSExt => vec![self.cast(Op::SExt, operand(0), instruction)],
            LLVMPtrToInt | LLVMIntToPtr | LLVMBitCast => vec![self.reinterpret(operand(0), instruction)],
            LLVMFreeze => self.labels(operand(0)),
            LLVMGetElementPtr => vec![self.address(instruction)],
            LLVMSelect => self.select(instruction),
            LLVMExtractValue => self.extract(instruction),
            LLVMInsertValue => self.insert(instruction),
            LLVMCall => vec![self.intrinsic(instruction)],
            opcode => vec![self.arithmetic(opcode, instruction)],
        }
    }

    fn arithmetic(&self, opcode: Opcode, instruction: Value) -> Value {
        match arithmetic_op(opcode) {
            Some(op) => self.binary_instruction(op, instruction),
            None => self.pass.unit.abi.concrete,
        }
    }

    fn comparison(&self, instruction: Value) -> Value {
        self.binary_instruction(comparison_op(instruction.predicate()), instruction)
    }

    fn binary_instruction(&self, op: Op, instruction: Value) -> Value {
        let (a, b) = (instruction.operand(0), instruction.operand(1));
        let Some(width) = scalar_width(a.ty()) else { return self.pass.unit.abi.concrete };
        let sides = [a, b].map(|side| (self.label(side), self.wide(side)));
        self.binary(op, width, sides[0], sides[1], self.wide(instruction))
    }

    fn binary(&self, op: Op, width: u32, a: (Value, Value), b: (Value, Value), result: Value) -> Value {
        let concrete = self.pass.unit.abi.concrete;
        if a.0 == concrete && b.0 == concrete {
            return concrete;
        }
        let code = self.constant(32, u64::from(op as u32 | width << 8));
        self.pass.builder.call(self.pass.unit.abi.binary, &[code, a.0, b.0, a.1, b.1, result])
    }

    fn cast(&self, op: Op, from: Value, result: Value) -> Value {
        match scalar_width(result.ty()) {
            Some(width) => self.cast_label(op, width, self.label(from), self.wide(result)),
            None => self.pass.unit.abi.concrete,
        }
    }

    fn cast_label(&self, op: Op, width: u32, label: Value, result: Value) -> Value {
        if label == self.pass.unit.abi.concrete {
            return label;
        }
        let code = self.constant(32, u64::from(op as u32 | width << 8));
        self.pass.builder.call(self.pass.unit.abi.cast, &[code, label, result])
    }

    /// Between integers and pointers, which may have other widths.
    fn reinterpret(&self, from: Value, result: Value) -> Value {
        match (scalar_width(from.ty()), scalar_width(result.ty())) {
            (Some(old), Some(new)) if old == new => self.label(from),
            (Some(old), Some(new)) if old < new => self.cast(Op::ZExt, from, result),
            (Some(_), Some(_)) => self.cast(Op::Trunc, from, result),
            _ => self.pass.unit.abi.concrete,
        }
    }

    fn select(&self, instruction: Value) -> Vec<Value> {
        let condition = instruction.operand(0);
        let (yes, no) = (self.labels(instruction.operand(1)), self.labels(instruction.operand(2)));
        if condition.ty().kind() == TypeKind::LLVMVectorTypeKind {
            return vec![self.pass.unit.abi.concrete; yes.len()];
        }
        yes.into_iter().zip(no).map(|(y, n)| self.pass.builder.select(self.value(condition), y, n)).collect()
    }

    fn extract(&self, instruction: Value) -> Vec<Value> {
        let whole = instruction.operand(0);
        let (start, len) = leaf_range(self.pass.unit.module, whole.ty(), &instruction.indices());
        self.labels(whole)[start..start + len].to_vec()
    }

    fn insert(&self, instruction: Value) -> Vec<Value> {
        let (whole, part) = (instruction.operand(0), instruction.operand(1));
        let (start, len) = leaf_range(self.pass.unit.module, whole.ty(), &instruction.indices());
        let mut labels = self.labels(whole);
        labels.splice(start..start + len, self.labels(part));
        labels
    }

    fn intrinsic(&self, call: Value) -> Value {
        let operand = call.operand(0);
        match intrinsic(call.callee()) {
            Some(Intrinsic::ByteSwap) => {
                let width = self.constant(32, call.ty().int_width().into());
                let arguments = [width, self.label(operand), self.wide(call)];
                self.pass.builder.call(self.pass.unit.abi.bswap, &arguments)
            }
            _ => self.label(operand),
        }
    }

    /// An address: base plus every index times its stride, as the machine adds them up.
    fn address(&self, instruction: Value) -> Value {
        let base = instruction.operand(0);
        let mut sum = (self.label(base), self.wide(base));
        let mut ty = instruction.source_element_type();
        for (position, index) in instruction.operands().into_iter().skip(1).enumerate() {
            let stride;
            (ty, stride) = self.step(ty, position, index);
            sum = match stride {
                Step::Bytes(bytes) => {
                    self.advance(sum, (self.pass.unit.abi.concrete, self.constant(64, bytes)))
                }
                Step::Times(stride) => self.advance(sum, self.scaled(index, stride)),
            };
        }
        sum.0
    }

    fn step(&self, ty: Type, position: usize, index: Value) -> (Type, Step) {
        let module = self.pass.unit.module;
        match ty.kind() {
            _ if position == 0 => (ty, Step::Times(module.alloc_size(ty))),
            TypeKind::LLVMStructTypeKind => {
                let field = index.as_constant().unwrap_or(0) as u32;
                (ty.fields()[field as usize], Step::Bytes(module.field_offset(ty, field)))
            }
            _ => (ty.element(), Step::Times(module.alloc_size(ty.element()))),
        }
    }

    fn scaled(&self, index: Value, stride: u64) -> (Value, Value) {
        let builder = &self.pass.builder;
        let wide = builder.sext(self.value(index), self.pass.unit.abi.word);
        let label = match index.ty().int_width() {
            64 => self.label(index),
            _ => self.cast_label(Op::SExt, 64, self.label(index), wide),
        };
        if stride == 1 {
            return (label, wide);
        }
        let stride = self.constant(64, stride);
        let product = builder.binary(Opcode::LLVMMul, wide, stride);
        (self.binary(Op::Mul, 64, (label, wide), (self.pass.unit.abi.concrete, stride), product), product)
    }

    fn advance(&self, sum: (Value, Value), term: (Value, Value)) -> (Value, Value) {
        if term.1.as_constant() == Some(0) {
            return sum;
        }
        let new = self.pass.builder.binary(Opcode::LLVMAdd, sum.1, term.1);
        (self.binary(Op::Add, 64, sum, term, new), new)
    }

    fn at(&self, address: Value, leaf: &Leaf) -> Value {
        let address = self.wide(address);
        self.pass.builder.binary(Opcode::LLVMAdd, address, self.constant(64, leaf.offset))
    }

    fn load(&self, load: Value) -> Vec<Value> {
        let all = leaves(self.pass.unit.module, load.ty()).unwrap_or_default();
        all.iter().map(|leaf| self.load_leaf(load, leaf)).collect()
    }

    fn load_leaf(&self, load: Value, leaf: &Leaf) -> Value {
        let Some(width) = leaf.width else { return self.pass.unit.abi.concrete };
        // Parts of an aggregate are read again: their values are only wanted for bytes that are concrete.
        let is_scalar = scalar_width(load.ty()).is_some();
        let value = if is_scalar { self.wide(load) } else { self.reload(load, leaf) };
        let size = self.constant(32, leaf.size);
        let label =
            self.pass.builder.call(self.pass.unit.abi.load, &[self.at(load.operand(0), leaf), size, value]);
        if u64::from(width) == leaf.size * 8 {
            label
        } else {
            self.cast_label(Op::Trunc, width, label, value)
        }
    }

    fn reload(&self, load: Value, leaf: &Leaf) -> Value {
        let module = self.pass.unit.module;
        let at = self.pass.builder.int_to_ptr(self.at(load.operand(0), leaf), module.pointer());
        self.wide(self.pass.builder.load(module.int(leaf.size as u32 * 8), at, 1))
    }

    fn store(&self, store: Value) {
        let (value, address) = (store.operand(0), store.operand(1));
        let (module, abi) = (self.pass.unit.module, self.pass.unit.abi);
        let Some(all) = leaves(module, value.ty()) else {
            let size = self.constant(64, module.store_size(value.ty()));
            self.pass.builder.call(abi.clear, &[self.wide(address), size]);
            return;
        };
        for (leaf, label) in all.iter().zip(self.labels(value)) {
            let at = self.at(address, leaf);
            match leaf.width {
                Some(_) => self.pass.builder.call(abi.store, &[at, self.constant(32, leaf.size), label]),
                None => self.pass.builder.call(abi.clear, &[at, self.constant(64, leaf.size)]),
            };
        }
    }
}

/// What one index of an address adds.
enum Step {
    Bytes(u64),
    Times(u64),
}

fn arithmetic_op(opcode: Opcode) -> Option<Op> {
    use Opcode::*;
    Some(match opcode {
        LLVMAdd => Op::Add,
        LLVMSub => Op::Sub,
        LLVMMul => Op::Mul,
        LLVMUDiv => Op::UDiv,
        LLVMSDiv => Op::SDiv,
        LLVMURem => Op::URem,
        LLVMSRem => Op::SRem,
        LLVMShl => Op::Shl,
        LLVMLShr => Op::LShr,
        LLVMAShr => Op::AShr,
        LLVMAnd => Op::And,
        LLVMOr => Op::Or,
        LLVMXor => Op::Xor,
        _ => return None,
    })
}

fn comparison_op(predicate: Predicate) -> Op {
    use Predicate::*;
    match predicate {
        LLVMIntEQ => Op::Eq,
        LLVMIntNE => Op::Ne,
        LLVMIntULT => Op::Ult,
        LLVMIntULE => Op::Ule,
        LLVMIntUGT => Op::Ugt,
        LLVMIntUGE => Op::Uge,
        LLVMIntSLT => Op::Slt,
        LLVMIntSLE => Op::Sle,
        LLVMIntSGT => Op::Sgt,
        LLVMIntSGE => Op::Sge,
    }
}
