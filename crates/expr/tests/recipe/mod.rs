//! Random expressions as recipes: a list of steps that can be built in a DAG, or computed directly.
//!
//! The direct computation follows SMT-LIB's own definitions (division by sign cases, shifts one bit
//! at a time), not the code under test.

mod floats;

use cairn_expr::{BinOp, BitCount, CmpOp, Conversion, Dag, ExprId, FloatOp, InputByte, Math};
use fastrand::Rng;

/// A step; operands are indices of earlier steps.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    Const(u128),
    Input(InputByte),
    Binary(BinOp, usize, usize),
    Compare(CmpOp, usize, usize),
    ZExt(usize),
    SExt(usize),
    Extract(usize, u8),
    Concat(usize, usize),
    Ite(usize, usize, usize),
    Float(FloatOp, usize, usize),
    /// Disjunction of the relations in the mask.
    Relation(u8, usize, usize),
    Class(u16, usize),
    Convert(Conversion, usize),
    Math(Math, [usize; 3]),
    BitCount(BitCount, usize),
    Read(Table, usize),
}

/// A snapshot: bytes that look random, and one that is a step.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    len: u8,
    part: usize,
}

impl Table {
    fn byte(self, place: u128) -> u8 {
        if place < self.len.into() { (place as u8).wrapping_mul(91) ^ place as u8 >> 2 } else { 0 }
    }

    /// Index of the step.
    fn part_place(self) -> u128 {
        (self.len / 2).into()
    }
}

/// Float operations of a recipe; those without have no counts and tables either.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(dead_code, reason = "every test has its own needs")]
pub enum Floats {
    None,
    /// Those that a solver knows.
    Known,
    All,
}

/// Steps with their widths.
#[derive(Clone, Debug)]
pub struct Recipe {
    pub steps: Vec<(Step, u8)>,
    taste: Taste,
}

/// Preferences of a recipe. Many rules are about the same value used twice or two constants in a row, which a
/// wide choice seldom gives: so some recipes have few widths, reach back a few steps only and like constants.
#[derive(Clone, Debug)]
struct Taste {
    widths: Vec<u8>,
    ops: Vec<BinOp>,
    /// Number of earlier steps from which operands are taken.
    reach: usize,
    /// Constants among 8 operands.
    constants: u8,
    floats: Floats,
}

impl Taste {
    fn random(rng: &mut Rng) -> Taste {
        if rng.bool() {
            return Taste {
                widths: WIDTHS.to_vec(),
                ops: BinOp::ALL.to_vec(),
                reach: usize::MAX,
                constants: 2,
                floats: Floats::None,
            };
        }
        let widths = (0..2).map(|_| WIDTHS[rng.usize(..WIDTHS.len())]).collect();
        let ops = (0..3).map(|_| BinOp::ALL[rng.usize(..BinOp::ALL.len())]).collect();
        Taste { widths, ops, reach: rng.usize(2..8), constants: rng.u8(1..6), floats: Floats::None }
    }
}

/// Widths that matter to C, and odd ones between them.
const WIDTHS: [u8; 14] = [1, 1, 2, 7, 8, 8, 16, 16, 31, 32, 33, 64, 127, 128];

fn ones(width: u8) -> u128 {
    u128::MAX >> (128 - width)
}

impl Recipe {
    /// At least `size` random steps over the bytes of `input`.
    pub fn random(rng: &mut Rng, size: usize, input: &[InputByte], floats: Floats) -> Recipe {
        let taste = Taste { floats, ..Taste::random(rng) };
        let mut recipe = Recipe { steps: Vec::new(), taste };
        while recipe.steps.len() < size {
            recipe.random_step(rng, input);
        }
        recipe
    }

    pub fn width(&self, step: usize) -> u8 {
        self.steps[step].1
    }

    fn add(&mut self, step: Step, width: u8) -> usize {
        assert!((1..=128).contains(&width));
        self.steps.push((step, width));
        self.steps.len() - 1
    }

