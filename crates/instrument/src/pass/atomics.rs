//! Atomic updates of memory, spelled out in values the rest of the pass knows.
//!
//! After an update stands code that computes once more what it has left in memory. Nobody needs that value,
//! and the clean-up takes it out again; but its label is the memory's. On x86-64 an exchange happens if and
//! only if the old value is the expected one: it never fails for no reason.

use super::function::FunctionPass;
use super::segment::{Action, Segment};
use crate::llvm::{AtomicOp, Block, Builder, Module, Opcode, Predicate, Value};
use cairn_wire::Loss;
use std::collections::HashMap;

/// What a value is to the atomic update it was made for.
#[derive(Clone, Copy)]
pub enum Part {
    /// What was read from this address.
    Old(Value),
    /// Whether the old value was the expected one, where no branch right behind decides on that.
    Matched,
    /// What is at this address afterwards.
    New(Value),
}

/// Spells out the atomic updates of a function.
pub fn spell_out(module: &Module, function: Value) -> HashMap<Value, Part> {
    let builder = module.builder();
    let mut parts = HashMap::new();
    for instruction in function.blocks().into_iter().flat_map(Block::instructions) {
        match instruction.opcode() {
            Opcode::LLVMAtomicRMW => spell_update(module, &builder, instruction, &mut parts),
            Opcode::LLVMAtomicCmpXchg => spell_exchange(&builder, instruction, &mut parts),
            _ => {}
        }
    }
    parts
}

fn spell_update(module: &Module, builder: &Builder, update: Value, parts: &mut HashMap<Value, Part>) {
    let Some(next) = update.next() else { return };
    builder.before(next);
    if let Some(new) = updated(module, builder, update) {
        parts.insert(update, Part::Old(update.operand(0)));
        parts.insert(new, Part::New(update.operand(0)));
    }
}

/// What an update leaves in memory.
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

fn spell_exchange(builder: &Builder, exchange: Value, parts: &mut HashMap<Value, Part>) {
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
    parts.extend([(old, Part::Old(address)), (new, Part::New(address))]);
    if exchange.block().terminator().operands().first() != Some(&matched) {
        parts.insert(matched, Part::Matched);
    }
}

impl FunctionPass<'_> {
    /// An atomic update itself: its parts follow.
    pub fn atomic(&mut self, block: Block, update: Value, segment: &mut Segment) {
        if segment.stored || segment.reads_memory() {
            self.close(block, segment, update);
        }
        self.pin(update, update.operand(0), segment);
        match self.atomics.get(&update) {
            Some(part) => self.atomic_part(update, *part, segment),
            None if update.opcode() == Opcode::LLVMAtomicRMW => self.lose_update(block, update, segment),
            None => {}
        }
    }

    /// A value that belongs to an atomic update.
    pub fn atomic_part(&mut self, value: Value, part: Part, segment: &mut Segment) {
        match part {
            Part::Old(address) if self.labelled.contains(&value) => {
                segment.actions.push(Action::Load { address, value });
            }
            Part::Old(_) => {}
            Part::Matched => {
                self.operation(value, segment);
                self.pin(value, value, segment);
            }
            Part::New(address) => {
                if self.labelled.contains(&value) {
                    self.operation(value, segment);
                }
                segment.actions.push(Action::Store { address, value });
                segment.stored = true;
            }
        }
    }

    /// An update that C has no name for: memory and result are concrete afterwards.
    fn lose_update(&mut self, block: Block, update: Value, segment: &mut Segment) {
        let (address, operand) = (update.operand(0), update.operand(1));
        self.lose(update, &[operand], Loss::Atomic, segment);
        self.lose_memory(update, address, operand.ty(), Loss::Atomic, segment);
        self.close(block, segment, update);
        self.builder.before(update);
        self.clear(address, operand.ty());
    }
}
