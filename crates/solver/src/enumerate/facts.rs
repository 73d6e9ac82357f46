//! What is known of each constraint, found out once per campaign.

use super::byteset::ByteSet;
use super::narrow;
use super::relation::Relation;
use crate::tape::{Allowance, Scratch, Tape};
use cairn_deadline::Deadline;
use cairn_expr::{Dag, ExprId, InputByte};
use rustc_hash::FxHashMap;

/// Words that may be kept before all is forgotten: some 64 MiB.
const MAX_WORDS: usize = 8 << 20;
/// Steps that could be made in the time that it takes to run one for every value of a byte.
const ALL_VALUES: usize = 8;

/// Kinds of constraints on two bytes that are looked at for one query: about a millisecond each.
const MAX_KINDS: usize = 6;
/// Steps that looking at them may take, however few were allowed: some 50 ms.
const RELATING: u64 = 16_000_000;

/// What a constraint says about single bytes.
pub(super) struct Fact {
    /// Values without which it cannot hold.
    pub(super) sets: Box<[(InputByte, ByteSet)]>,
    /// Whether it holds for all these values: so it does if it is about one byte.
    pub(super) is_all: bool,
}

/// What computes a constraint.
struct Code {
    tape: Tape,
    /// If it is about two bytes: where among all pairs.
    pair: Option<usize>,
}

/// Facts and code by constraint.
#[derive(Default)]
pub(super) struct Facts {
    facts: FxHashMap<ExprId, Fact>,
    codes: FxHashMap<ExprId, Code>,
    /// What constraints on two bytes allow, wherever these are; nothing where that was not asked for yet.
    pairs: Vec<Option<Relation>>,
    pair_numbers: FxHashMap<Tape, usize>,
    /// Sets of constraints on one byte, whichever: parsers ask the same of all of them.
    sets: FxHashMap<Tape, ByteSet>,
    scratch: Scratch,
    words: usize,
    left: Allowance,
}

impl Facts {
    /// To be called between queries: forgets if there is too much.
    pub(super) fn tidy(&mut self) {
        if self.words > MAX_WORDS {
            *self = Facts::default();
        }
        self.left = Allowance::whole();
    }

    /// What is known of a constraint, unless finding it out takes too long. Another query may go on from there.
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
            &[byte] => Fact { sets: [(byte, self.set(dag, constraint)?)].into(), is_all: true },
            _ => Fact { sets: narrow::facts(dag, constraint), is_all: false },
        })
    }

    /// The values of its one byte for which a constraint holds.
    fn set(&mut self, dag: &Dag, constraint: ExprId) -> Option<ByteSet> {
        let tape = self.left.make(dag, &[constraint], dag.inputs(constraint))?;
        if let Some(set) = self.sets.get(&tape) {
            return Some(*set);
        }
        self.left.spend(tape.len() * ALL_VALUES);
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

    /// Has code for a constraint made, unless it is there; nothing if that takes too long.
    pub(super) fn compile(&mut self, dag: &Dag, constraint: ExprId) -> Option<()> {
        if !self.codes.contains_key(&constraint) {
            let tape = self.left.make(dag, &[constraint], dag.inputs(constraint))?;
            self.words += 16 + tape.len() * 4;
            let pair = (dag.inputs(constraint).len() == 2).then(|| self.pair(&tape));
            self.codes.insert(constraint, Code { tape, pair });
        }
        Some(())
    }

    fn pair(&mut self, tape: &Tape) -> usize {
        if let Some(&known) = self.pair_numbers.get(tape) {
            return known;
        }
        self.words += 16 + tape.len() * 4;
        self.pairs.push(None);
        self.pair_numbers.insert(tape.clone(), self.pairs.len() - 1);
        self.pairs.len() - 1
    }

    /// The code of a constraint that was compiled; its input are the constraint's bytes in order.
    pub(super) fn code(&self, constraint: ExprId) -> &Tape {
        &self.codes[&constraint].tape
    }

    /// All that a constraint on two bytes allows, if that is known by now.
    pub(super) fn relation(&self, constraint: ExprId) -> Option<&Relation> {
        self.pairs[self.codes[&constraint].pair?].as_ref()
    }

    /// Finds out what constraints on two bytes allow, if these are of few kinds and that takes not much more than `work`
    /// steps: one that is behind a long computation is tried value by value as it is.
    pub(super) fn relate(
        &mut self,
        constraints: impl Iterator<Item = ExprId>,
        work: u64,
        deadline: &Deadline,
    ) {
        let mut unknown: Vec<(usize, &Tape)> = Vec::new();
        for constraint in constraints {
            let Code { tape, pair: Some(pair) } = &self.codes[&constraint] else { continue };
            if self.pairs[*pair].is_none() && unknown.iter().all(|(known, _)| known != pair) {
                unknown.push((*pair, tape));
            }
            if unknown.len() > MAX_KINDS {
                return;
            }
        }
        let steps: u64 = unknown.iter().map(|(_, tape)| Relation::steps(tape)).sum();
        if steps > work.max(RELATING) {
            return;
        }
        for (pair, tape) in unknown {
            self.words += Relation::WORDS;
            self.pairs[pair] = Relation::new(tape, &mut self.scratch, deadline);
        }
    }
}
