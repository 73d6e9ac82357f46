//! Loads and stores at symbolic addresses: in which memory the address can move.
//!
//! An address is a root and indices, some of them labelled. The outermost of those that is symbolic in a run
//! says which array is meant: the runtime is told where that one starts and how long it is. What the types
//! do not tell, the runtime finds out by itself from where the address points.

use super::Slow;
use super::address::Step;
use super::term::{Code, Term};
use crate::llvm::{Opcode, Predicate, Type, TypeKind, Value};
use crate::pass::function::FunctionPass;
use crate::pass::sites::SiteRef;
use crate::pass::taint::is_constant_data;
use crate::pass::types::scalar_width;
use cairn_wire::{Checks, Op};

/// Largest scalar that is read as one value.
const MAX_SIZE: u64 = 8;
/// Largest value whose size a description of a store has room for.
const MAX_WRITTEN: u64 = 0xff;
const SURE: u64 = 1 << 8;
const CONSTANT: u64 = 1 << 9;
const ASKED: u64 = 1 << 10;
const LEN_SHIFT: u32 = 16;

impl FunctionPass<'_> {
    /// Whether a load's address may be labelled, and its value can follow it.
    pub fn is_read(&self, load: Value) -> bool {
        let size = self.unit.module.store_size(load.ty());
        self.labelled.contains(&load.operand(0)) && scalar_width(load.ty()).is_some() && size <= MAX_SIZE
    }
}

/// An index that may be symbolic: its label, where its array starts, and the array's bytes and flags.
struct Candidate {
    label: Value,
    base: Value,
    extent: u64,
}

/// An address on the way from its root to where it points.
struct Walk {
    root: Value,
    /// So far, as integer.
    at: Value,
    /// Bytes of the variable that the root is.
    object: Option<u64>,
    /// How far it is from the root, if that does not depend on the run.
    offset: Option<u64>,
    candidates: Vec<Candidate>,
}

impl Slow<'_, '_> {
    /// Label of a load whose address may have one.
    pub fn read(&mut self, site: SiteRef, load: Value) -> Value {
        let address = load.operand(0);
        let size = self.pass.unit.module.store_size(load.ty());
        let constant = if is_constant_data(address) { CONSTANT } else { 0 };
        let (base, extent) = self.window(address);
        let shape = self.pass.builder.binary(Opcode::LLVMOr, extent, self.constant(64, size | constant));
        let bits = self.bits(self.value(load));
        let [value, _] = self.halves(bits);
        let arguments = [self.pass.record(site), self.label(address), self.wide(address), base, shape, value];
        let label = self.pass.builder.call(self.pass.unit.abi.read, &arguments);
        match scalar_width(load.ty()) {
            Some(width) if u64::from(width) < size * 8 => {
                self.unary(Code::new(Op::Trunc, width), Term { label, bits }, bits)
            }
            _ => label,
        }
    }

    /// A store whose address may have a label is at the constant it is.
    pub fn write(&mut self, site: SiteRef, store: Value) {
        let address = store.operand(1);
        let size = self.pass.unit.module.store_size(store.operand(0).ty());
        if size > MAX_WRITTEN {
            return self.report(self.pass.unit.abi.pin, site, address);
        }
        let asked = if self.pass.unit.checks.contains(Checks::BOUNDS) { ASKED } else { 0 };
        let (base, extent) = self.window(address);
        let shape = self.pass.builder.binary(Opcode::LLVMOr, extent, self.constant(64, size | asked));
        let arguments = [self.pass.record(site), self.label(address), self.wide(address), base, shape];
        self.pass.builder.call(self.pass.unit.abi.written, &arguments);
    }

    /// Where the memory starts that an address can move in, and what is known of it; zeros for nothing.
    fn window(&mut self, address: Value) -> (Value, Value) {
        let (root, steps) = chain(address);
        self.adopt(root);
        let zero = self.constant(64, 0);
        let object = self.object_size(root);
        let unknown = Candidate { label: self.label(root), base: zero, extent: 0 };
        let root = self.wide(root);
        let mut walk = Walk { root, at: root, object, offset: Some(0), candidates: vec![unknown] };
        steps.into_iter().rev().for_each(|step| self.walk(step, &mut walk));
        let builder = &self.pass.builder;
        walk.candidates.into_iter().rev().fold((zero, zero), |(base, extent), candidate| {
            if candidate.label == self.pass.unit.abi.concrete {
                return (base, extent);
            }
            let no_label = self.constant(32, 0);
            let symbolic = builder.compare(Predicate::LLVMIntNE, candidate.label, no_label);
            let own = self.constant(64, candidate.extent);
            (builder.select(symbolic, candidate.base, base), builder.select(symbolic, own, extent))
        })
    }

    /// Bytes of a local or global variable.
    fn object_size(&self, root: Value) -> Option<u64> {
        let ty = root.allocated_type().or_else(|| root.defined_variable())?;
        Some(self.pass.unit.module.alloc_size(ty))
    }

    fn walk(&mut self, step: Value, walk: &mut Walk) {
        let mut ty = step.source_element_type();
        for (position, index) in step.operands().into_iter().skip(1).enumerate() {
            self.adopt(index);
            let label = self.label(index);
            if label != self.pass.unit.abi.concrete {
                let (base, extent) = self.extent(ty, position, walk);
                walk.candidates.push(Candidate { label, base, extent });
            }
            let (next, distance) = self.step(ty, position, index);
            self.advance_to(walk, index, distance);
            ty = next;
        }
    }

    /// The array that an index chooses from.
    fn extent(&self, ty: Type, position: usize, walk: &Walk) -> (Value, u64) {
        let nothing = (self.constant(64, 0), 0);
        if position == 0 {
            return walk.object.map_or(nothing, |bytes| (walk.root, bytes << LEN_SHIFT | SURE));
        }
        if ty.kind() != TypeKind::LLVMArrayTypeKind {
            return nothing;
        }
        let (element, count) = ty.array();
        // The last member of a struct may be declared shorter than it is.
        if count <= 1 {
            return nothing;
        }
        let bytes = count * self.pass.unit.module.alloc_size(element);
        let end = walk.offset.and_then(|offset| offset.checked_add(bytes));
        let sure = if end.zip(walk.object).is_some_and(|(end, size)| end <= size) { SURE } else { 0 };
        (walk.at, bytes << LEN_SHIFT | sure)
    }

    fn advance_to(&self, walk: &mut Walk, index: Value, distance: Step) {
        let builder = &self.pass.builder;
        let bytes = match distance {
            Step::Bytes(bytes) => self.constant(64, bytes),
            Step::Times(stride) => {
                let wide = builder.sext(self.value(index), self.pass.unit.abi.word);
                builder.binary(Opcode::LLVMMul, wide, self.constant(64, stride))
            }
        };
        let added = |offset: u64| Some(offset.wrapping_add(bytes.as_constant()?));
        walk.offset = walk.offset.and_then(added);
        walk.at = builder.binary(Opcode::LLVMAdd, walk.at, bytes);
    }
}

/// The root of an address and the computations on the way from it, outermost first.
fn chain(mut address: Value) -> (Value, Vec<Value>) {
    let mut steps = Vec::new();
    while address.is_address_computation() {
        steps.push(address);
        address = address.operand(0);
    }
    (address, steps)
}
