//! Label propagation through one function.
//!
//! Every value that may be symbolic gets a companion SSA value that holds its label (0 at run time if it is
//! concrete). The instructions of a block are collected into segments ([`super::segment`]), each closed by a
//! guard and a slow path.
//!
//! LLVM's C interface can neither split a block nor change a phi's predecessor. So a block is split by moving
//! its front into a new block placed before it: the terminator, and with it the identity that phis refer to,
//! stays.

use super::abi::Abi;
use super::atomics::{self, AtomicPart};
use super::checks;
use super::edges::{reverse_postorder, split_invokes};
use super::emit::SlowPath;
use super::intrinsics::{Intrinsic, intrinsic, reads_memory};
use super::op_semantics::semantics;
use super::segment::{Action, Segment};
use super::sites::{FunctionSites, SiteRef, Sites};
use super::taint::labelled_values;
use super::types::{labelable, labelable_in_memory, leaves, loss, scalar_width};
use super::uninstrumented_calls::pointers;
use crate::llvm::{Block, Builder, Module, Opcode, Type, Value};
use cairn_wire::{Checks, Loss};
use std::collections::{HashMap, HashSet};

/// Context of a translation unit, shared by its functions.
pub struct UnitContext<'a> {
    pub module: &'a Module,
    pub abi: &'a Abi,
    /// True if the unit is a library model.
    pub is_model: bool,
    /// Optional checks that are inserted.
    pub checks: Checks,
    /// Functions that the pass instruments.
    pub instrumented: &'a HashSet<Value>,
    /// Functions that only instrumented code of this unit calls, and only directly: their calls need no tag.
    pub private: &'a HashSet<Value>,
}

/// Labels of a function's values, one per scalar; a value without an entry is concrete.
pub type Labels = HashMap<Value, Vec<Value>>;

/// Instrumentation of one function.
pub struct FunctionPass<'a> {
    pub unit: &'a UnitContext<'a>,
    pub sites: &'a mut Sites,
    pub found: FunctionSites,
    pub function: Value,
    pub labelled: HashSet<Value>,
    pub labels: Labels,
    pub builder: Builder,
    /// Values that belong to an expanded atomic update.
    pub atomics: HashMap<Value, AtomicPart>,
    /// Parameters and call results whose labels the first segment of a block has to validate.
    pub unvalidated: HashMap<Block, Vec<Value>>,
}

impl<'a> FunctionPass<'a> {
    /// Instruments a function whose sites have been collected.
    pub fn run(unit: &'a UnitContext<'a>, sites: &'a mut Sites, found: FunctionSites, function: Value) {
        hoist_allocas(unit.module, function);
        mark_locals_undefined(unit.module, function);
        split_invokes(unit.module, function);
        let atomics = atomics::expand(unit.module, function);
        let labelled = labelled_values(unit.module, function);
        let builder = unit.module.builder();
        let (labels, unvalidated) = (HashMap::new(), HashMap::new());
        let mut pass =
            FunctionPass { unit, sites, found, function, labelled, labels, builder, atomics, unvalidated };
        // The list of original instructions is taken now, so that inserted code is not instrumented.
        let blocks: Vec<(Block, Vec<Value>)> =
            reverse_postorder(function).into_iter().map(|b| (b, b.instructions())).collect();
        pass.make_label_phis(&blocks);
        pass.emit_prologue(
            blocks[0].0,
            blocks[0].1.iter().find(|i| i.opcode() != Opcode::LLVMAlloca).copied(),
        );
        for (block, instructions) in &blocks {
            pass.block(*block, instructions);
        }
        pass.fill_label_phis(&blocks);
    }

    /// Returns the labels of a value, one per scalar.
    pub fn labels_of(&self, value: Value) -> Vec<Value> {
        match self.labels.get(&value) {
            Some(labels) => labels.clone(),
            None => vec![self.unit.abi.concrete; self.scalars(value)],
        }
    }

