//! The slow block of a segment: straight calls into the runtime.
//!
//! It computes the segment's operations a second time, from inputs the optimiser cannot recognise: used
//! directly, every intermediate value would have to survive until the check, and the fast path would
//! spend its time saving registers for a block it hardly ever enters.

mod address;
mod composed;
mod memory;
mod operation;
mod read;
mod term;
mod vector;

use super::function::{FunctionPass, Labels};
use super::intrinsics::is_costly;
use super::op_semantics::{Meaning, meaning};
use super::segment::Action;
use super::types::scalar_width;
use crate::llvm::{Opcode, Value};
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
        let mut rest = actions;
        while let [action, after @ ..] = rest {
            rest = match after {
                [Action::Decision(site, value), after @ ..] if self.decide(action, *site, *value) => after,
                _ => {
                    self.action(action);
                    after
                }
            };
        }
        let here = self.here;
        self.order.into_iter().map(|value| (value, here[&value].clone())).collect()
    }

    fn action(&mut self, action: &Action) {
        match *action {
            Action::Operation(instruction) => {
                self.repeat(instruction);
                let labels = self.operation(instruction);
                self.set(instruction, labels);
            }
            Action::Load { address, value } => {
                self.adopt(address);
                self.adopt(value);
                let labels = self.load(address, value);
                self.set(value, labels);
            }
            Action::Read(site, load) => {
                self.adopt(load.operand(0));
                self.adopt(load);
                let label = self.read(site, load);
                self.set(load, vec![label]);
            }
            Action::Write(site, store) => {
                self.adopt(store.operand(1));
                self.write(site, store);
            }
            Action::Store { address, value } => {
                self.adopt(address);
                self.store(address, value);
            }
            Action::Admit(value) => {
                self.adopt(value);
                let labels = self.admit(value);
                self.set(value, labels);
            }
            Action::Decision(site, value) => {
                self.adopt(value);
                self.report(self.pass.unit.abi.branch, site, value);
            }
            Action::Lose { site, value, why } => {
                let (record, why) = (self.pass.record(site), self.constant(32, why as u64));
                for label in self.labels(value).into_iter().filter(|l| !self.is_concrete(*l)) {
                    self.pass.builder.call(self.pass.unit.abi.lost, &[record, label, why]);
                }
            }
            Action::LoseMemory { site, address, ty, why } => {
                self.adopt(address);
                let size = self.pass.unit.module.store_size(ty);
                let record = self.pass.record(site);
                let (size, why) = (self.constant(64, size), self.constant(32, why as u64));
                let arguments = [record, self.wide(address), size, why];
                self.pass.builder.call(self.pass.unit.abi.lost_memory, &arguments);
            }
            Action::Reserve(site, alloca) => {
                self.adopt(alloca.operand(0));
                self.reserve(site, alloca);
            }
            Action::Pin(site, value) => {
                self.adopt(value);
                self.report(self.pass.unit.abi.pin, site, value);
            }
        }
    }

    /// A comparison that is decided on at once and used nowhere else, in one call for both; false, with nothing done, if it
    /// is something else.
    fn decide(&mut self, action: &Action, site: super::sites::SiteRef, value: Value) -> bool {
        let Action::Operation(instruction) = *action else { return false };
        let Some(Meaning::Compare(op)) = meaning(instruction).filter(|_| instruction == value) else {
            return false;
        };
        let is_scalar = matches!(scalar_width(instruction.operand(0).ty()), Some(1..=64));
        if !is_scalar || instruction.users().len() > 1 {
            return false;
        }
        self.repeat(instruction);
        self.decision(site, op, instruction);
        true
    }

    fn set(&mut self, value: Value, labels: Vec<Value>) {
        self.here.insert(value, labels);
        self.order.push(value);
    }

    /// Computes an operation again; of a call that costs something the result is taken over.
    fn repeat(&mut self, instruction: Value) {
        let costly = instruction.opcode() == Opcode::LLVMCall && is_costly(instruction.callee());
        for operand in instruction.operands() {
            self.adopt(operand);
        }
        if costly {
            return self.adopt(instruction);
        }
        let double = instruction.duplicate();
        for (index, operand) in instruction.operands().into_iter().enumerate() {
            double.set_operand(index as u32, self.value(operand));
        }
        self.pass.builder.insert(double);
        self.doubles.insert(instruction, double);
    }

    /// Takes in a value from outside.
    fn adopt(&mut self, value: Value) {
        let fits_register = matches!(scalar_width(value.ty()), Some(8 | 16 | 32 | 64));
        if fits_register && (value.is_instruction() || value.is_param()) && !self.doubles.contains_key(&value)
        {
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

    fn report(&self, function: super::abi::Function, site: super::sites::SiteRef, value: Value) {
        let arguments = [self.pass.record(site), self.label(value), self.wide(value)];
        self.pass.builder.call(function, &arguments);
    }
}
