//! Tapes in stages: a step runs as soon as the bytes it depends on are known.
//!
//! A search that assigns one byte after the other need not evaluate whole constraints again for every value:
//! the registers of earlier bytes are still valid. What the steps to come depend on is a stage's *interface*:
//! the registers that are known and still used. Two assignments with the same interface have the same future,
//! however they differ: of a scanner's automaton the interface is its state.

use super::step::{Reg, TapeStep};
use super::{Tape, narrow};

/// Registers of an interface at most; a chosen bound, beyond which two equal ones are unlikely.
const MAX_INTERFACE: usize = 16;

/// A tape, its steps ordered by the byte that they wait for.
pub(crate) struct StagedTape {
    tape: Tape,
    stages: Vec<Stage>,
}

/// The steps that can run once a byte is known.
#[derive(Default)]
struct Stage {
    steps: Vec<Reg>,
    /// Roots that are computed then, by number.
    roots: Vec<u32>,
    /// Registers and bytes that are known then and still used; `None` if there are too many.
    interface: Option<Interface>,
}

#[derive(Clone, Default)]
struct Interface {
    registers: Vec<Reg>,
    bytes: Vec<u32>,
}

impl StagedTape {
    /// Orders the steps of a tape; `None` if it has values of more than 64 bits. `order` has the bytes that
    /// become known one after the other; all others are known before.
    pub(crate) fn new(tape: Tape, inputs: usize, order: &[u32]) -> Option<StagedTape> {
        if !tape.is_narrow {
            return None;
        }
        let mut known_at = vec![0; inputs];
        (1..).zip(order).for_each(|(stage, &byte)| known_at[byte as usize] = stage);
        let stage_of = stages(&tape, &known_at);
        let mut stages: Vec<Stage> = (0..=order.len()).map(|_| Stage::default()).collect();
        for (register, &stage) in (0..).zip(&stage_of[..tape.steps.len()]) {
            stages[stage].steps.push(register);
        }
        for (number, &root) in (0..).zip(&tape.roots) {
            stages[stage_of[root as usize]].roots.push(number);
        }
        add_interfaces(&tape, &known_at, &stage_of, &mut stages);
        Some(StagedTape { tape, stages })
    }

    /// Returns the registers of a run, constants set.
    pub(crate) fn registers(&self) -> Vec<u64> {
        let mut registers = vec![0; self.tape.registers()];
        for (register, &constant) in registers[self.tape.steps.len()..].iter_mut().zip(&self.tape.constants) {
            *register = constant as u64;
        }
        registers
    }

    /// Runs the steps of a stage; returns the first of its roots that is 0.
    pub(crate) fn run(&self, stage: usize, input: &[u8], registers: &mut [u64]) -> Option<usize> {
        let Stage { steps, roots, .. } = &self.stages[stage];
        for &register in steps {
            let step = self.tape.steps[register as usize];
            registers[register as usize] = narrow::value(&self.tape.tables, step, input, registers);
        }
        let is_false = |root: &&u32| registers[self.tape.roots[**root as usize] as usize] == 0;
        roots.iter().find(is_false).map(|root| *root as usize)
    }

    /// Returns the number of steps of a stage.
    pub(crate) fn steps(&self, stage: usize) -> usize {
        self.stages[stage].steps.len() + self.stages[stage].roots.len()
    }

    /// Returns the values that a stage passes on; `None` if these are too many to come twice.
    pub(crate) fn interface(&self, stage: usize, input: &[u8], registers: &[u64]) -> Option<Box<[u64]>> {
        let Interface { registers: known, bytes } = self.stages[stage].interface.as_ref()?;
        let values = known.iter().map(|&register| registers[register as usize]);
        Some(values.chain(bytes.iter().map(|&byte| input[byte as usize].into())).collect())
    }
}

/// Returns per byte the length of the longest chain of steps from it to a root: a computation consumes the bytes
/// of long chains first.
pub(crate) fn chain_lengths(tape: &Tape, inputs: usize) -> Vec<u32> {
    let mut lengths = vec![0u32; tape.registers()];
    let mut of_bytes = vec![0; inputs];
    for (register, &step) in tape.steps.iter().enumerate().rev() {
        let length = lengths[register];
        if let TapeStep::Load(load) = step {
            for byte in load.first..load.first + u32::from(load.bytes) {
                of_bytes[byte as usize] = length.max(of_bytes[byte as usize]);
            }
        }
        operands(tape, step, |operand| {
            lengths[operand as usize] = lengths[operand as usize].max(length + 1);
        });
    }
    of_bytes
}

/// Calls `visit` with all registers that a step may read.
fn operands(tape: &Tape, mut step: TapeStep, mut visit: impl FnMut(Reg)) {
    if let TapeStep::Read { table, .. } = step {
        tape.tables[table as usize].parts.iter().for_each(|&(_, part)| visit(part));
    }
    step.operands_mut().into_iter().flatten().for_each(|register| visit(*register));
}

/// Returns per register the stage in which it can be computed.
fn stages(tape: &Tape, known_at: &[usize]) -> Vec<usize> {
    let mut stage_of = vec![0; tape.registers()];
    for (register, &step) in tape.steps.iter().enumerate() {
        let mut stage = match step {
            TapeStep::Load(load) => {
                let bytes = load.first as usize..load.first as usize + usize::from(load.bytes);
                known_at[bytes].iter().copied().max().unwrap_or(0)
            }
            _ => 0,
        };
        operands(tape, step, |operand| stage = stage.max(stage_of[operand as usize]));
        stage_of[register] = stage;
    }
    stage_of
}

/// Finds for every stage what is known in it and used after it.
fn add_interfaces(tape: &Tape, known_at: &[usize], stage_of: &[usize], stages: &mut [Stage]) {
    let mut last_use = stage_of.to_vec();
    let mut last_use_of_byte = known_at.to_vec();
    for (register, &step) in tape.steps.iter().enumerate() {
        let stage = stage_of[register];
        if let TapeStep::Load(load) = step {
            let bytes = load.first as usize..load.first as usize + usize::from(load.bytes);
            last_use_of_byte[bytes].iter_mut().for_each(|last| *last = stage.max(*last));
        }
        operands(tape, step, |operand| {
            last_use[operand as usize] = last_use[operand as usize].max(stage);
        });
    }
    let mut interfaces = vec![Some(Interface::default()); stages.len()];
    let is_step = |register: &usize| *register < tape.steps.len();
    // What is known before the first byte is the same for all.
    let varies = |register: &usize| is_step(register) && stage_of[*register] > 0;
    for register in (0..stage_of.len()).filter(varies) {
        let first = stage_of[register];
        for interface in &mut interfaces[first..last_use[register].max(first)] {
            add(interface, |interface| interface.registers.push(register as Reg));
        }
    }
    for (byte, &first) in known_at.iter().enumerate().filter(|(_, first)| **first > 0) {
        for interface in &mut interfaces[first..last_use_of_byte[byte]] {
            add(interface, |interface| interface.bytes.push(byte as u32));
        }
    }
    for (stage, interface) in stages.iter_mut().zip(interfaces) {
        stage.interface = interface;
    }
}

/// Adds to an interface, unless it is too large already or thereby.
fn add(interface: &mut Option<Interface>, push: impl FnOnce(&mut Interface)) {
    if let Some(some) = interface {
        push(some);
        if some.registers.len() + some.bytes.len() > MAX_INTERFACE {
            *interface = None;
        }
    }
}
