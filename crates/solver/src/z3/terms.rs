//! Translation of expressions to Z3 terms, each once.
//!
//! One-bit expressions that come from comparisons become Booleans, which the SAT solver decides on directly;
//! they are converted to bit-vectors of one bit only where an operation on bits needs it.

use super::floats::Floats;
use super::tables::count;
use super::term_table::{TermTable, Z3Term};
use ::z3::ast::{BV, Bool};
use cairn_expr::{BinOp, CmpOp, Dag, ExprId, InputByte, Node};
use rustc_hash::FxHashMap;

/// The terms translated so far, and what translating needs.
#[derive(Default)]
pub(super) struct Terms {
    table: TermTable,
    variables: FxHashMap<InputByte, BV>,
    floats: Floats,
    stack: Vec<ExprId>,
}

impl Terms {
    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    /// Returns the variable of an input byte, if a translated expression depends on it.
    pub(super) fn variable(&self, byte: InputByte) -> Option<&BV> {
        self.variables.get(&byte)
    }

    /// Translates a one-bit expression to a Boolean. Not recursive: expressions are as deep as paths are
    /// long.
    pub(super) fn condition(&mut self, dag: &Dag, e: ExprId) -> Bool {
        self.stack.push(e);
        while let Some(&top) = self.stack.last() {
            let waiting = self.stack.len();
            if !self.table.contains(top) {
                self.stack.extend(dag.children(top).filter(|child| !self.table.contains(*child)));
                if self.stack.len() > waiting {
                    continue;
                }
                let term = self.translate(dag, top);
                self.table.insert(top, term);
                self.floats.add_view(&self.table, dag, top);
            }
            self.stack.pop();
        }
        self.table.truth(e)
    }

    /// Translates a node whose children are translated.
    fn translate(&mut self, dag: &Dag, e: ExprId) -> Z3Term {
        let width = u32::from(dag.width(e));
        match dag.node(e) {
            Node::Const(value) if width == 1 => Z3Term::Truth(Bool::from_bool(value == 1)),
            Node::Const(value) => Z3Term::Bits(constant(width, value)),
            Node::Input(byte) => Z3Term::Bits(self.new_variable(byte)),
            Node::Binary(op @ (BinOp::And | BinOp::Or | BinOp::Xor), a, b)
                if self.table.is_truth(a) || self.table.is_truth(b) =>
            {
                Z3Term::Truth(connective(op, &self.table.truth(a), &self.table.truth(b)))
            }
            Node::Binary(op, a, b) => {
                Z3Term::Bits(binary(op, width, &self.table.bits(a), &self.table.bits(b)))
            }
            Node::Compare(op, a, b) => Z3Term::Truth(compare(op, &self.table.bits(a), &self.table.bits(b))),
            Node::ZExt(a) => Z3Term::Bits(self.table.bits(a).zero_ext(width - u32::from(dag.width(a)))),
            Node::SExt(a) => Z3Term::Bits(self.table.bits(a).sign_ext(width - u32::from(dag.width(a)))),
            Node::Extract(a, low) => {
                Z3Term::Bits(self.table.bits(a).extract(u32::from(low) + width - 1, low.into()))
            }
            Node::Concat(a, b) => Z3Term::Bits(self.table.bits(a).concat(self.table.bits(b))),
            Node::Ite(c, t, e) if self.table.is_truth(t) || self.table.is_truth(e) => {
                Z3Term::Truth(self.table.truth(c).ite(&self.table.truth(t), &self.table.truth(e)))
            }
            Node::Ite(c, t, e) => {
                Z3Term::Bits(self.table.truth(c).ite(&self.table.bits(t), &self.table.bits(e)))
            }
            Node::Float(op, a, b) => self.floats.operation(&self.table, dag, e, op, a, b),
            Node::FloatCompare(op, a, b) => Z3Term::Truth(self.floats.compare(&self.table, dag, op, a, b)),
            Node::Convert(how, a) => self.floats.conversion(&self.table, dag, e, how, a),
            Node::Math(function) => self.floats.math(&self.table, dag, e, function),
            Node::BitCount(what, a) => Z3Term::Bits(count(what, &self.table.bits(a))),
            Node::Read(snapshot, index) => Z3Term::Bits(self.table.read(dag, snapshot, index, dag.width(e))),
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
    // The shift amount is taken modulo the width, which every width can represent.
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

    /// Returns the value of a condition under an input, if Z3 interprets all functions in it.
    fn decided(terms: &mut Terms, dag: &Dag, condition: ExprId, input: &[u8]) -> Option<bool> {
        let term = terms.condition(dag, condition);
        let known = BYTES.iter().filter_map(|&byte| Some((byte.offset, terms.variable(byte)?.clone())));
        let values: Vec<(BV, BV)> =
            known.map(|(i, variable)| (variable, BV::from_u64(input[i as usize].into(), 8))).collect();
        let replaced: Vec<(&BV, &BV)> = values.iter().map(|(variable, value)| (variable, value)).collect();
        term.substitute(&replaced).simplify().as_bool()
    }

    #[test]
    fn terms_agree_with_the_evaluator() {
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
