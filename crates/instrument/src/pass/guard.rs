//! The check before a segment's slow block: is anything that it looks at labelled?
//!
//! Labels of values are at hand. Of memory the fast path asks only the hints, one byte for all that lies within their reach
//! of one address; the shadow itself is looked at in a block of its own if one of them is set. Addresses are hidden from
//! the optimiser: in a loop it would count up a register for every place's address, another for its hint and one for its shadow.

use super::function::FunctionPass;
use super::segment::{Action, Segment};
use super::taint::is_constant_data;
use crate::llvm::{Block, Module, Opcode, Predicate, TypeKind, Value};
use cairn_wire::shadow::REACH;
use std::collections::HashSet;

/// What a segment depends on from outside.
pub struct Inputs {
    labels: Vec<Value>,
    /// Addresses and sizes of memory.
    places: Vec<(Value, u64)>,
}

/// A place by its distance from a common root: distance, size, address.
type Near = (i64, u64, Value);

impl Inputs {
    /// Nothing that could be labelled.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.places.is_empty()
    }
}

impl FunctionPass<'_> {
    /// Labels from outside and memory that the segment looks at.
    pub fn inputs(&self, segment: &Segment) -> Inputs {
        let (mut inside, mut seen) = (HashSet::new(), HashSet::new());
        let mut inputs = Inputs { labels: Vec::new(), places: Vec::new() };
        for action in &segment.actions {
            for value in action.inputs().into_iter().filter(|v| !inside.contains(v)) {
                let labels = self.labels.get(&value).into_iter().flatten();
                let new = labels.copied().filter(|l| *l != self.unit.abi.concrete && seen.insert(*l));
                inputs.labels.extend(new);
            }
            let (made, place) = match action {
                Action::Operation(value) | Action::Admit(value) => (Some(*value), None),
                Action::Load { address, value } => (Some(*value), Some((*address, value.ty()))),
                Action::Read(_, load) => {
                    let address = load.operand(0);
                    (Some(*load), (!is_constant_data(address)).then(|| (address, load.ty())))
                }
                Action::Store { address, value } => (None, Some((*address, value.ty()))),
                Action::LoseMemory { address, ty, .. } => (None, Some((*address, *ty))),
                Action::Decision(..)
                | Action::Pin(..)
                | Action::Write(..)
                | Action::Reserve(..)
                | Action::Lose { .. } => (None, None),
            };
            inside.extend(made);
            let place = place.map(|(at, ty)| (at, self.unit.module.store_size(ty)));
            inputs.places.extend(place.filter(|(_, size)| *size > 0));
        }
        inputs
    }

    /// Leads to `slow` if anything is labelled, from the end of `head`; the blocks that go on to `rest` if nothing is.
    pub fn guard(&self, inputs: &Inputs, head: Block, slow: Block, rest: Block) -> Vec<Block> {
        let module = self.unit.module;
        let hints = self.hints(&inputs.places);
        let labels = self.any_of(inputs.labels.clone());
        let suspicious = self.is_set(labels.into_iter().chain(hints).collect());
        if inputs.places.is_empty() {
            module.mark_unlikely(self.builder.branch(suspicious, slow, rest));
            return vec![head];
        }
        let look = module.block_at_end(self.function);
        module.mark_unlikely(self.builder.branch(suspicious, look, rest));
        self.builder.at_end(look);
        let words = inputs.places.iter().flat_map(|(address, size)| self.shadow_words(*address, *size));
        self.builder.branch(self.is_set(labels.into_iter().chain(words).collect()), slow, rest);
        vec![head, look]
    }

    /// Words of any width ORed into one.
    fn any_of(&self, words: Vec<Value>) -> Option<Value> {
        let wide = self.unit.module.int(words.iter().map(|w| w.ty().int_width()).max()?);
        let words = words.into_iter().map(|word| self.builder.zext(word, wide));
        words.reduce(|a, b| self.builder.binary(Opcode::LLVMOr, a, b))
    }

    /// Whether any of these words, of which there is at least one, is not 0.
    fn is_set(&self, words: Vec<Value>) -> Value {
        let any = self.any_of(words).expect("a word to look at");
        self.builder.compare(Predicate::LLVMIntNE, any, self.unit.module.constant(any.ty().int_width(), 0))
    }

    /// One hint for all places that are within reach of the first of them.
    fn hints(&self, places: &[(Value, u64)]) -> Vec<Value> {
        let (module, abi) = (self.unit.module, self.unit.abi);
        let mut by_root: Vec<(Value, Vec<Near>)> = Vec::new();
        for &(address, size) in places {
            let (root, start) = place(module, address);
            let near = (start, size, address);
            match by_root.iter_mut().find(|(known, _)| *known == root) {
                Some((_, all)) => all.push(near),
                None => by_root.push((root, vec![near])),
            }
        }
        let mut hints = Vec::new();
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
                    let at = abi.hint_address(module, &self.builder, at);
                    hints.push(self.builder.load(module.int(8), at, 1));
                }
                covered = start.saturating_add_unsigned(size.next_multiple_of(REACH));
            }
        }
        hints
    }

    /// The shadow of memory, in words as wide as LLVM handles well.
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

/// An address as another one and a constant distance from it.
fn place(module: &Module, mut address: Value) -> (Value, i64) {
    let mut offset = 0i64;
    while address.is_address_computation()
        && let Some(distance) = distance(module, address)
    {
        offset = offset.wrapping_add(distance);
        address = address.operand(0);
    }
    (address, offset)
}

/// How far an address computation leads, if that is constant.
fn distance(module: &Module, computation: Value) -> Option<i64> {
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

/// An index as the machine sees it.
fn signed(index: Value) -> Option<i64> {
    let bits = index.as_constant()?;
    let unused = u64::BITS - index.ty().int_width();
    Some((bits << unused).cast_signed() >> unused)
}