    /// Returns the label of a scalar value.
    pub fn label_of(&self, value: Value) -> Value {
        self.labels.get(&value).map_or(self.unit.abi.concrete, |labels| labels[0])
    }

    /// Returns the number of scalars of a value's type.
    pub fn scalars(&self, value: Value) -> usize {
        leaves(self.unit.module, value.ty()).map_or(1, |all| all.len())
    }

    fn make_label_phis(&mut self, blocks: &[(Block, Vec<Value>)]) {
        for phi in blocks.iter().flat_map(|(_, all)| all).filter(|i| i.opcode() == Opcode::LLVMPHI) {
            if self.labelled.contains(phi) {
                self.builder.before(*phi);
                let labels = (0..self.scalars(*phi)).map(|_| self.builder.phi(self.unit.abi.label)).collect();
                self.labels.insert(*phi, labels);
            }
        }
    }

    fn fill_label_phis(&mut self, blocks: &[(Block, Vec<Value>)]) {
        for phi in blocks.iter().flat_map(|(_, all)| all).filter(|i| i.opcode() == Opcode::LLVMPHI) {
            let Some(own) = self.labels.get(phi).cloned() else { continue };
            for (value, from) in phi.incoming() {
                for (phi, label) in own.iter().zip(self.labels_of(value)) {
                    phi.add_incoming(&[(label, from)]);
                }
            }
        }
    }

    fn block(&mut self, block: Block, instructions: &[Value]) {
        let unvalidated = self.unvalidated.remove(&block).unwrap_or_default();
        let actions = unvalidated.into_iter().map(Action::Validate).collect();
        let mut segment = Segment { actions, stored: false };
        for &instruction in instructions {
            if !self.found.coverage_stores.contains(&instruction) {
                self.instruction(block, instruction, &mut segment);
            }
        }
    }

    fn instruction(&mut self, block: Block, instruction: Value, segment: &mut Segment) {
        use Opcode::*;
        match instruction.opcode() {
            LLVMAtomicRMW | LLVMAtomicCmpXchg => self.atomic(block, instruction, segment),
            _ if let Some(part) = self.atomics.get(&instruction) => {
                self.atomic_part(instruction, *part, segment);
            }
            LLVMAlloca if self.labelled.contains(&instruction.operand(0)) => {
                let site = self.sites.concretization(self.found.index, instruction);
                segment.actions.push(Action::Reserve(site, instruction));
                self.close(block, segment, instruction);
            }
            LLVMPHI | LLVMAlloca => {}
            LLVMLoad => self.load(block, instruction, segment),
            LLVMExtractElement | LLVMInsertElement => {
                let index = instruction.operands().last().copied();
                index.into_iter().for_each(|index| self.concretize(instruction, index, segment));
                self.operation(instruction, segment);
            }
            LLVMStore => {
                if segment.reads_memory() {
                    self.close(block, segment, instruction);
                }
                self.symbolic_store(instruction, segment);
                if !labelable_in_memory(self.unit.module, instruction.operand(0).ty()) {
                    self.lose(instruction, &[instruction.operand(0)], Loss::Vector, segment);
                }
                let (value, address) = (instruction.operand(0), instruction.operand(1));
                segment.actions.push(Action::Store { address, value });
                segment.stored = true;
            }
            LLVMCall | LLVMInvoke => self.call(block, instruction, segment),
            LLVMSelect => {
                // The condition is recorded even if both values are concrete: the decision is part of the
                // path.
                self.record_decision(instruction, instruction.operand(0), segment);
                if self.labelled.contains(&instruction) {
                    self.operation(instruction, segment);
                }
            }
            LLVMSDiv | LLVMUDiv | LLVMSRem | LLVMURem if checks::is_checked(instruction) => {
                // The segment before is closed, because a division that faults ends the trace.
                self.close(block, segment, instruction);
                self.operation(instruction, segment);
            }
            LLVMBr if instruction.is_conditional() => {
                self.record_decision(instruction, instruction.condition(), segment);
                self.close(block, segment, instruction);
            }
            LLVMSwitch => {
                self.record_decision(instruction, instruction.operand(0), segment);
                self.close(block, segment, instruction);
            }
            LLVMIndirectBr => {
                self.concretize(instruction, instruction.operand(0), segment);
                self.close(block, segment, instruction);
            }
            LLVMRet => {
                self.close(block, segment, instruction);
                self.emit_epilogue(instruction);
            }
            LLVMBr | LLVMUnreachable | LLVMResume => self.close(block, segment, instruction),
            _ => self.operation(instruction, segment),
        }
    }

