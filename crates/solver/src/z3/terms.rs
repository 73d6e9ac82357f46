//! Expressions as Z3 terms, each translated once.
//!
//! One-bit expressions that come from comparisons are Booleans to Z3, which it decides on directly;
//! a bit-vector of one bit is made of them only where an operation on bits needs it.

use super::floats::Floats;
use super::tables::count;
use ::z3::ast::{BV, Bool};
use cairn_expr::{BinOp, CmpOp, Dag, ExprId, InputByte, Node};
use rustc_hash::FxHashMap;

/// One translated expression.
#[derive(Clone)]
pub(super) enum Term {
    Bits(BV),
    Truth(Bool),
}

/// All terms translated so far.
#[derive(Default)]
pub(super) struct Terms {
    terms: FxHashMap<ExprId, Term>,
    variables: FxHashMap<InputByte, BV>,
    pub(super) floats: Floats,
    stack: Vec<ExprId>,
}

impl Terms {
    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    /// The variable of an input byte, if any translated expression depends on it.
    pub(super) fn variable(&self, byte: InputByte) -> Option<&BV> {
        self.variables.get(&byte)
    }

    /// A one-bit expression as a condition. Not recursive: expressions are as deep as paths are long.
    pub(super) fn condition(&mut self, dag: &Dag, e: ExprId) -> Bool {
        self.stack.push(e);
        while let Some(&top) = self.stack.last() {
            let waiting = self.stack.len();
            if !self.terms.contains_key(&top) {
                self.stack.extend(dag.children(top).filter(|child| !self.terms.contains_key(child)));
                if self.stack.len() > waiting {
                    continue;
                }
                let term = self.translate(dag, top);
                self.terms.insert(top, term);
                self.note_number(dag, top);
            }
            self.stack.pop();
        }
        self.truth(e)
    }

    pub(super) fn truth(&self, e: ExprId) -> Bool {
        match &self.terms[&e] {
            Term::Truth(truth) => truth.clone(),
            Term::Bits(bits) => bits.eq(BV::from_u64(1, 1)),
        }
    }

    pub(super) fn bits(&self, e: ExprId) -> BV {
        match &self.terms[&e] {
            Term::Bits(bits) => bits.clone(),
            Term::Truth(truth) => truth.ite(&BV::from_u64(1, 1), &BV::from_u64(0, 1)),
        }
    }

    fn is_truth(&self, e: ExprId) -> bool {
        matches!(self.terms[&e], Term::Truth(_))
    }

    /// Translates a node whose children are translated.
    fn translate(&mut self, dag: &Dag, e: ExprId) -> Term {
        let width = u32::from(dag.width(e));
        match dag.node(e) {
            Node::Const(value) if width == 1 => Term::Truth(Bool::from_bool(value == 1)),
            Node::Const(value) => Term::Bits(constant(width, value)),
            Node::Input(byte) => Term::Bits(self.new_variable(byte)),
            Node::Binary(op @ (BinOp::And | BinOp::Or | BinOp::Xor), a, b)
                if self.is_truth(a) || self.is_truth(b) =>
            {
                Term::Truth(connective(op, &self.truth(a), &self.truth(b)))
            }
            Node::Binary(op, a, b) => Term::Bits(binary(op, width, &self.bits(a), &self.bits(b))),
            Node::Compare(op, a, b) => Term::Truth(compare(op, &self.bits(a), &self.bits(b))),
            Node::ZExt(a) => Term::Bits(self.bits(a).zero_ext(width - u32::from(dag.width(a)))),
            Node::SExt(a) => Term::Bits(self.bits(a).sign_ext(width - u32::from(dag.width(a)))),
            Node::Extract(a, low) => Term::Bits(self.bits(a).extract(u32::from(low) + width - 1, low.into())),
            Node::Concat(a, b) => Term::Bits(self.bits(a).concat(self.bits(b))),
            Node::Ite(c, t, e) if self.is_truth(t) || self.is_truth(e) => {
                Term::Truth(self.truth(c).ite(&self.truth(t), &self.truth(e)))
            }
            Node::Ite(c, t, e) => Term::Bits(self.truth(c).ite(&self.bits(t), &self.bits(e))),
            Node::Float(op, a, b) => self.float(dag, e, op, a, b),
            Node::FloatCompare(op, a, b) => Term::Truth(self.float_compare(dag, op, a, b)),
            Node::Convert(how, a) => self.convert(dag, e, how, a),
            Node::Math(function) => self.math(dag, e, function),
            Node::BitCount(what, a) => Term::Bits(count(what, &self.bits(a))),
            Node::Read(snapshot, index) => Term::Bits(self.read(dag, snapshot, index, dag.width(e))),
        }
    }

