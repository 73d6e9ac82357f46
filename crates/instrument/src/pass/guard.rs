//! The guard of a segment: branches to the slow path if any of its inputs is labelled.
//!
//! Inputs are labels of SSA values and the shadow of the memory that the segment accesses. The fast
//! path ORs the labels with summary bytes, one for all accesses within its reach of a common base; only if
//! the result is nonzero a block out of line reads the shadow words themselves. Addresses are made opaque to
//! the optimiser: otherwise strength reduction would keep, for each access in a loop, an induction variable
//! for its address, its summary byte and its shadow.

use super::function::FunctionPass;
use super::segment::{Action, Segment};
use super::taint::is_constant_data;
use crate::llvm::{Block, Module, Opcode, Predicate, TypeKind, Value};
use cairn_wire::shadow::REACH;
use std::collections::HashSet;

/// Inputs of a segment: labels and memory from outside.
pub struct SegmentInputs {
    labels: Vec<Value>,
    /// Address and size of each memory access.
    accesses: Vec<(Value, u64)>,
}

/// An access relative to a base pointer: offset, size, address.
type RelativeAccess = (i64, u64, Value);

impl SegmentInputs {
    /// True if no input can be labelled.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.accesses.is_empty()
    }
}

impl FunctionPass<'_> {
    /// Collects the labels from outside and the memory accesses of a segment.
    pub fn inputs(&self, segment: &Segment) -> SegmentInputs {
        let (mut inside, mut seen) = (HashSet::new(), HashSet::new());
        let mut inputs = SegmentInputs { labels: Vec::new(), accesses: Vec::new() };
        for action in &segment.actions {
            for value in action.inputs().into_iter().filter(|v| !inside.contains(v)) {
                let labels = self.labels.get(&value).into_iter().flatten();
                let new = labels.copied().filter(|l| *l != self.unit.abi.concrete && seen.insert(*l));
                inputs.labels.extend(new);
            }
            let (made, access) = match action {
                Action::Operation(value) | Action::Validate(value) => (Some(*value), None),
                Action::Load { address, value } => (Some(*value), Some((*address, value.ty()))),
                Action::SymbolicLoad(_, load) => {
                    let address = load.operand(0);
                    (Some(*load), (!is_constant_data(address)).then(|| (address, load.ty())))
                }
                Action::Store { address, value } => (None, Some((*address, value.ty()))),
                Action::LoseMemory { address, ty, .. } => (None, Some((*address, *ty))),
                Action::Decision(..)
                | Action::Concretize(..)
                | Action::SymbolicStore(..)
                | Action::Reserve(..)
                | Action::Lose { .. } => (None, None),
            };
            inside.extend(made);
            let access = access.map(|(at, ty)| (at, self.unit.module.store_size(ty)));
            inputs.accesses.extend(access.filter(|(_, size)| *size > 0));
        }
        inputs
    }

    /// Emits the guard at the end of `head`: branches to `slow` if any input is labelled. Returns the blocks
    /// that branch to `rest` otherwise.
    pub fn guard(&self, inputs: &SegmentInputs, head: Block, slow: Block, rest: Block) -> Vec<Block> {
        let module = self.unit.module;
        let summary_bytes = self.summary_bytes(&inputs.accesses);
        let labels = self.any_of(inputs.labels.clone());
        let maybe_labelled = self.is_set(labels.into_iter().chain(summary_bytes).collect());
        if inputs.accesses.is_empty() {
            module.mark_unlikely(self.builder.branch(maybe_labelled, slow, rest));
            return vec![head];
        }
        let shadow_check = module.block_at_end(self.function);
        module.mark_unlikely(self.builder.branch(maybe_labelled, shadow_check, rest));
        self.builder.at_end(shadow_check);
        let words = inputs.accesses.iter().flat_map(|(address, size)| self.shadow_words(*address, *size));
        self.builder.branch(self.is_set(labels.into_iter().chain(words).collect()), slow, rest);
        vec![head, shadow_check]
    }

    /// ORs words of any width into one.
    fn any_of(&self, words: Vec<Value>) -> Option<Value> {
        let wide = self.unit.module.int(words.iter().map(|w| w.ty().int_width()).max()?);
        let words = words.into_iter().map(|word| self.builder.zext(word, wide));
        words.reduce(|a, b| self.builder.binary(Opcode::LLVMOr, a, b))
    }

    /// Emits a test that any of these words, at least one, is nonzero.
    fn is_set(&self, words: Vec<Value>) -> Value {
        let any = self.any_of(words).expect("a word to test");
        self.builder.compare(Predicate::LLVMIntNE, any, self.unit.module.constant(any.ty().int_width(), 0))
    }

    /// Loads the summary bytes of all accesses: one for those within reach of the first of them.
    fn summary_bytes(&self, accesses: &[(Value, u64)]) -> Vec<Value> {
        let (module, abi) = (self.unit.module, self.unit.abi);
        let mut by_root: Vec<(Value, Vec<RelativeAccess>)> = Vec::new();
        for &(address, size) in accesses {
            let (root, start) = base_and_offset(module, address);
            let near = (start, size, address);
            match by_root.iter_mut().find(|(known, _)| *known == root) {
                Some((_, all)) => all.push(near),
                None => by_root.push((root, vec![near])),
            }
        }
        let mut summary_bytes = Vec::new();
        for (_, mut near) in by_root {
            near.sort_by_key(|(start, size, _)| (*start, *size));
            let mut covered = i64::MIN;
            for (start, size, address) in near {
                if start.saturating_add_unsigned(size) <= covered {
                    continue;
                }
                let address = abi.widen(&self.builder, self.builder.opaque(address));
                for further in (0..size).step_by(REACH as usize) {
                    let at = self.builder.binary(Opcode::LLVMAdd, address, module.constant(64, further));
                    let at = abi.summary_address(module, &self.builder, at);
                    summary_bytes.push(self.builder.load(module.int(8), at, 1));
                }
                covered = start.saturating_add_unsigned(size.next_multiple_of(REACH));
            }
        }
        summary_bytes
    }

    /// Loads the shadow of an access, in words of a width that LLVM handles well.
    fn shadow_words(&self, address: Value, size: u64) -> Vec<Value> {
        const WORD_BYTES: u64 = 8;
        let module = self.unit.module;
        let address = self.unit.abi.widen(&self.builder, self.builder.opaque(address));
        let word = |start: u64| {
            let at = self.builder.binary(Opcode::LLVMAdd, address, module.constant(64, start));
            let at = self.unit.abi.shadow_address(module, &self.builder, at);
            let bits = 32 * (size - start).min(WORD_BYTES) as u32;
            self.builder.load(module.int(bits), at, 4)
        };
        (0..size).step_by(WORD_BYTES as usize).map(word).collect()
    }
}

