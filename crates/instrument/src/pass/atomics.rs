//! Atomic updates, expanded into values that the rest of the pass can label.
//!
//! After an `atomicrmw` or `cmpxchg` the pass inserts code that recomputes the value left in memory. The
//! value itself is dead, and clean-up removes it; but its label is what the shadow gets. On x86-64 a
//! `cmpxchg` stores if and only if the old value equals the expected one: it never fails spuriously.

use super::function::FunctionPass;
use super::segment::{Action, Segment};
use crate::llvm::{AtomicOp, Block, Builder, Module, Opcode, Predicate, Value};
use cairn_wire::Loss;
use std::collections::HashMap;

/// Role of a value in the expansion of an atomic update.
#[derive(Clone, Copy)]
pub enum AtomicPart {
    /// Value read from this address.
    Old(Value),
    /// Result of the comparison of a `cmpxchg`, where the block's terminator does not branch on it.
    Matched,
    /// Value at this address after the update.
    New(Value),
}

/// Expands the atomic updates of a function.
pub fn expand(module: &Module, function: Value) -> HashMap<Value, AtomicPart> {
    let builder = module.builder();
    let mut parts = HashMap::new();
    for instruction in function.blocks().into_iter().flat_map(Block::instructions) {
        match instruction.opcode() {
            Opcode::LLVMAtomicRMW => expand_update(module, &builder, instruction, &mut parts),
            Opcode::LLVMAtomicCmpXchg => expand_exchange(&builder, instruction, &mut parts),
            _ => {}
        }
    }
    parts
}

fn expand_update(module: &Module, builder: &Builder, update: Value, parts: &mut HashMap<Value, AtomicPart>) {
    let Some(next) = update.next() else { return };
    builder.before(next);
    if let Some(new) = updated(module, builder, update) {
        parts.insert(update, AtomicPart::Old(update.operand(0)));
        parts.insert(new, AtomicPart::New(update.operand(0)));
    }
}

/// Emits the value that an update leaves in memory.
fn updated(module: &Module, builder: &Builder, update: Value) -> Option<Value> {
    use AtomicOp::*;
    let operand = update.operand(1);
    let binary = |op| Some(builder.binary(op, update, operand));
    let extreme = |name: &str| {
        let ty = update.ty();
        let function = module.declare(&format!("llvm.{name}.i{}", ty.int_width()), ty, &[ty, ty]);
        Some(builder.call(function, &[update, operand]))
    };
    match update.atomic_op() {
        LLVMAtomicRMWBinOpXchg => Some(builder.freeze(operand)),
        LLVMAtomicRMWBinOpAdd => binary(Opcode::LLVMAdd),
        LLVMAtomicRMWBinOpSub => binary(Opcode::LLVMSub),
        LLVMAtomicRMWBinOpAnd => binary(Opcode::LLVMAnd),
        LLVMAtomicRMWBinOpOr => binary(Opcode::LLVMOr),
        LLVMAtomicRMWBinOpXor => binary(Opcode::LLVMXor),
        LLVMAtomicRMWBinOpNand => binary(Opcode::LLVMAnd).map(|and| builder.not(and)),
        LLVMAtomicRMWBinOpMax => extreme("smax"),
        LLVMAtomicRMWBinOpMin => extreme("smin"),
        LLVMAtomicRMWBinOpUMax => extreme("umax"),
        LLVMAtomicRMWBinOpUMin => extreme("umin"),
        LLVMAtomicRMWBinOpFAdd => binary(Opcode::LLVMFAdd),
        LLVMAtomicRMWBinOpFSub => binary(Opcode::LLVMFSub),
        _ => None,
    }
}

fn expand_exchange(builder: &Builder, exchange: Value, parts: &mut HashMap<Value, AtomicPart>) {
    let (address, expected, desired) = (exchange.operand(0), exchange.operand(1), exchange.operand(2));
    let users = exchange.users();
    let Some(next) = exchange.next() else { return };
    builder.before(next);
    let old = builder.extract_value(exchange, 0);
    let matched = builder.compare(Predicate::LLVMIntEQ, old, expected);
    let new = builder.select(matched, desired, old);
    for user in users.into_iter().filter(|user| user.opcode() == Opcode::LLVMExtractValue) {
        user.replace_with(if user.indices() == [0] { old } else { matched });
        user.erase();
    }
    parts.extend([(old, AtomicPart::Old(address)), (new, AtomicPart::New(address))]);
    if exchange.block().terminator().operands().first() != Some(&matched) {
        parts.insert(matched, AtomicPart::Matched);
    }
}

impl FunctionPass<'_> {
    /// Instruments an atomic update; its expanded parts follow as instructions of their own.
    pub fn atomic(&mut self, block: Block, update: Value, segment: &mut Segment) {
        if segment.stored || segment.reads_memory() {
            self.close(block, segment, update);
        }
        self.concretize(update, update.operand(0), segment);
        match self.atomics.get(&update) {
            Some(part) => self.atomic_part(update, *part, segment),
            None if update.opcode() == Opcode::LLVMAtomicRMW => self.lose_update(block, update, segment),
            None => {}
        }
    }

    /// Instruments a value of an expanded atomic update.
    pub fn atomic_part(&mut self, value: Value, part: AtomicPart, segment: &mut Segment) {
        match part {
            AtomicPart::Old(address) if self.labelled.contains(&value) => {
                segment.actions.push(Action::Load { address, value });
            }
            AtomicPart::Old(_) => {}
            AtomicPart::Matched => {
                self.operation(value, segment);
                self.concretize(value, value, segment);
            }
            AtomicPart::New(address) => {
                if self.labelled.contains(&value) {
                    self.operation(value, segment);
                }
                segment.actions.push(Action::Store { address, value });
                segment.stored = true;
            }
        }
    }

    /// Handles an update without an equivalent in C: memory and result are concrete afterwards.
    fn lose_update(&mut self, block: Block, update: Value, segment: &mut Segment) {
        let (address, operand) = (update.operand(0), update.operand(1));
        self.lose(update, &[operand], Loss::Atomic, segment);
        self.lose_memory(update, address, operand.ty(), Loss::Atomic, segment);
        self.close(block, segment, update);
        self.builder.before(update);
        self.clear(address, operand.ty());
    }
}
