//! Labels through one function.
//!
//! Every value that may be symbolic gets, beside it, an SSA value with its label. LLVM's C interface
//! can neither split a block nor rename a phi's predecessor, so a block is cut by moving its head into
//! a new block before it: the terminator, and with it the identity that phis refer to, stays.

use super::abi::Abi;
use super::atomics::{Part, spell_out};
use super::checks;
use super::edges::{in_order, split_invokes};
use super::emit::Slow;
use super::intrinsics::{Intrinsic, intrinsic, reads_memory};
use super::op_semantics::meaning;
use super::segment::{Action, Segment};
use super::sites::{FunctionSites, SiteRef, Sites};
use super::taint::labelled_values;
use super::types::{labelable, labelable_in_memory, leaves, loss, scalar_width};
use super::uninstrumented_calls::pointers;
use crate::llvm::{Block, Builder, Module, Opcode, Type, Value};
use cairn_wire::{Checks, Loss};
use std::collections::{HashMap, HashSet};

/// What is known of the whole unit.
pub struct Unit<'a> {
    pub module: &'a Module,
    pub abi: &'a Abi,
    /// Whether it stands for a part of the C library.
    pub is_model: bool,
    /// Faults that it is to decide on.
    pub checks: Checks,
    /// Functions that get labels.
    pub instrumented: &'a HashSet<Value>,
    /// Functions that only instrumented code of this unit calls, and only directly: they need no tag.
    pub private: &'a HashSet<Value>,
}

/// The labels of one function's values; a value that is not in it is concrete.
pub type Labels = HashMap<Value, Vec<Value>>;

/// Instruments one function.
pub struct FunctionPass<'a> {
    pub unit: &'a Unit<'a>,
    pub sites: &'a mut Sites,
    pub found: FunctionSites,
    pub function: Value,
    pub labelled: HashSet<Value>,
    pub labels: Labels,
    pub builder: Builder,
    /// Values that belong to atomic updates.
    pub atomics: HashMap<Value, Part>,
    /// Values from other functions whose labels the first segment of a block takes over.
    pub arriving: HashMap<Block, Vec<Value>>,
}

impl<'a> FunctionPass<'a> {
    /// Adds label code to a function whose sites are known.
    pub fn run(unit: &'a Unit<'a>, sites: &'a mut Sites, found: FunctionSites, function: Value) {
        hoist_allocas(unit.module, function);
        forget_locals(unit.module, function);
        split_invokes(unit.module, function);
        let atomics = spell_out(unit.module, function);
        let labelled = labelled_values(unit.module, function);
        let builder = unit.module.builder();
        let (labels, arriving) = (HashMap::new(), HashMap::new());
        let mut pass =
            FunctionPass { unit, sites, found, function, labelled, labels, builder, atomics, arriving };
        // Our own code must not be looked at: remember what was there first.
        let blocks: Vec<(Block, Vec<Value>)> =
            in_order(function).into_iter().map(|b| (b, b.instructions())).collect();
        pass.make_label_phis(&blocks);
        pass.enter(blocks[0].0, blocks[0].1.iter().find(|i| i.opcode() != Opcode::LLVMAlloca).copied());
        for (block, instructions) in &blocks {
            pass.block(*block, instructions);
        }
        pass.fill_label_phis(&blocks);
    }

    /// Labels of a value, one per scalar.
    pub fn labels_of(&self, value: Value) -> Vec<Value> {
        match self.labels.get(&value) {
            Some(labels) => labels.clone(),
            None => vec![self.unit.abi.concrete; self.scalars(value)],
        }
    }

    /// Label of a scalar value.
    pub fn label_of(&self, value: Value) -> Value {
        self.labels.get(&value).map_or(self.unit.abi.concrete, |labels| labels[0])
    }

