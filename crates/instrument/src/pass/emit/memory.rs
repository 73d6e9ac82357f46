//! Labels of loads and stores, by way of the shadow memory.

use super::SlowPath;
use super::term::{EncodedOp, Term};
use crate::llvm::{Opcode, Value};
use crate::pass::types::{Leaf, labelable_in_memory, leaves};
use cairn_wire::Op;

/// Largest scalar whose bytes a shadow word can number.
const WORD_BYTES: u64 = 8;

impl SlowPath<'_, '_> {
    /// Emits the labels of a loaded value.
    pub(super) fn load(&self, address: Value, value: Value) -> Vec<Value> {
        let all = leaves(self.pass.unit.module, value.ty()).unwrap_or_default();
        let values = self.parts(self.value(value));
        all.iter().zip(values).map(|(leaf, value)| self.load_leaf(address, leaf, value)).collect()
    }

    fn load_leaf(&self, address: Value, leaf: &Leaf, value: Value) -> Value {
        let Some(width) = leaf.width else { return self.concrete() };
        let (abi, builder) = (self.pass.unit.abi, &self.pass.builder);
        let value = self.bits(value);
        let [low, high] = self.halves(value);
        let (at, size) = (self.at(address, leaf), self.constant(32, leaf.size));
        let label = match leaf.size {
            0..=WORD_BYTES => builder.call(abi.load, &[at, size, low]),
            _ => builder.call(abi.load_wide, &[at, size, low, high]),
        };
        if u64::from(width) == leaf.size * 8 {
            return label;
        }
        self.unary(EncodedOp::new(Op::Trunc, width), Term { label, bits: value }, value)
    }

    fn at(&self, address: Value, leaf: &Leaf) -> Value {
        let address = self.wide(address);
        self.pass.builder.binary(Opcode::LLVMAdd, address, self.constant(64, leaf.offset))
    }

    /// Emits the shadow stores of a stored value's labels.
    pub(super) fn store(&self, address: Value, value: Value) {
        let (module, abi) = (self.pass.unit.module, self.pass.unit.abi);
        if !labelable_in_memory(module, value.ty()) {
            let size = self.constant(64, module.store_size(value.ty()));
            self.pass.builder.call(abi.clear, &[self.wide(address), size]);
            return;
        }
        let all = leaves(module, value.ty()).unwrap_or_default();
        for (leaf, label) in all.iter().zip(self.labels(value)) {
            let at = self.at(address, leaf);
            match leaf.width {
                Some(_) => self.pass.builder.call(abi.store, &[at, self.constant(32, leaf.size), label]),
                None => self.pass.builder.call(abi.clear, &[at, self.constant(64, leaf.size)]),
            };
        }
    }
}
