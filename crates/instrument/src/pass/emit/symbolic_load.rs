//! Loads and stores at symbolic addresses: the bounds of the array that the address can move in.
//!
//! An address is a base pointer and indices, some of them labelled. The outermost index that is symbolic at
//! run time selects an array: the slow path passes its start and length to the runtime. Where the types do
//! not tell the length, the runtime looks up the object from the concrete address.

use super::SlowPath;
use super::address::IndexStep;
use super::term::{EncodedOp, Term};
use crate::llvm::{Opcode, Predicate, Type, TypeKind, Value};
use crate::pass::function::FunctionPass;
use crate::pass::sites::SiteRef;
use crate::pass::taint::is_constant_data;
use crate::pass::types::scalar_width;
use cairn_wire::{Checks, Op};

/// Largest scalar that is read as one expression.
const MAX_SIZE: u64 = 8;
/// Largest store whose size fits the shape word.
const MAX_WRITTEN: u64 = 0xff;
const EXACT: u64 = 1 << 8;
const CONSTANT: u64 = 1 << 9;
const CHECKED: u64 = 1 << 10;
const LEN_SHIFT: u32 = 16;

impl FunctionPass<'_> {
    /// True if the address of a load may be labelled and the load can become a symbolic read.
    pub fn is_symbolic_load(&self, load: Value) -> bool {
        let size = self.unit.module.store_size(load.ty());
        self.labelled.contains(&load.operand(0)) && scalar_width(load.ty()).is_some() && size <= MAX_SIZE
    }
}

/// An index that may be symbolic: its label, the start of its array, and the array's size and flags.
struct IndexCandidate {
    label: Value,
    base: Value,
    extent: u64,
}

/// State of the walk from the base pointer of an address along its `getelementptr`s.
struct AddressWalk {
    root: Value,
    /// Address so far, as an integer.
    at: Value,
    /// Size of the variable that the base pointer is.
    object: Option<u64>,
    /// Offset from the base pointer, if it is a compile-time constant.
    offset: Option<u64>,
    candidates: Vec<IndexCandidate>,
}

impl SlowPath<'_, '_> {
    /// Emits the label of a load whose address may be labelled.
    pub fn symbolic_load(&mut self, site: SiteRef, load: Value) -> Value {
        let address = load.operand(0);
        let size = self.pass.unit.module.store_size(load.ty());
        let constant = if is_constant_data(address) { CONSTANT } else { 0 };
        let (base, extent) = self.array_bounds(address);
        let shape = self.pass.builder.binary(Opcode::LLVMOr, extent, self.constant(64, size | constant));
        let bits = self.bits(self.value(load));
        let [value, _] = self.halves(bits);
        let arguments = [self.pass.record(site), self.label(address), self.wide(address), base, shape, value];
        let label = self.pass.builder.call(self.pass.unit.abi.symbolic_load, &arguments);
        match scalar_width(load.ty()) {
            Some(width) if u64::from(width) < size * 8 => {
                self.unary(EncodedOp::new(Op::Trunc, width), Term { label, bits }, bits)
            }
            _ => label,
        }
    }

    /// Emits the concretization of a store's address.
    pub fn symbolic_store(&mut self, site: SiteRef, store: Value) {
        let address = store.operand(1);
        let size = self.pass.unit.module.store_size(store.operand(0).ty());
        if size > MAX_WRITTEN {
            return self.report(self.pass.unit.abi.concretize, site, address);
        }
        let checked = if self.pass.unit.checks.contains(Checks::BOUNDS) { CHECKED } else { 0 };
        let (base, extent) = self.array_bounds(address);
        let shape = self.pass.builder.binary(Opcode::LLVMOr, extent, self.constant(64, size | checked));
        let arguments = [self.pass.record(site), self.label(address), self.wide(address), base, shape];
        self.pass.builder.call(self.pass.unit.abi.symbolic_store, &arguments);
    }

    /// Emits the start of the array in which an address can move, and its size and flags; zeros if unknown.
    fn array_bounds(&mut self, address: Value) -> (Value, Value) {
        let (root, steps) = chain(address);
        self.import(root);
        let zero = self.constant(64, 0);
        let object = self.object_size(root);
        let unknown = IndexCandidate { label: self.label(root), base: zero, extent: 0 };
        let root = self.wide(root);
        let mut walk = AddressWalk { root, at: root, object, offset: Some(0), candidates: vec![unknown] };
        steps.into_iter().rev().for_each(|step| self.walk_step(step, &mut walk));
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

    /// Returns the size of a local or global variable.
    fn object_size(&self, root: Value) -> Option<u64> {
        let ty = root.allocated_type().or_else(|| root.defined_variable())?;
        Some(self.pass.unit.module.alloc_size(ty))
    }

    fn walk_step(&mut self, step: Value, walk: &mut AddressWalk) {
        let mut ty = step.source_element_type();
        for (position, index) in step.operands().into_iter().skip(1).enumerate() {
            self.import(index);
            let label = self.label(index);
            if label != self.pass.unit.abi.concrete {
                let (base, extent) = self.extent(ty, position, walk);
                walk.candidates.push(IndexCandidate { label, base, extent });
            }
            let (next, distance) = self.step(ty, position, index);
            self.advance_to(walk, index, distance);
            ty = next;
        }
    }

    /// Returns the start, size and flags of the array that an index selects from.
    fn extent(&self, ty: Type, position: usize, walk: &AddressWalk) -> (Value, u64) {
        let nothing = (self.constant(64, 0), 0);
        if position == 0 {
            return walk.object.map_or(nothing, |bytes| (walk.root, bytes << LEN_SHIFT | EXACT));
        }
        if ty.kind() != TypeKind::LLVMArrayTypeKind {
            return nothing;
        }
        let (element, count) = ty.array();
        // A trailing array of length 0 or 1 may be a flexible array member.
        if count <= 1 {
            return nothing;
        }
        let bytes = count * self.pass.unit.module.alloc_size(element);
        let end = walk.offset.and_then(|offset| offset.checked_add(bytes));
        let exact = if end.zip(walk.object).is_some_and(|(end, size)| end <= size) { EXACT } else { 0 };
        (walk.at, bytes << LEN_SHIFT | exact)
    }

    fn advance_to(&self, walk: &mut AddressWalk, index: Value, distance: IndexStep) {
        let builder = &self.pass.builder;
        let bytes = match distance {
            IndexStep::Bytes(bytes) => self.constant(64, bytes),
            IndexStep::Times(stride) => {
                let wide = builder.sext(self.value(index), self.pass.unit.abi.word);
                builder.binary(Opcode::LLVMMul, wide, self.constant(64, stride))
            }
        };
        let added = |offset: u64| Some(offset.wrapping_add(bytes.as_constant()?));
        walk.offset = walk.offset.and_then(added);
        walk.at = builder.binary(Opcode::LLVMAdd, walk.at, bytes);
    }
}

/// Returns the base pointer of an address and the `getelementptr`s applied to it, outermost first.
fn chain(mut address: Value) -> (Value, Vec<Value>) {
    let mut steps = Vec::new();
    while address.is_address_computation() {
        steps.push(address);
        address = address.operand(0);
    }
    (address, steps)
}