    fn new_variable(&mut self, byte: InputByte) -> BV {
        let variable = BV::new_const(cairn_expr::smtlib::variable(byte), 8);
        self.variables.insert(byte, variable.clone());
        variable
    }
}

fn constant(width: u32, value: u128) -> BV {
    match u64::try_from(value) {
        Ok(value) => BV::from_u64(value, width),
        Err(_) => BV::from_u64((value >> 64) as u64, width - 64).concat(BV::from_u64(value as u64, 64)),
    }
}

fn connective(op: BinOp, a: &Bool, b: &Bool) -> Bool {
    match op {
        BinOp::And => Bool::and(&[a, b]),
        BinOp::Or => Bool::or(&[a, b]),
        _ => a.xor(b),
    }
}

fn binary(op: BinOp, width: u32, a: &BV, b: &BV) -> BV {
    // The amount counts modulo the width, which every width can hold.
    let amount = || {
        let modulus = u64::from(width);
        match width.is_power_of_two() {
            true => b.bvand(BV::from_u64(modulus - 1, width)),
            false => b.bvurem(BV::from_u64(modulus, width)),
        }
    };
    match op {
        BinOp::Add => a.bvadd(b),
        BinOp::Sub => a.bvsub(b),
        BinOp::Mul => a.bvmul(b),
        BinOp::UDiv => a.bvudiv(b),
        BinOp::SDiv => a.bvsdiv(b),
        BinOp::URem => a.bvurem(b),
        BinOp::SRem => a.bvsrem(b),
        BinOp::Shl => a.bvshl(amount()),
        BinOp::LShr => a.bvlshr(amount()),
        BinOp::AShr => a.bvashr(amount()),
        BinOp::And => a.bvand(b),
        BinOp::Or => a.bvor(b),
        BinOp::Xor => a.bvxor(b),
    }
}

fn compare(op: CmpOp, a: &BV, b: &BV) -> Bool {
    match op {
        CmpOp::Eq => a.eq(b),
        CmpOp::Ne => a.ne(b),
        CmpOp::Ult => a.bvult(b),
        CmpOp::Ule => a.bvule(b),
        CmpOp::Ugt => a.bvugt(b),
        CmpOp::Uge => a.bvuge(b),
        CmpOp::Slt => a.bvslt(b),
        CmpOp::Sle => a.bvsle(b),
        CmpOp::Sgt => a.bvsgt(b),
        CmpOp::Sge => a.bvsge(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random::{BYTES, Random};
    use ::z3::ast::Ast;
    use cairn_expr::Evaluator;

    /// Whether a condition holds under an input, if Z3 knows all functions in it.
    fn decided(terms: &mut Terms, dag: &Dag, condition: ExprId, input: &[u8]) -> Option<bool> {
        let term = terms.condition(dag, condition);
        let known = BYTES.iter().filter_map(|&byte| Some((byte.offset, terms.variable(byte)?.clone())));
        let values: Vec<(BV, BV)> =
            known.map(|(i, variable)| (variable, BV::from_u64(input[i as usize].into(), 8))).collect();
        let replaced: Vec<(&BV, &BV)> = values.iter().map(|(variable, value)| (variable, value)).collect();
        term.substitute(&replaced).simplify().as_bool()
    }

    #[test]
    fn a_term_is_worth_what_the_evaluator_says() {
        let mut random = Random::new(2);
        let mut evaluator = Evaluator::new();
        let (mut agreed, mut undecided) = (0, 0);
        for round in 0..600 {
            let (mut dag, roots) = random.dag(128);
            let mut terms = Terms::default();
            let input = random.input();
            for root in roots {
                let value = evaluator.eval(&dag, root, &|b: InputByte| input[b.offset as usize]);
                let value = dag.constant(dag.width(root), value);
                let equal = dag.compare(CmpOp::Eq, root, value);
                match decided(&mut terms, &dag, equal, &input) {
                    Some(holds) => assert!(holds, "round {round}: {:?} is {value:?}", dag.node(root)),
                    None => undecided += 1,
                }
                agreed += 1;
            }
        }
        assert!(undecided * 4 < agreed, "{undecided} undecided, {agreed} agreed");
    }
}
