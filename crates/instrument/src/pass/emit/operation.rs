//! Labels of operations, lane by lane for vectors.

use super::SlowPath;
use super::term::{EncodedOp, Term};
use crate::llvm::Value;
use crate::pass::op_semantics::semantics;
use crate::pass::semantics::{Composed, Semantics};
use crate::pass::types::{is_vector, leaf_range};
use cairn_wire::{Math, Op};

impl SlowPath<'_, '_> {
    /// Emits the labels of an operation that was already cloned.
    pub(super) fn operation(&self, instruction: Value) -> Vec<Value> {
        let Some(semantics) = semantics(instruction) else {
            return vec![self.concrete(); self.pass.scalars(instruction)];
        };
        match semantics {
            Semantics::Identity => self.labels(instruction.operand(0)),
            Semantics::Address => vec![self.address(instruction)],
            Semantics::Reinterpret => self.reinterpret(instruction),
            Semantics::Select => self.select(instruction),
            Semantics::ExtractPart => self.extract_part(instruction),
            Semantics::InsertPart => self.insert_part(instruction),
            Semantics::ExtractElement => vec![self.extract_element(instruction)],
            Semantics::InsertElement => self.insert_element(instruction),
            Semantics::Shuffle => self.shuffle(instruction),
            Semantics::Reduce(fold) => vec![self.reduce(fold, instruction)],
            Semantics::SignMask => vec![self.sign_mask(instruction)],
            Semantics::Composed(Composed::Overflow(op, sign)) => {
                let [a, b] = [0, 1].map(|i| self.terms(instruction.operand(i))[0]);
                self.with_overflow(op, sign, a, b).map(|term| term.label).to_vec()
            }
            _ => self.lane_by_lane(semantics, instruction),
        }
    }

    fn lane_by_lane(&self, semantics: Semantics, instruction: Value) -> Vec<Value> {
        let results = self.terms_of_result(instruction);
        let operands: Vec<Vec<Term>> =
            (0..operand_count(semantics)).map(|i| self.terms(instruction.operand(i))).collect();
        let lane = |(lane, result): (usize, Value)| {
            let operands: Vec<Term> = operands.iter().map(|terms| terms[lane]).collect();
            self.lane(semantics, instruction, &operands, result)
        };
        results.into_iter().enumerate().map(lane).collect()
    }

    fn terms_of_result(&self, instruction: Value) -> Vec<Value> {
        self.parts(self.value(instruction)).into_iter().map(|part| self.bits(part)).collect()
    }

    /// Emits the label of one lane of the result.
    fn lane(&self, semantics: Semantics, instruction: Value, operands: &[Term], result: Value) -> Value {
        let a = operands[0];
        let width = result.ty().int_width();
        match semantics {
            Semantics::Binary(op) => self.binary(EncodedOp::new(op, width), a, operands[1], result),
            Semantics::Compare(op) => self.binary(EncodedOp::new(op, a.width()), a, operands[1], result),
            Semantics::FloatCompare => {
                let code = EncodedOp::new(Op::FCmp, a.width()).aux(instruction.float_predicate());
                self.binary(code, a, operands[1], result)
            }
            Semantics::Convert(op) => self.unary(conversion(op, width, a), a, result),
            Semantics::Class => {
                let classes = instruction.operand(1).as_constant().unwrap_or(0);
                self.unary(EncodedOp::new(Op::FClass, 1).aux(classes as u32), a, result)
            }
            Semantics::Math(function) => self.math(function, operands, result),
            Semantics::Reverse(unit) => self.reverse(unit, a, result),
            Semantics::Composed(composed) => self.composed(composed, operands, width).label,
            _ => self.concrete(),
        }
    }

    pub(super) fn math(&self, function: Math, operands: &[Term], result: Value) -> Value {
        let code = EncodedOp::new(Op::Math, result.ty().int_width()).aux(function as u32);
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

    /// Emits the label of the selected value: a scalar select is a decision, which is in the path. A vector
    /// select is not, and becomes an `Ite` per lane.
    fn select(&self, instruction: Value) -> Vec<Value> {
        let [condition, yes, no] = [0, 1, 2].map(|i| instruction.operand(i));
        if is_vector(condition.ty()) {
            let [condition, yes, no] = [condition, yes, no].map(|operand| self.terms(operand));
            let lane = |i: usize| self.ite(condition[i], yes[i], no[i]).label;
            return (0..condition.len()).map(lane).collect();
        }
        let sides = self.labels(yes).into_iter().zip(self.labels(no));
        sides.map(|(yes, no)| self.pass.builder.select(self.value(condition), yes, no)).collect()
    }

    fn extract_part(&self, instruction: Value) -> Vec<Value> {
        let whole = instruction.operand(0);
        let (start, len) = leaf_range(self.pass.unit.module, whole.ty(), &instruction.indices());
        self.labels(whole)[start..start + len].to_vec()
    }

    fn insert_part(&self, instruction: Value) -> Vec<Value> {
        let (whole, part) = (instruction.operand(0), instruction.operand(1));
        let (start, len) = leaf_range(self.pass.unit.module, whole.ty(), &instruction.indices());
        let mut labels = self.labels(whole);
        labels.splice(start..start + len, self.labels(part));
        labels
    }
}

/// Returns the encoded conversion; those from and to floats carry the source width in `aux`.
fn conversion(op: Op, width: u32, from: Term) -> EncodedOp {
    match op {
        Op::FToS | Op::FToU | Op::SToF | Op::UToF | Op::FToF => EncodedOp::new(op, width).aux(from.width()),
        _ => EncodedOp::new(op, width),
    }
}

/// Returns the number of operands that carry labels; further operands are constant parameters.
fn operand_count(semantics: Semantics) -> u32 {
    match semantics {
        Semantics::Binary(_) | Semantics::Compare(_) | Semantics::FloatCompare => 2,
        Semantics::Math(function) => function.operands() as u32,
        Semantics::Composed(composed) => match composed {
            Composed::FunnelLeft | Composed::FunnelRight | Composed::MultiplyAdd => 3,
            Composed::Absolute | Composed::Negate | Composed::FloatAbsolute | Composed::RoundToInteger(_) => {
                1
            }
            _ => 2,
        },
        _ => 1,
    }
}