    fn random_step(&mut self, rng: &mut Rng, input: &[InputByte]) {
        let width = self.taste.widths[rng.usize(..self.taste.widths.len())];
        let plain = self.taste.floats == Floats::None;
        match rng.u8(..if plain { 20 } else { 26 }) {
            0 | 1 => {
                self.add(Step::Input(input[rng.usize(..input.len())]), 8);
            }
            2..=9 => {
                let op = self.taste.ops[rng.usize(..self.taste.ops.len())];
                let (a, b) = (self.operand(rng, input, width), self.operand(rng, input, width));
                self.add(Step::Binary(op, a, b), width);
            }
            10..=12 => {
                let op = CmpOp::ALL[rng.usize(..CmpOp::ALL.len())];
                let (a, b) = (self.operand(rng, input, width), self.operand(rng, input, width));
                self.add(Step::Compare(op, a, b), 1);
            }
            13 => {
                let c = self.operand(rng, input, 1);
                let (t, e) = (self.operand(rng, input, width), self.operand(rng, input, width));
                self.add(Step::Ite(c, t, e), width);
            }
            14 | 15 => {
                let (a, b) = (self.any(rng, input), self.any(rng, input));
                if let Some(width) = self.width(a).checked_add(self.width(b)).filter(|&w| w <= 128) {
                    self.add(Step::Concat(a, b), width);
                }
            }
            16 => self.reassemble(rng, input),
            17..=20 if !plain => self.float_step(rng, input),
            21 => {
                let value = self.operand(rng, input, width);
                self.add(Step::BitCount(BitCount::ALL[rng.usize(..3)], value), width);
            }
            22 => {
                let table = Table { len: rng.u8(1..=255), part: self.operand(rng, input, 8) };
                let used = rng.u8(1..=10).max(rng.u8(1..=64));
                let index = self.operand(rng, input, used);
                let index = self.add(Step::ZExt(index), 64);
                self.add(Step::Read(table, index), rng.u8(1..=16) * 8);
            }
            _ => {
                let a = self.any(rng, input);
                self.resize(rng, a, width);
            }
        }
    }

    /// Takes a value apart into bytes, changes one of them perhaps, and puts it together again.
    fn reassemble(&mut self, rng: &mut Rng, input: &[InputByte]) {
        let whole = self.any(rng, input);
        let count = self.width(whole) / 8;
        let mut parts: Vec<usize> = (0..count).map(|i| self.add(Step::Extract(whole, i * 8), 8)).collect();
        if count > 0 && rng.u8(..3) == 0 {
            parts[rng.usize(..count as usize)] = self.operand(rng, input, 8);
        }
        let Some(mut value) = parts.first().copied() else { return };
        for &part in &parts[1..] {
            value = if rng.bool() {
                self.add(Step::Concat(part, value), self.width(value) + 8)
            } else {
                self.shift_and_or(part, value)
            };
        }
    }

    /// `part << width(value) | value`, as C code puts bytes together.
    fn shift_and_or(&mut self, part: usize, value: usize) -> usize {
        let (old, width) = (self.width(value), self.width(value) + 8);
        let (part, value) = (self.add(Step::ZExt(part), width), self.add(Step::ZExt(value), width));
        let amount = self.add(Step::Const(old.into()), width);
        let shifted = self.add(Step::Binary(BinOp::Shl, part, amount), width);
        self.add(Step::Binary(BinOp::Or, shifted, value), width)
    }

    fn any(&mut self, rng: &mut Rng, input: &[InputByte]) -> usize {
        if self.steps.is_empty() {
            return self.add(Step::Input(input[0]), 8);
        }
        // Prefer what was made last, so that expressions grow deep.
        let reach = self.steps.len().min(self.taste.reach);
        let back = rng.usize(..reach).min(rng.usize(..reach));
        self.steps.len() - 1 - back
    }

