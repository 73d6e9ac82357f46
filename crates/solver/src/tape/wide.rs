//! Interpreter with registers of 128 bits, by the reference semantics: such tapes are rare.

use super::Tape;
use super::step::{Reg, TapeStep, TapeTable};
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

pub(super) fn value(tables: &[TapeTable], step: TapeStep, input: &[u8], registers: &[u128]) -> u128 {
    let r = |register: Reg| registers[register as usize];
    match step {
        TapeStep::Load(load) => load.value(input),
        TapeStep::Binary(op, width, a, b) => semantics::binary(op, width, r(a), r(b)),
        TapeStep::Compare(op, width, a, b) => semantics::compare(op, width, r(a), r(b)).into(),
        TapeStep::SignExtend { from, to, of } => semantics::sign_extend(from, to, r(of)),
        TapeStep::Extract { low, width, of } => semantics::extract(low, width, r(of)),
        TapeStep::Concat { low_width, high, low, .. } => semantics::concat(low_width, r(high), r(low)),
        TapeStep::Choose { condition, yes, no, .. } => r(if r(condition) == 1 { yes } else { no }),
        TapeStep::Float(op, width, a, b) => semantics::float(op, width, r(a), r(b)),
        TapeStep::FloatCompare(op, width, a, b) => semantics::float_compare(op, width, r(a), r(b)).into(),
        TapeStep::Convert { how, from, to, of } => semantics::convert(how, from, to, r(of)),
        TapeStep::Math(function, width, operands) => {
            semantics::math(function, width, taken(function, operands.map(r)))
        }
        TapeStep::BitCount(what, width, of) => semantics::count(what, width, r(of)),
        TapeStep::Read { table, bytes, place } => {
            tables[table as usize].read(r(place) as u64, bytes, |part| r(part) as u8)
        }
    }
}

/// Returns the operands that a function takes, followed by zeros.
pub(super) fn taken(function: Math, mut operands: [u128; 3]) -> [u128; 3] {
    operands[function.operands()..].fill(0);
    operands
}
