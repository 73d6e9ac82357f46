//! Inputs made of the pieces that a lexer has told apart, executed without tracing and without solving.
//!
//! A parser decides over values that are in no expression: its lexer has chosen them by control flow. The campaign
//! splits tests into the pieces that made the lexer return a value, learns which values the parser takes in which
//! context, and combines them (crate `mutate`, module `pieces`). This strategy only says when: as long as the last
//! batch had something to execute, or a run has covered something new since.
//!
//! It is done when the tree has no untried flip, and for programs without a function that returns constants chosen
//! by control flow.
//!
//! Cost: none to speak of.

use crate::rng::Rng;
use crate::traits::{Cost, MutantBatch, Mutators, Next, Outcome, RunView, Strategy};
use cairn_program::{Program, SiteKind};
use cairn_tree::{Flip, RunId, Tree};

/// Combination of pieces.
#[derive(Clone, Debug)]
pub struct Pieces {
    /// True if the program has a producer of values.
    has_producer: bool,
    /// True if the last batch had nothing to execute, and no run has covered anything since.
    is_waiting: bool,
    /// The first run, whose input the campaign's differences are to.
    first: Option<RunId>,
}

impl Pieces {
    /// Creates the strategy for a program.
    pub fn new(program: &Program) -> Pieces {
        let has_producer = program.sites().any(|(_, site)| site.kind == SiteKind::Producer);
        Pieces { has_producer, is_waiting: false, first: None }
    }
}

impl Strategy for Pieces {
    fn on_run(&mut self, run: &RunView) {
        self.first.get_or_insert(run.run);
        self.is_waiting &= run.new_branches.is_empty();
    }

    fn next(&mut self, tree: &Tree, _: &mut Rng) -> Next {
        match self.first {
            Some(base) if self.has_producer && !self.is_waiting && tree.untried() > 0 => {
                Next::Mutate { base, mutators: Mutators::Pieces }
            }
            _ => Next::Done,
        }
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn on_mutants(&mut self, batch: &MutantBatch) {
        self.is_waiting = batch.executions == 0;
    }

    fn wants_pieces(&self) -> bool {
        self.has_producer
    }

    fn describe(&self) -> String {
        "pieces (inputs made of what a lexer tells apart, without solving)".to_owned()
    }
}
