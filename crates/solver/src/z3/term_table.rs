//! Translated expressions, each once.

use ::z3::ast::{BV, Bool};
use cairn_expr::ExprId;
use rustc_hash::FxHashMap;

/// A translated expression.
#[derive(Clone)]
pub(super) enum Z3Term {
    Bits(BV),
    Truth(Bool),
}

/// Terms by expression.
#[derive(Default)]
pub(super) struct TermTable {
    terms: FxHashMap<ExprId, Z3Term>,
}

impl TermTable {
    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    pub(super) fn contains(&self, e: ExprId) -> bool {
        self.terms.contains_key(&e)
    }

    pub(super) fn insert(&mut self, e: ExprId, term: Z3Term) {
        self.terms.insert(e, term);
    }

    pub(super) fn truth(&self, e: ExprId) -> Bool {
        match &self.terms[&e] {
            Z3Term::Truth(truth) => truth.clone(),
            Z3Term::Bits(bits) => bits.eq(BV::from_u64(1, 1)),
        }
    }

    pub(super) fn bits(&self, e: ExprId) -> BV {
        match &self.terms[&e] {
            Z3Term::Bits(bits) => bits.clone(),
            Z3Term::Truth(truth) => truth.ite(&BV::from_u64(1, 1), &BV::from_u64(0, 1)),
        }
    }

    pub(super) fn is_truth(&self, e: ExprId) -> bool {
        matches!(self.terms[&e], Z3Term::Truth(_))
    }
}
