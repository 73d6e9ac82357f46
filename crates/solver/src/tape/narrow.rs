//! Interpreter with registers of 64 bits: enough for nearly all tapes, and twice as fast.

use super::Tape;
use super::step::{Load, Reg, TapeStep, TapeTable};
use super::wide::taken;
use cairn_expr::{BinOp, CmpOp, FloatCmp, FloatOp, semantics};

/// Computes all registers.
pub(super) fn run<'r>(tape: &Tape, input: &[u8], registers: &'r mut Vec<u64>) -> &'r [u64] {
    if registers.len() < tape.registers() {
        registers.resize(tape.registers(), 0);
    }
    let registers = &mut registers[..tape.registers()];
    for (register, &constant) in registers[tape.steps.len()..].iter_mut().zip(&tape.constants) {
        *register = constant as u64;
    }
    for (i, &step) in tape.steps.iter().enumerate() {
        registers[i] = value(&tape.tables, step, input, registers);
    }
    registers
}

#[inline(always)]
pub(super) fn value(tables: &[TapeTable], step: TapeStep, input: &[u8], registers: &[u64]) -> u64 {
    let r = |register: Reg| registers[register as usize];
    let w = |register: Reg| u128::from(r(register));
    match step {
        TapeStep::Load(load) => loaded(load, input),
        TapeStep::Binary(op, width, a, b) => binary(op, width, r(a), r(b)),
        TapeStep::Compare(op, width, a, b) => compare(op, width, r(a), r(b)).into(),
        TapeStep::SignExtend { from, to, of } => signed(from, r(of)) as u64 & ones(to),
        TapeStep::Extract { low, width, of } => r(of) >> low & ones(width),
        TapeStep::Concat { low_width, high, low, .. } => r(high) << low_width | r(low),
        TapeStep::Choose { condition, yes, no, .. } => r(if r(condition) == 1 { yes } else { no }),
        TapeStep::Float(op, width, a, b) => float(op, width, r(a), r(b)),
        TapeStep::FloatCompare(op, width, a, b) => float_compare(op, width, r(a), r(b)).into(),
        TapeStep::Convert { how, from, to, of } => semantics::convert(how, from, to, w(of)) as u64,
        TapeStep::Math(function, width, operands) => {
            semantics::math(function, width, taken(function, operands.map(w))) as u64
        }
        TapeStep::BitCount(what, width, of) => semantics::count(what, width, w(of)) as u64,
        TapeStep::Read { table, bytes, place } => {
            tables[table as usize].read(r(place), bytes, |part| r(part) as u8) as u64
        }
    }
}

fn ones(width: u8) -> u64 {
    u64::MAX >> (64 - u32::from(width))
}

fn signed(width: u8, value: u64) -> i64 {
    let unused = 64 - u32::from(width);
    ((value << unused) as i64) >> unused
}

fn loaded(load: Load, input: &[u8]) -> u64 {
    let bytes = &input[load.first as usize..];
    match load {
        Load { bytes: 1, .. } => bytes[0].into(),
        Load { bytes: 2, is_big_endian: false, .. } => u16::from_le_bytes(chunk(bytes)).into(),
        Load { bytes: 4, is_big_endian: false, .. } => u32::from_le_bytes(chunk(bytes)).into(),
        Load { bytes: 8, is_big_endian: false, .. } => u64::from_le_bytes(chunk(bytes)),
        _ => load.value(input) as u64,
    }
}

fn chunk<const N: usize>(bytes: &[u8]) -> [u8; N] {
    *bytes.first_chunk().expect("the input has all bytes of the tape")
}

fn binary(op: BinOp, width: u8, a: u64, b: u64) -> u64 {
    let shift = || (b % u64::from(width)) as u32;
    let result = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_sub(b),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::UDiv => a.checked_div(b).unwrap_or(u64::MAX),
        BinOp::URem => a.checked_rem(b).unwrap_or(a),
        BinOp::SDiv => signed_divide(signed(width, a), signed(width, b)) as u64,
        BinOp::SRem if b == 0 => a,
        BinOp::SRem => signed(width, a).wrapping_rem(signed(width, b)) as u64,
        BinOp::Shl => a << shift(),
        BinOp::LShr => a >> shift(),
        BinOp::AShr => (signed(width, a) >> shift()) as u64,
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Xor => a ^ b,
    };
    result & ones(width)
}

fn signed_divide(a: i64, b: i64) -> i64 {
    match b {
        0 if a < 0 => 1,
        0 => -1,
        _ => a.wrapping_div(b),
    }
}

fn compare(op: CmpOp, width: u8, a: u64, b: u64) -> bool {
    // Shifted so that the sign bit is the register's.
    let top = |value: u64| (value << (64 - u32::from(width))) as i64;
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ult => a < b,
        CmpOp::Ule => a <= b,
        CmpOp::Slt => top(a) < top(b),
        CmpOp::Sle => top(a) <= top(b),
        other => semantics::compare(other, width, a.into(), b.into()),
    }
}

/// Computes a float operation; NaN results follow the reference semantics, which define their bits.
fn float(op: FloatOp, width: u8, a: u64, b: u64) -> u64 {
    let otherwise = || semantics::float(op, width, a.into(), b.into()) as u64;
    if width == 32 {
        let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
        let result = match op {
            FloatOp::Add => x + y,
            FloatOp::Sub => x - y,
            FloatOp::Mul => x * y,
            FloatOp::Div => x / y,
            FloatOp::Rem => x % y,
        };
        return if result.is_nan() { otherwise() } else { result.to_bits().into() };
    }
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    let result = match op {
        FloatOp::Add => x + y,
        FloatOp::Sub => x - y,
        FloatOp::Mul => x * y,
        FloatOp::Div => x / y,
        FloatOp::Rem => x % y,
    };
    if result.is_nan() { otherwise() } else { result.to_bits() }
}

fn float_compare(op: FloatCmp, width: u8, a: u64, b: u64) -> bool {
    let number = |bits: u64| match width {
        32 => f32::from_bits(bits as u32).into(),
        _ => f64::from_bits(bits),
    };
    let (a, b): (f64, f64) = (number(a), number(b));
    match op {
        FloatCmp::Eq => a == b,
        FloatCmp::Lt => a < b,
        FloatCmp::Le => a <= b,
    }
}
