//! Facts about single constraints (domains, code, relations), computed once per campaign and cached.
//!
//! Everything is cached by the constraint's tape where possible: a tape does not say where its bytes are, so
//! the checks that a parser makes on every byte are computed for one byte.

use super::byteset::ByteSet;
use super::narrow;
use super::relation::Relation;
use crate::tape::{Allowance, Scratch, Tape};
use cairn_deadline::Deadline;
use cairn_expr::{Dag, ExprId, InputByte};
use rustc_hash::FxHashMap;
use std::time::Duration;

/// Words that are cached before the cache is emptied: some 64 MiB, a chosen bound.
const MAX_WORDS: usize = 8 << 20;
/// Cost of running one step of a tape for all 256 values of a byte, in steps of building one.
const ALL_VALUES_COST: usize = 8;

/// Relations that are computed for one query: about a millisecond each.
const MAX_NEW_RELATIONS: usize = 6;

/// The domains that a constraint implies for single bytes.
pub(super) struct Fact {
    /// Per byte: the values for which the constraint may hold.
    pub(super) sets: Box<[(InputByte, ByteSet)]>,
    /// True if it holds for all these values, as it does if it depends on one byte.
    pub(super) is_complete: bool,
}

/// A constraint's code.
struct Code {
    tape: Tape,
    /// Index into [`Facts::relations`] if it depends on two bytes.
    relation: Option<usize>,
}

/// Facts and code by constraint.
#[derive(Default)]
pub(super) struct Facts {
    facts: FxHashMap<ExprId, Fact>,
    codes: FxHashMap<ExprId, Code>,
    /// Relations of tapes over two bytes; `None` until one is needed.
    relations: Vec<Option<Relation>>,
    relation_indices: FxHashMap<Tape, usize>,
    /// Domains of tapes over one byte.
    sets: FxHashMap<Tape, ByteSet>,
    scratch: Scratch,
    words: usize,
    left: Allowance,
}

impl Facts {
    /// Sets the allowance of code; empties the cache if it is too large. To be called before every attempt.
    pub(super) fn begin_attempt(&mut self, allowance: Allowance) {
        if self.words > MAX_WORDS {
            *self = Facts::default();
        }
        self.left = allowance;
    }

    /// Returns the nominal time of the code built in the attempt.
    pub(super) fn time_spent(&self) -> Duration {
        self.left.time_spent()
    }

    /// Returns the fact about a constraint, unless computing it exceeds the query's allowance; what was
    /// computed so far is kept for the next query.
    pub(super) fn of(&mut self, dag: &Dag, constraint: ExprId) -> Option<&Fact> {
        if !self.facts.contains_key(&constraint) {
            let fact = self.find(dag, constraint)?;
            self.words += 8 + fact.sets.len() * 5;
            self.facts.insert(constraint, fact);
        }
        self.facts.get(&constraint)
    }

    fn find(&mut self, dag: &Dag, constraint: ExprId) -> Option<Fact> {
        Some(match dag.inputs(constraint) {
            &[byte] => Fact { sets: [(byte, self.set(dag, constraint)?)].into(), is_complete: true },
            _ => Fact { sets: narrow::domains(dag, constraint), is_complete: false },
        })
    }

    /// Returns the values of its one byte for which a constraint holds.
    fn set(&mut self, dag: &Dag, constraint: ExprId) -> Option<ByteSet> {
        let tape = self.left.make(dag, &[constraint], dag.inputs(constraint))?;
        if let Some(set) = self.sets.get(&tape) {
            return Some(*set);
        }
        self.left.spend(tape.len() * ALL_VALUES_COST);
        let mut out = [0];
        let mut holds = |value: &u8| {
            tape.run(&[*value], &mut self.scratch, &mut out);
            out == [1]
        };
        let set = (0..=u8::MAX).filter(&mut holds).collect();
        self.words += 16 + tape.len() * 4;
        self.sets.insert(tape, set);
        Some(set)
    }

    /// Compiles a constraint to a tape unless that was done before; `None` if it exceeds the query's
    /// allowance.
    pub(super) fn compile(&mut self, dag: &Dag, constraint: ExprId) -> Option<()> {
        if !self.codes.contains_key(&constraint) {
            let tape = self.left.make(dag, &[constraint], dag.inputs(constraint))?;
            self.words += 16 + tape.len() * 4;
            let relation = (dag.inputs(constraint).len() == 2).then(|| self.relation_index(&tape));
            self.codes.insert(constraint, Code { tape, relation });
        }
        Some(())
    }

    /// Builds the code of all these constraints as one; `None` if it exceeds the query's allowance.
    pub(super) fn code_of_all(
        &mut self,
        dag: &Dag,
        constraints: &[ExprId],
        bytes: &[InputByte],
    ) -> Option<Tape> {
        self.left.make(dag, constraints, bytes)
    }

    fn relation_index(&mut self, tape: &Tape) -> usize {
        if let Some(&known) = self.relation_indices.get(tape) {
            return known;
        }
        self.words += 16 + tape.len() * 4;
        self.relations.push(None);
        self.relation_indices.insert(tape.clone(), self.relations.len() - 1);
        self.relations.len() - 1
    }

    /// Returns the code of a compiled constraint; its inputs are the constraint's bytes in order.
    pub(super) fn code(&self, constraint: ExprId) -> &Tape {
        &self.codes[&constraint].tape
    }

    /// Returns the relation of a constraint on two bytes, if it was computed.
    pub(super) fn relation(&self, constraint: ExprId) -> Option<&Relation> {
        self.relations[self.codes[&constraint].relation?].as_ref()
    }

    /// Computes the relations of constraints on two bytes, if few are missing and they take no more than `work`
    /// steps: constraints with long code are evaluated point by point instead. Returns the steps.
    pub(super) fn compute_relations(
        &mut self,
        constraints: impl Iterator<Item = ExprId>,
        work: u64,
        deadline: &Deadline,
    ) -> u64 {
        let mut unknown: Vec<(usize, &Tape)> = Vec::new();
        for constraint in constraints {
            let Code { tape, relation: Some(index) } = &self.codes[&constraint] else { continue };
            if self.relations[*index].is_none() && unknown.iter().all(|(known, _)| known != index) {
                unknown.push((*index, tape));
            }
            if unknown.len() > MAX_NEW_RELATIONS {
                return 0;
            }
        }
        let steps: u64 = unknown.iter().map(|(_, tape)| Relation::steps(tape)).sum();
        if steps > work {
            return 0;
        }
        for (index, tape) in unknown {
            self.words += Relation::WORDS;
            self.relations[index] = Relation::new(tape, &mut self.scratch, deadline);
        }
        steps
    }
}