    fn operand(&mut self, rng: &mut Rng, input: &[InputByte], width: u8) -> usize {
        if rng.u8(..8) < self.taste.constants {
            let value = constant(rng, width);
            return self.add(Step::Const(value), width);
        }
        for _ in 0..4 {
            let a = self.any(rng, input);
            if self.width(a) == width {
                return a;
            }
        }
        let a = self.any(rng, input);
        self.resize(rng, a, width)
    }

    fn resize(&mut self, rng: &mut Rng, a: usize, width: u8) -> usize {
        let own = self.width(a);
        if width < own {
            self.add(Step::Extract(a, rng.u8(..=own - width)), width)
        } else if rng.bool() {
            self.add(Step::ZExt(a), width)
        } else {
            self.add(Step::SExt(a), width)
        }
    }

    /// Builds all steps.
    pub fn build(&self, dag: &mut Dag) -> Vec<ExprId> {
        let mut built: Vec<ExprId> = Vec::with_capacity(self.steps.len());
        for &(step, width) in &self.steps {
            let e = match step {
                Step::Const(value) => dag.constant(width, value),
                Step::Input(byte) => dag.input(byte),
                Step::Binary(op, a, b) => dag.binary(op, built[a], built[b]),
                Step::Compare(op, a, b) => dag.compare(op, built[a], built[b]),
                Step::ZExt(a) => dag.zext(built[a], width),
                Step::SExt(a) => dag.sext(built[a], width),
                Step::Extract(a, low) => dag.extract(built[a], low, width),
                Step::Concat(a, b) => dag.concat(built[a], built[b]),
                Step::Ite(c, t, e) => dag.ite(built[c], built[t], built[e]),
                Step::Float(op, a, b) => dag.float(op, built[a], built[b]),
                Step::Relation(mask, a, b) => dag.float_relation(mask, built[a], built[b]),
                Step::Class(classes, a) => dag.float_class(classes, built[a]),
                Step::Convert(how, a) => dag.convert(how, built[a], width),
                Step::Math(function, operands) => {
                    dag.math(function, &operands.map(|o| built[o])[..function.operands()])
                }
                Step::BitCount(what, a) => dag.count(what, built[a]),
                Step::Read(table, index) => {
                    let bytes: Vec<u8> = (0..table.len).map(|place| table.byte(place.into())).collect();
                    let snapshot = dag.snapshot(&bytes, &[(table.part_place() as u32, built[table.part])]);
                    dag.read(snapshot, built[index], width)
                }
            };
            assert_eq!(dag.width(e), width, "{step:?}");
            built.push(e);
        }
        built
    }

    /// Computes all steps.
    pub fn values(&self, input: impl Fn(InputByte) -> u8) -> Vec<u128> {
        let mut values: Vec<u128> = Vec::with_capacity(self.steps.len());
        for &(step, width) in &self.steps {
            let value = match step {
                Step::Const(value) => value,
                Step::Input(byte) => input(byte).into(),
                Step::Binary(op, a, b) => binary(op, width, values[a], values[b]),
                Step::Compare(op, a, b) => compare(op, self.width(a), values[a], values[b]).into(),
                Step::ZExt(a) => values[a],
                Step::SExt(a) if negative(self.width(a), values[a]) => values[a] | !ones(self.width(a)),
                Step::SExt(a) => values[a],
                Step::Extract(a, low) => values[a] >> low,
                Step::Concat(a, b) => values[a] << self.width(b) | values[b],
                Step::Ite(c, t, e) => values[if values[c] == 1 { t } else { e }],
                Step::Float(op, a, b) => floats::operation(op, width, values[a], values[b]),
                Step::Relation(mask, a, b) => {
                    floats::relation(mask, self.width(a), values[a], values[b]).into()
                }
                Step::Class(classes, a) => (classes >> floats::class(self.width(a), values[a]) & 1).into(),
                Step::Convert(how, a) => floats::convert(how, self.width(a), width, values[a]),
                Step::Math(function, operands) => floats::math(function, width, operands.map(|o| values[o])),
                Step::BitCount(what, a) => {
                    let bits: Vec<bool> = (0..width).map(|i| values[a] >> i & 1 == 1).collect();
                    let zeros = |bit: Option<usize>| bit.unwrap_or(width.into());
                    let counted = match what {
                        BitCount::Ones => bits.iter().filter(|&&bit| bit).count(),
                        BitCount::LeadingZeros => zeros(bits.iter().rev().position(|&bit| bit)),
                        BitCount::TrailingZeros => zeros(bits.iter().position(|&bit| bit)),
                    };
                    counted as u128
                }
                Step::Read(table, index) => (0..u128::from(width) / 8)
                    .map(|i| {
                        let place = values[index] + i;
                        let is_part = place == table.part_place();
                        let byte = if is_part { values[table.part] } else { table.byte(place).into() };
                        byte << (8 * i)
                    })
                    .sum(),
            };
            values.push(value & ones(width));
        }
        values
    }
}