/// Splits an address into a base pointer and a constant offset.
fn base_and_offset(module: &Module, mut address: Value) -> (Value, i64) {
    let mut offset = 0i64;
    while address.is_address_computation()
        && let Some(distance) = constant_offset(module, address)
    {
        offset = offset.wrapping_add(distance);
        address = address.operand(0);
    }
    (address, offset)
}

/// Returns the constant offset of a `getelementptr`, if all its indices are constant.
fn constant_offset(module: &Module, computation: Value) -> Option<i64> {
    let mut ty = computation.source_element_type();
    let mut sum = 0i64;
    for (position, index) in computation.operands().into_iter().skip(1).enumerate() {
        let index = signed(index)?;
        let bytes = match ty.kind() {
            _ if position == 0 => index.wrapping_mul(module.alloc_size(ty) as i64),
            TypeKind::LLVMStructTypeKind => {
                let bytes = module.field_offset(ty, index as u32) as i64;
                ty = ty.fields()[index as usize];
                bytes
            }
            _ => {
                ty = ty.element();
                index.wrapping_mul(module.alloc_size(ty) as i64)
            }
        };
        sum = sum.wrapping_add(bytes);
    }
    Some(sum)
}

/// Returns a constant index, sign-extended as the machine does.
fn signed(index: Value) -> Option<i64> {
    let bits = index.as_constant()?;
    let unused = u64::BITS - index.ty().int_width();
    Some((bits << unused).cast_signed() >> unused)
}
