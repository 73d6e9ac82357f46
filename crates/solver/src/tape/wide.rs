//! Runs a tape with registers of 128 bits, by the reference's own definitions: such tapes are rare.

use super::Tape;
use super::step::{Reg, Step, Table};
use cairn_expr::{Math, semantics};

/// Computes all registers.
pub(super) fn run<'r>(tape: &Tape, input: &[u8], registers: &'r mut Vec<u128>) -> &'r [u128] {
    registers.clear();
    registers.resize(tape.registers(), 0);
    registers[tape.steps.len()..].copy_from_slice(&tape.constants);
    for (i, &step) in tape.steps.iter().enumerate() {
        registers[i] = value(&tape.tables, step, input, registers);
    }
    registers
}

pub(super) fn value(tables: &[Table], step: Step, input: &[u8], registers: &[u128]) -> u128 {
    let r = |register: Reg| registers[register as usize];
    match step {
        Step::Load(load) => load.value(input),
        Step::Binary(op, width, a, b) => semantics::binary(op, width, r(a), r(b)),
        Step::Compare(op, width, a, b) => semantics::compare(op, width, r(a), r(b)).into(),
        Step::SignExtend { from, to, of } => semantics::sign_extend(from, to, r(of)),
        Step::Extract { low, width, of } => semantics::extract(low, width, r(of)),
        Step::Concat { low_width, high, low, .. } => semantics::concat(low_width, r(high), r(low)),
        Step::Choose { condition, yes, no, .. } => r(if r(condition) == 1 { yes } else { no }),
        Step::Float(op, width, a, b) => semantics::float(op, width, r(a), r(b)),
        Step::FloatCompare(op, width, a, b) => semantics::float_compare(op, width, r(a), r(b)).into(),
        Step::Convert { how, from, to, of } => semantics::convert(how, from, to, r(of)),
        Step::Math(function, width, operands) => {
            semantics::math(function, width, taken(function, operands.map(r)))
        }
        Step::BitCount(what, width, of) => semantics::count(what, width, r(of)),
        Step::Read { table, bytes, place } => {
            tables[table as usize].read(r(place) as u64, bytes, |part| r(part) as u8)
        }
    }
}

/// The operands a function takes, and zeros.
pub(super) fn taken(function: Math, mut operands: [u128; 3]) -> [u128; 3] {
    operands[function.operands()..].fill(0);
    operands
}