    pub fn operation(&mut self, instruction: Value, segment: &mut Segment) {
        if self.labelled.contains(&instruction) {
            segment.actions.push(Action::Operation(instruction));
        } else if !instruction.users().is_empty() {
            let operands = instruction.operands();
            let odd = operands.iter().map(|o| o.ty()).find(|ty| !labelable(self.unit.module, *ty));
            let odd = Some(instruction.ty()).filter(|ty| !labelable(self.unit.module, *ty)).or(odd);
            self.lose(instruction, &operands, odd.map_or(Loss::Instruction, loss), segment);
        }
    }

    /// Records a loss of each labelled value that an unsupported instruction consumes.
    pub fn lose(&mut self, at: Value, values: &[Value], reason: Loss, segment: &mut Segment) {
        for value in values {
            if self.labelled.contains(value) {
                let site = match reason {
                    Loss::Instruction => {
                        self.sites.uninstrumented(self.found.index, at, &instruction_name(at))
                    }
                    _ => self.sites.concretization(self.found.index, at),
                };
                segment.actions.push(Action::Lose { site, value: *value, reason });
            }
        }
    }

    /// Records a loss of the labels in memory that an unsupported instruction reads.
    pub fn lose_memory(&mut self, at: Value, address: Value, ty: Type, reason: Loss, segment: &mut Segment) {
        let site = self.sites.concretization(self.found.index, at);
        segment.actions.push(Action::LoseMemory { site, address, ty, reason });
    }

    fn load(&mut self, block: Block, load: Value, segment: &mut Segment) {
        if segment.stored {
            self.close(block, segment, load);
        }
        if self.is_symbolic_load(load) {
            let site = self.sites.concretization(self.found.index, load);
            segment.actions.push(Action::SymbolicLoad(site, load));
            return;
        }
        self.concretize(load, load.operand(0), segment);
        if self.labelled.contains(&load) {
            segment.actions.push(Action::Load { address: load.operand(0), value: load });
        } else if !labelable_in_memory(self.unit.module, load.ty()) {
            self.lose_memory(load, load.operand(0), load.ty(), loss(load.ty()), segment);
        }
    }

    /// Handles the address of a store that may be labelled.
    fn symbolic_store(&mut self, store: Value, segment: &mut Segment) {
        if self.labelled.contains(&store.operand(1)) {
            let site = self.sites.concretization(self.found.index, store);
            segment.actions.push(Action::SymbolicStore(site, store));
        }
    }

    fn record_decision(&mut self, instruction: Value, value: Value, segment: &mut Segment) {
        if let Some(&site) = self.found.by_instruction.get(&instruction)
            && self.labelled.contains(&value)
        {
            segment.actions.push(Action::Decision(site, value));
        }
    }

    /// Concretizes a value that the instruction `at` is about to use as a constant.
    pub fn concretize(&mut self, at: Value, value: Value, segment: &mut Segment) {
        if self.labelled.contains(&value) {
            let site = self.sites.concretization(self.found.index, at);
            segment.actions.push(Action::Concretize(site, value));
        }
    }

