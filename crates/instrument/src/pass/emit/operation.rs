//! Labels of operations, element by element.

use super::Slow;
use super::term::{Code, Term};
use crate::llvm::Value;
use crate::pass::op_semantics::{Composed, Meaning, meaning};
use crate::pass::types::{is_vector, leaf_range};
use cairn_wire::{Math, Op};

impl Slow<'_, '_> {
    /// Labels of an operation whose double is there already.
    pub(super) fn operation(&self, instruction: Value) -> Vec<Value> {
        let Some(meaning) = meaning(instruction) else {
            return vec![self.concrete(); self.pass.scalars(instruction)];
        };
        match meaning {
            Meaning::Same => self.labels(instruction.operand(0)),
            Meaning::Address => vec![self.address(instruction)],
            Meaning::Reinterpret => self.reinterpret(instruction),
            Meaning::Select => self.select(instruction),
            Meaning::Part => self.part(instruction),
            Meaning::WithPart => self.with_part(instruction),
            Meaning::Element => vec![self.element(instruction)],
            Meaning::WithElement => self.with_element(instruction),
            Meaning::Shuffle => self.shuffle(instruction),
            Meaning::Reduce(fold) => vec![self.reduce(fold, instruction)],
            Meaning::Signs => vec![self.signs(instruction)],
            Meaning::Composed(Composed::Overflow(op, sign)) => {
                let [a, b] = [0, 1].map(|i| self.terms(instruction.operand(i))[0]);
                self.with_overflow(op, sign, a, b).map(|term| term.label).to_vec()
            }
            _ => self.lane_by_lane(meaning, instruction),
        }
    }

    fn lane_by_lane(&self, meaning: Meaning, instruction: Value) -> Vec<Value> {
        let results = self.terms_of_result(instruction);
        let operands: Vec<Vec<Term>> =
            (0..operand_count(meaning)).map(|i| self.terms(instruction.operand(i))).collect();
        let lane = |(lane, result): (usize, Value)| {
            let operands: Vec<Term> = operands.iter().map(|terms| terms[lane]).collect();
            self.lane(meaning, instruction, &operands, result)
        };
        results.into_iter().enumerate().map(lane).collect()
    }

    fn terms_of_result(&self, instruction: Value) -> Vec<Value> {
        self.parts(self.value(instruction)).into_iter().map(|part| self.bits(part)).collect()
    }

    /// Label of one element of the result.
    fn lane(&self, meaning: Meaning, instruction: Value, operands: &[Term], result: Value) -> Value {
        let a = operands[0];
        let width = result.ty().int_width();
        match meaning {
            Meaning::Binary(op) => self.binary(Code::new(op, width), a, operands[1], result),
            Meaning::Compare(op) => self.binary(Code::new(op, a.width()), a, operands[1], result),
            Meaning::FloatCompare => {
                let code = Code::new(Op::FCmp, a.width()).aux(instruction.float_predicate());
                self.binary(code, a, operands[1], result)
            }
            Meaning::Convert(op) => self.unary(conversion(op, width, a), a, result),
            Meaning::Class => {
                let classes = instruction.operand(1).as_constant().unwrap_or(0);
                self.unary(Code::new(Op::FClass, 1).aux(classes as u32), a, result)
            }
            Meaning::Math(function) => self.math(function, operands, result),
            Meaning::Reverse(unit) => self.reverse(unit, a, result),
            Meaning::Composed(composed) => self.composed(composed, operands, width).label,
            _ => self.concrete(),
        }
    }

    pub(super) fn math(&self, function: Math, operands: &[Term], result: Value) -> Value {
        let code = Code::new(Op::Math, result.ty().int_width()).aux(function as u32);
        match *operands {
            [a] => self.unary(code, a, result),
            [a, b] => self.binary(code, a, b, result),
            _ => self.operate(code, operands, result),
        }
    }

    fn reverse(&self, unit: u32, a: Term, result: Value) -> Value {
        if self.is_concrete(a.label) {
            return a.label;
        }
        let [low, high] = self.halves(result);
        let code = self.constant(32, u64::from(a.width() | unit << 8));
        self.pass.builder.call(self.pass.unit.abi.reverse, &[code, a.label, low, high])
    }

    /// A select is a decision, and has the label of the side it takes; one of vectors is none.
    fn select(&self, instruction: Value) -> Vec<Value> {
        let [condition, yes, no] = [0, 1, 2].map(|i| instruction.operand(i));
        if is_vector(condition.ty()) {
            let [condition, yes, no] = [condition, yes, no].map(|operand| self.terms(operand));
            let lane = |i: usize| self.choose(condition[i], yes[i], no[i]).label;
            return (0..condition.len()).map(lane).collect();
        }
        let sides = self.labels(yes).into_iter().zip(self.labels(no));
        sides.map(|(yes, no)| self.pass.builder.select(self.value(condition), yes, no)).collect()
    }

    fn part(&self, instruction: Value) -> Vec<Value> {
        let whole = instruction.operand(0);
        let (start, len) = leaf_range(self.pass.unit.module, whole.ty(), &instruction.indices());
        self.labels(whole)[start..start + len].to_vec()
    }

    fn with_part(&self, instruction: Value) -> Vec<Value> {
        let (whole, part) = (instruction.operand(0), instruction.operand(1));
        let (start, len) = leaf_range(self.pass.unit.module, whole.ty(), &instruction.indices());
        let mut labels = self.labels(whole);
        labels.splice(start..start + len, self.labels(part));
        labels
    }
}

/// Conversions from and to floats name the width they come from.
fn conversion(op: Op, width: u32, from: Term) -> Code {
    match op {
        Op::FToS | Op::FToU | Op::SToF | Op::UToF | Op::FToF => Code::new(op, width).aux(from.width()),
        _ => Code::new(op, width),
    }
}

/// How many operands of an instruction count; others are constants that say how.
fn operand_count(meaning: Meaning) -> u32 {
    match meaning {
        Meaning::Binary(_) | Meaning::Compare(_) | Meaning::FloatCompare => 2,
        Meaning::Math(function) => function.operands() as u32,
        Meaning::Composed(composed) => match composed {
            Composed::FunnelLeft | Composed::FunnelRight | Composed::MultiplyAdd => 3,
            Composed::Absolute | Composed::Negate | Composed::Magnitude | Composed::RoundToInteger(_) => 1,
            _ => 2,
        },
        _ => 1,
    }
}
