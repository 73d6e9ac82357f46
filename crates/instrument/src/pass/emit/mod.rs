//! The slow path of a segment: a block with straight-line calls into the runtime.
//!
//! It recomputes the segment's operations from operands made opaque to the optimiser. If it used the values
//! of the fast path directly, every intermediate value would have to stay live until the guard, and the fast
//! path would spend its time spilling registers for a block that is hardly ever entered.

mod address;
mod composed;
mod memory;
mod operation;
mod symbolic_load;
mod term;
mod vector;

use super::function::{FunctionPass, Labels};
use super::intrinsics::is_costly;
use super::op_semantics::semantics;
use super::segment::Action;
use super::semantics::Semantics;
use super::types::scalar_width;
use crate::llvm::{Opcode, Value};
use std::collections::HashMap;

/// Builder of one slow path, at the pass's insertion point.
pub struct SlowPath<'a, 'b> {
    pass: &'a FunctionPass<'b>,
    /// Labels computed in this block.
    computed: Labels,
    /// Values with an entry in `computed`, in order.
    order: Vec<Value>,
    /// Copies, in this block, of values of the fast path.
    copies: HashMap<Value, Value>,
}

impl<'a, 'b> SlowPath<'a, 'b> {
    /// Starts an empty slow path.
    pub fn new(pass: &'a FunctionPass<'b>) -> Self {
        SlowPath { pass, computed: Labels::new(), order: Vec::new(), copies: HashMap::new() }
    }

    /// Emits all actions; returns the values that got labels, in order.
    pub fn run(mut self, actions: &[Action]) -> Vec<(Value, Vec<Value>)> {
        let mut rest = actions;
        while let [action, after @ ..] = rest {
            rest = match after {
                [Action::Decision(site, value), after @ ..]
                    if self.try_fused_decision(action, *site, *value) =>
                {
                    after
                }
                _ => {
                    self.action(action);
                    after
                }
            };
        }
        let computed = self.computed;
        self.order.into_iter().map(|value| (value, computed[&value].clone())).collect()
    }

    fn action(&mut self, action: &Action) {
        match *action {
            Action::Operation(instruction) => {
                self.recompute(instruction);
                let labels = self.operation(instruction);
                self.set_labels(instruction, labels);
            }
            Action::Load { address, value } => {
                self.import(address);
                self.import(value);
                let labels = self.load(address, value);
                self.set_labels(value, labels);
            }
            Action::SymbolicLoad(site, load) => {
                self.import(load.operand(0));
                self.import(load);
                let label = self.symbolic_load(site, load);
                self.set_labels(load, vec![label]);
            }
            Action::SymbolicStore(site, store) => {
                self.import(store.operand(1));
                self.symbolic_store(site, store);
            }
            Action::Store { address, value } => {
                self.import(address);
                self.store(address, value);
            }
            Action::Validate(value) => {
                self.import(value);
                let labels = self.validate(value);
                self.set_labels(value, labels);
            }
            Action::Decision(site, value) => {
                self.import(value);
                self.report(self.pass.unit.abi.branch, site, value);
            }
            Action::Lose { site, value, reason } => {
                let (record, reason) = (self.pass.record(site), self.constant(32, reason as u64));
                for label in self.labels(value).into_iter().filter(|l| !self.is_concrete(*l)) {
                    self.pass.builder.call(self.pass.unit.abi.lost, &[record, label, reason]);
                }
            }
            Action::LoseMemory { site, address, ty, reason } => {
                self.import(address);
                let size = self.pass.unit.module.store_size(ty);
                let record = self.pass.record(site);
                let (size, reason) = (self.constant(64, size), self.constant(32, reason as u64));
                let arguments = [record, self.wide(address), size, reason];
                self.pass.builder.call(self.pass.unit.abi.lost_memory, &arguments);
            }
            Action::Reserve(site, alloca) => {
                self.import(alloca.operand(0));
                self.reserve(site, alloca);
            }
            Action::Concretize(site, value) => {
                self.import(value);
                self.report(self.pass.unit.abi.concretize, site, value);
            }
        }
    }

    /// Emits a comparison whose only use is the decision that follows as one fused call; returns false, with
    /// nothing emitted, for any other action.
    fn try_fused_decision(&mut self, action: &Action, site: super::sites::SiteRef, value: Value) -> bool {
        let Action::Operation(instruction) = *action else { return false };
        let Some(Semantics::Compare(op)) = semantics(instruction).filter(|_| instruction == value) else {
            return false;
        };
        let is_scalar = matches!(scalar_width(instruction.operand(0).ty()), Some(1..=64));
        if !is_scalar || instruction.users().len() > 1 {
            return false;
        }
        self.recompute(instruction);
        self.fused_decision(site, op, instruction);
        true
    }

    fn set_labels(&mut self, value: Value, labels: Vec<Value>) {
        self.computed.insert(value, labels);
        self.order.push(value);
    }

    /// Clones an operation into the slow path; the result of an expensive call is imported instead.
    fn recompute(&mut self, instruction: Value) {
        let costly = instruction.opcode() == Opcode::LLVMCall && is_costly(instruction.callee());
        for operand in instruction.operands() {
            self.import(operand);
        }
        if costly {
            return self.import(instruction);
        }
        let copy = instruction.duplicate();
        for (index, operand) in instruction.operands().into_iter().enumerate() {
            copy.set_operand(index as u32, self.value(operand));
        }
        self.pass.builder.insert(copy);
        self.copies.insert(instruction, copy);
    }

    /// Makes an opaque copy of a value from the fast path.
    fn import(&mut self, value: Value) {
        let fits_register = matches!(scalar_width(value.ty()), Some(8 | 16 | 32 | 64));
        if fits_register && (value.is_instruction() || value.is_param()) && !self.copies.contains_key(&value)
        {
            self.copies.insert(value, self.pass.builder.opaque(value));
        }
    }

    fn value(&self, value: Value) -> Value {
        self.copies.get(&value).copied().unwrap_or(value)
    }

    fn labels(&self, value: Value) -> Vec<Value> {
        self.computed.get(&value).cloned().unwrap_or_else(|| self.pass.labels_of(value))
    }

    fn label(&self, value: Value) -> Value {
        self.computed.get(&value).map_or_else(|| self.pass.label_of(value), |labels| labels[0])
    }

    fn concrete(&self) -> Value {
        self.pass.unit.abi.concrete
    }

    fn is_concrete(&self, label: Value) -> bool {
        label == self.concrete()
    }

    fn constant(&self, bits: u32, value: u64) -> Value {
        self.pass.unit.module.constant(bits, value)
    }

    fn wide(&self, value: Value) -> Value {
        self.pass.unit.abi.widen(&self.pass.builder, self.value(value))
    }

    fn reserve(&self, site: super::sites::SiteRef, alloca: Value) {
        let count = alloca.operand(0);
        let size = self.constant(64, self.pass.unit.module.alloc_size(alloca.allocated_element()));
        let arguments = [self.pass.record(site), self.label(count), self.wide(count), size];
        self.pass.builder.call(self.pass.unit.abi.reserve, &arguments);
    }

    fn report(&self, function: super::abi::RuntimeFunction, site: super::sites::SiteRef, value: Value) {
        let arguments = [self.pass.record(site), self.label(value), self.wide(value)];
        self.pass.builder.call(function, &arguments);
    }
}