    /// Ends a segment before an instruction of the block: emits its guard and its slow path.
    pub fn close(&mut self, block: Block, segment: &mut Segment, before: Value) {
        let segment = std::mem::take(segment);
        if segment.actions.is_empty() {
            return;
        }
        let (module, abi) = (self.unit.module, self.unit.abi);
        let head = self.split_before(block, before);
        self.builder.at_end(head);
        let inputs = self.inputs(&segment);
        if inputs.is_empty() {
            self.builder.jump(block);
            return;
        }
        let slow = module.block_at_end(self.function);
        let concrete = self.guard(&inputs, head, slow, block);
        self.builder.at_end(slow);
        let computed = SlowPath::new(self).run(&segment.actions);
        self.builder.jump(block);
        self.builder.before(before);
        for (value, labels) in computed {
            let merged = labels.into_iter().map(|label| {
                let phi = self.builder.phi(abi.label);
                concrete.iter().for_each(|from| phi.add_incoming(&[(abi.concrete, *from)]));
                phi.add_incoming(&[(label, slow)]);
                phi
            });
            let merged = merged.collect();
            self.labels.insert(value, merged);
        }
    }

    /// Splits a block before an instruction: moves the instructions above it into a new block, which is
    /// returned and takes over the predecessors.
    pub fn split_before(&mut self, block: Block, before: Value) -> Block {
        let head = self.unit.module.block_before(block);
        block.redirect_to(head, &self.builder);
        self.builder.at_end(head);
        while let Some(first) = block.first().filter(|first| *first != before) {
            first.unlink();
            self.builder.insert(first);
        }
        head
    }

    /// True if a value's type can carry a label.
    pub fn labelable(&self, value: Value) -> bool {
        labelable(self.unit.module, value.ty())
    }

    /// Returns the address of a site's record.
    pub fn record(&self, site: SiteRef) -> Value {
        self.sites.record(self.unit.module, site)
    }

    fn call(&mut self, block: Block, call: Value, segment: &mut Segment) {
        let callee = call.callee();
        if callee.is_inline_asm() {
            return match semantics(call) {
                Some(_) => self.operation(call, segment),
                None => self.assembly(block, call, segment),
            };
        }
        match intrinsic(callee) {
            None => self.ordinary_call(block, call, segment),
            Some(Intrinsic::Operation(semantics)) => {
                if semantics.is_approximate() {
                    // Constant folding by the optimiser may differ from the library in the last bit.
                    self.unit.module.add_call_attribute(call, "nobuiltin");
                }
                self.operation(call, segment);
            }
            Some(Intrinsic::Quiet) => {}
            Some(Intrinsic::Other) => self.unknown_intrinsic(block, call, segment),
            Some(kind) => self.memory_intrinsic(block, call, kind, segment),
        }
    }

    /// Handles an unsupported intrinsic: its operands are lost, and so is the memory that it reads.
    fn unknown_intrinsic(&mut self, block: Block, call: Value, segment: &mut Segment) {
        if call.ty() == self.unit.module.void() {
            return self.lose(call, &call.arguments(), Loss::Instruction, segment);
        }
        self.operation(call, segment);
        let (name, pointers) = (call.callee().name(), pointers(&call.arguments()));
        if pointers.is_empty() || !reads_memory(&name) {
            return;
        }
        if name.contains("gather") {
            self.close(block, segment, call);
            self.builder.before(call);
            let site = self.sites.uninstrumented(self.found.index, call, &name);
            return self.lose_reachable(site, self.unit.abi.concrete, &pointers, Loss::Instruction);
        }
        if segment.stored {
            self.close(block, segment, call);
        }
        for pointer in pointers {
            self.lose_memory(call, pointer, call.ty(), Loss::Instruction, segment);
        }
    }