    /// Scalars of a value's type.
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
        let arriving = self.arriving.remove(&block).unwrap_or_default();
        let actions = arriving.into_iter().map(Action::Admit).collect();
        let mut segment = Segment { actions, stored: false };
        for &instruction in instructions {
            if !self.found.own.contains(&instruction) {
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
                let site = self.sites.pin(self.found.index, instruction);
                segment.actions.push(Action::Reserve(site, instruction));
                self.close(block, segment, instruction);
            }
            LLVMPHI | LLVMAlloca => {}
            LLVMLoad => self.load(block, instruction, segment),
            LLVMExtractElement | LLVMInsertElement => {
                let index = instruction.operands().last().copied();
                index.into_iter().for_each(|index| self.pin(instruction, index, segment));
                self.operation(instruction, segment);
            }
            LLVMStore => {
                if segment.reads_memory() {
                    self.close(block, segment, instruction);
                }
                self.write(instruction, segment);
                if !labelable_in_memory(self.unit.module, instruction.operand(0).ty()) {
                    self.lose(instruction, &[instruction.operand(0)], Loss::Vector, segment);
                }
                let (value, address) = (instruction.operand(0), instruction.operand(1));
                segment.actions.push(Action::Store { address, value });
                segment.stored = true;
            }
            LLVMCall | LLVMInvoke => self.call(block, instruction, segment),
            LLVMSelect => {
                // The condition is not lost where both values are concrete: it is in the path.
                self.decide(instruction, instruction.operand(0), segment);
                if self.labelled.contains(&instruction) {
                    self.operation(instruction, segment);
                }
            }
            LLVMSDiv | LLVMUDiv | LLVMSRem | LLVMURem if checks::is_checked(instruction) => {
                // Nothing is recorded any more once it faults.
                self.close(block, segment, instruction);
                self.operation(instruction, segment);
            }
            LLVMBr if instruction.is_conditional() => {
                self.decide(instruction, instruction.condition(), segment);
                self.close(block, segment, instruction);
            }
            LLVMSwitch => {
                self.decide(instruction, instruction.operand(0), segment);
                self.close(block, segment, instruction);
            }
            LLVMIndirectBr => {
                self.pin(instruction, instruction.operand(0), segment);
                self.close(block, segment, instruction);
            }
            LLVMRet => {
                self.close(block, segment, instruction);
                self.leave(instruction);
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

    /// Values that go into something that gives no labels back.
    pub fn lose(&mut self, at: Value, values: &[Value], why: Loss, segment: &mut Segment) {
        for value in values {
            if self.labelled.contains(value) {
                let site = match why {
                    Loss::Instruction => self.sites.foreign(self.found.index, at, &instruction_name(at)),
                    _ => self.sites.pin(self.found.index, at),
                };
                segment.actions.push(Action::Lose { site, value: *value, why });
            }
        }
    }

    /// The same of memory.
    pub fn lose_memory(&mut self, at: Value, address: Value, ty: Type, why: Loss, segment: &mut Segment) {
        let site = self.sites.pin(self.found.index, at);
        segment.actions.push(Action::LoseMemory { site, address, ty, why });
    }

    fn load(&mut self, block: Block, load: Value, segment: &mut Segment) {
        if segment.stored {
            self.close(block, segment, load);
        }
        if self.is_read(load) {
            let site = self.sites.pin(self.found.index, load);
            segment.actions.push(Action::Read(site, load));
            return;
        }
        self.pin(load, load.operand(0), segment);
        if self.labelled.contains(&load) {
            segment.actions.push(Action::Load { address: load.operand(0), value: load });
        } else if !labelable_in_memory(self.unit.module, load.ty()) {
            self.lose_memory(load, load.operand(0), load.ty(), loss(load.ty()), segment);
        }
    }

    /// A store whose address may have a label.
    fn write(&mut self, store: Value, segment: &mut Segment) {
        if self.labelled.contains(&store.operand(1)) {
            let site = self.sites.pin(self.found.index, store);
            segment.actions.push(Action::Write(site, store));
        }
    }

    fn decide(&mut self, instruction: Value, value: Value, segment: &mut Segment) {
        if let Some(&site) = self.found.of.get(&instruction)
            && self.labelled.contains(&value)
        {
            segment.actions.push(Action::Decision(site, value));
        }
    }

    /// A value about to be used as the constant it is.
    pub fn pin(&mut self, at: Value, value: Value, segment: &mut Segment) {
        if self.labelled.contains(&value) {
            let site = self.sites.pin(self.found.index, at);
            segment.actions.push(Action::Pin(site, value));
        }
    }

    /// Ends a segment before an instruction of the block.
    pub fn close(&mut self, block: Block, segment: &mut Segment, before: Value) {
        let segment = std::mem::take(segment);
        if segment.actions.is_empty() {
            return;
        }
        let (module, abi) = (self.unit.module, self.unit.abi);
        let head = self.cut(block, before);
        self.builder.at_end(head);
        let inputs = self.inputs(&segment);
        if inputs.is_empty() {
            self.builder.jump(block);
            return;
        }
        let slow = module.block_at_end(self.function);
        let concrete = self.guard(&inputs, head, slow, block);
        self.builder.at_end(slow);
        let computed = Slow::new(self).run(&segment.actions);
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

    /// Moves everything before an instruction into a new block, which takes the old one's place.
    pub fn cut(&mut self, block: Block, before: Value) -> Block {
        let head = self.unit.module.block_before(block);
        block.redirect_to(head, &self.builder);
        self.builder.at_end(head);
        while let Some(first) = block.first().filter(|first| *first != before) {
            first.unlink();
            self.builder.insert(first);
        }
        head
    }

    /// Whether a value's type can carry a label.
    pub fn labelable(&self, value: Value) -> bool {
        labelable(self.unit.module, value.ty())
    }

    /// Address of a site's record.
    pub fn record(&self, site: SiteRef) -> Value {
        self.sites.record(self.unit.module, site)
    }

    fn call(&mut self, block: Block, call: Value, segment: &mut Segment) {
        let callee = call.callee();
        if callee.is_inline_asm() {
            return match meaning(call) {
                Some(_) => self.operation(call, segment),
                None => self.assembly(block, call, segment),
            };
        }
        match intrinsic(callee) {
            None => self.ordinary_call(block, call, segment),
            Some(Intrinsic::Operation(meaning)) => {
                if meaning.is_approximate() {
                    // What the optimiser makes of it may differ in the last bit.
                    self.unit.module.add_call_attribute(call, "nobuiltin");
                }
                self.operation(call, segment);
            }
            Some(Intrinsic::Quiet) => {}
            Some(Intrinsic::Other) => self.unknown_intrinsic(block, call, segment),
            Some(kind) => self.memory_intrinsic(block, call, kind, segment),
        }
    }

    /// An intrinsic that the pass does not know: what it takes is lost, and so is the memory that it reads.
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
            let site = self.sites.foreign(self.found.index, call, &name);
            return self.lose_behind(site, self.unit.abi.concrete, &pointers, Loss::Instruction);
        }
        if segment.stored {
            self.close(block, segment, call);
        }
        for pointer in pointers {
            self.lose_memory(call, pointer, call.ty(), Loss::Instruction, segment);
        }
    }

    /// Inline assembly: what it takes is lost, what it writes is concrete.
    fn assembly(&mut self, block: Block, call: Value, segment: &mut Segment) {
        self.lose(call, &call.arguments(), Loss::Assembly, segment);
        self.assembly_behind_registers(block, call, segment);
        let memory = |index: usize| Some((call.operand(index as u32), call.call_element_type(index as u32)?));
        let operands: Vec<(Value, Type)> = (0..call.arguments().len()).filter_map(memory).collect();
        if operands.is_empty() {
            return;
        }
        if segment.stored {
            self.close(block, segment, call);
        }
        // Outputs come first.
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

    /// Counts symbolic memory that inline assembly may read through pointers in registers.
    fn assembly_behind_registers(&mut self, block: Block, call: Value, segment: &mut Segment) {
        let callee = call.callee();
        let in_register = |index: &u32| call.call_element_type(*index).is_none();
        let registers = (0..call.arguments().len() as u32).filter(in_register);
        let pointers = pointers(&registers.map(|index| call.operand(index)).collect::<Vec<_>>());
        let reads = callee.asm_constraints().contains("~{memory}") && !callee.asm_template().is_empty();
        if reads && !pointers.is_empty() {
            self.close(block, segment, call);
            self.builder.before(call);
            let site = self.sites.pin(self.found.index, call);
            self.lose_behind(site, self.unit.abi.concrete, &pointers, Loss::Assembly);
        }
    }

    /// Makes memory concrete, at the builder's position.
    pub fn clear(&self, address: Value, ty: Type) {
        let size = self.unit.module.constant(64, self.unit.module.store_size(ty));
        let address = self.unit.abi.widen(&self.builder, address);
        self.builder.call(self.unit.abi.clear, &[address, size]);
    }
}

/// What to call an instruction that is not followed: an intrinsic by its name, others as LLVM does.
fn instruction_name(instruction: Value) -> String {
    if instruction.opcode() == Opcode::LLVMCall {
        return instruction.callee().name();
    }
    let name = format!("{:?}", instruction.opcode());
    name.strip_prefix("LLVM").unwrap_or(&name).to_lowercase()
}

/// Keeps allocas of fixed size at the top of the entry block: cut off from it they would allocate anew
/// on every pass through a loop.
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

/// Says that scalar locals in memory have no value yet. What an earlier call left in their place is not theirs, and
/// neither is its label, even if the memory has the label's value again by chance: zero is common. The stores of
/// nothing are gone after optimisation; what the pass makes of them stays.
fn forget_locals(module: &Module, function: Value) {
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