/// Returns a constant that rules are likely to look at, or any.
pub fn constant(rng: &mut Rng, width: u8) -> u128 {
    let all = ones(width);
    let bit = 1u128 << rng.u8(..width);
    let value = match rng.u8(..12) {
        0 => 0,
        1 => 1,
        2 => all,
        3 => bit,
        4 => bit - 1,
        5 => !(bit - 1),
        6 => (all >> 1) + rng.u128(..3),
        7 => rng.u128(..130),
        8 => all - rng.u128(..3).min(all),
        9 | 10 => rng.u128(..) | 1 | 1 << (width - 1),
        _ => rng.u128(..),
    };
    value & all
}

fn negative(width: u8, value: u128) -> bool {
    value >> (width - 1) == 1
}

fn negate(width: u8, value: u128) -> u128 {
    value.wrapping_neg() & ones(width)
}

fn magnitude(width: u8, value: u128) -> u128 {
    if negative(width, value) { negate(width, value) } else { value }
}

fn binary(op: BinOp, width: u8, a: u128, b: u128) -> u128 {
    let (sign_a, sign_b) = (negative(width, a), negative(width, b));
    let unsigned = |op| binary(op, width, magnitude(width, a), magnitude(width, b));
    let result = match op {
        BinOp::Add => a.wrapping_add(b),
        BinOp::Sub => a.wrapping_add(!b).wrapping_add(1),
        BinOp::Mul => a.wrapping_mul(b),
        BinOp::UDiv if b == 0 => ones(width),
        BinOp::UDiv => a / b,
        BinOp::URem if b == 0 => a,
        BinOp::URem => a - a / b * b,
        BinOp::SDiv if sign_a != sign_b => negate(width, unsigned(BinOp::UDiv)),
        BinOp::SDiv => unsigned(BinOp::UDiv),
        BinOp::SRem if sign_a => negate(width, unsigned(BinOp::URem)),
        BinOp::SRem => unsigned(BinOp::URem),
        BinOp::Shl => (0..b % u128::from(width)).fold(a, |x, _| x << 1),
        BinOp::LShr => (0..b % u128::from(width)).fold(a, |x, _| x >> 1),
        BinOp::AShr => (0..b % u128::from(width)).fold(a, |x, _| x >> 1 | x & 1 << (width - 1)),
        BinOp::And => a & b,
        BinOp::Or => !(!a & !b),
        BinOp::Xor => (a | b) & !(a & b),
    };
    result & ones(width)
}

fn compare(op: CmpOp, width: u8, a: u128, b: u128) -> bool {
    let signed_less = match (negative(width, a), negative(width, b)) {
        (true, false) => true,
        (false, true) => false,
        _ => a < b,
    };
    match op {
        CmpOp::Eq => a == b,
        CmpOp::Ne => a != b,
        CmpOp::Ult => a < b,
        CmpOp::Ule => a <= b,
        CmpOp::Ugt => a > b,
        CmpOp::Uge => a >= b,
        CmpOp::Slt => signed_less,
        CmpOp::Sle => signed_less || a == b,
        CmpOp::Sgt => !(signed_less || a == b),
        CmpOp::Sge => !signed_less,
    }
}