    /// Handles inline assembly: its operands are lost, its outputs are concrete.
    fn assembly(&mut self, block: Block, call: Value, segment: &mut Segment) {
        self.lose(call, &call.arguments(), Loss::Assembly, segment);
        self.lose_assembly_pointees(block, call, segment);
        let memory = |index: usize| Some((call.operand(index as u32), call.call_element_type(index as u32)?));
        let operands: Vec<(Value, Type)> = (0..call.arguments().len()).filter_map(memory).collect();
        if operands.is_empty() {
            return;
        }
        if segment.stored {
            self.close(block, segment, call);
        }
        // Output operands come first.
        let constraints = call.callee().asm_constraints();
        let outputs = constraints.split(',').filter(|c| c.starts_with("=*")).count();
        for (address, ty) in &operands[outputs..] {
            self.lose_memory(call, *address, *ty, Loss::Assembly, segment);
        }
        self.close(block, segment, call);
        self.builder.before(call);
        for (address, ty) in &operands[..outputs] {
            self.clear(*address, *ty);
        }
    }

    /// Records a loss of symbolic memory that inline assembly may read through pointers in registers.
    fn lose_assembly_pointees(&mut self, block: Block, call: Value, segment: &mut Segment) {
        let callee = call.callee();
        let in_register = |index: &u32| call.call_element_type(*index).is_none();
        let registers = (0..call.arguments().len() as u32).filter(in_register);
        let pointers = pointers(&registers.map(|index| call.operand(index)).collect::<Vec<_>>());
        let reads = callee.asm_constraints().contains("~{memory}") && !callee.asm_template().is_empty();
        if reads && !pointers.is_empty() {
            self.close(block, segment, call);
            self.builder.before(call);
            let site = self.sites.concretization(self.found.index, call);
            self.lose_reachable(site, self.unit.abi.concrete, &pointers, Loss::Assembly);
        }
    }

    /// Emits code that makes memory concrete, at the builder's position.
    pub fn clear(&self, address: Value, ty: Type) {
        let size = self.unit.module.constant(64, self.unit.module.store_size(ty));
        let address = self.unit.abi.widen(&self.builder, address);
        self.builder.call(self.unit.abi.clear, &[address, size]);
    }
}

/// Returns the name of an unsupported instruction: an intrinsic's own, otherwise the opcode's.
fn instruction_name(instruction: Value) -> String {
    if instruction.opcode() == Opcode::LLVMCall {
        return instruction.callee().name();
    }
    let name = format!("{:?}", instruction.opcode());
    name.strip_prefix("LLVM").unwrap_or(&name).to_lowercase()
}

/// Moves allocas of fixed size to the top of the entry block: left behind a split they would become dynamic
/// and allocate on every iteration of a loop.
fn hoist_allocas(module: &Module, function: Value) {
    let entry = function.blocks()[0];
    let builder = module.builder();
    let instructions = entry.instructions();
    let Some(first) = instructions.iter().find(|i| i.opcode() != Opcode::LLVMAlloca) else { return };
    let past_first = instructions.iter().skip_while(|i| *i != first);
    for alloca in
        past_first.filter(|i| i.opcode() == Opcode::LLVMAlloca && i.operand(0).as_constant().is_some())
    {
        alloca.unlink();
        builder.before(*first);
        builder.insert(*alloca);
    }
}

/// Stores `undef` to scalar locals that stayed in memory, at their allocation. Otherwise a local would seem
/// to have the label that an earlier call left in the same stack slot, whenever its bytes happen to match
/// that label's value: zero is common. The optimiser removes the stores; the shadow clears that the pass
/// derives from them stay.
fn mark_locals_undefined(module: &Module, function: Value) {
    let instructions = function.blocks()[0].instructions();
    let Some(first) = instructions.iter().find(|i| i.opcode() != Opcode::LLVMAlloca) else { return };
    let builder = module.builder();
    builder.before(*first);
    for alloca in instructions.iter().take_while(|i| *i != first) {
        if let Some(ty) = alloca.allocated_type().filter(|ty| scalar_width(*ty).is_some()) {
            builder.store(module.undefined(ty), *alloca);
        }
    }
}
