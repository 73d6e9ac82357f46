//! Strategies that take turns.
//!
//! Strictly one wish each, as KLEE interleaves its searchers (random-path and covnew by default). All of them see every
//! run, on one tree: what one has tried, none tries again. One that has nothing to wish for loses its turn.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_tree::{Flip, Tree};

/// Strategies in turn.
pub struct Interleave {
    name: &'static str,
    strategies: Vec<Box<dyn Strategy>>,
    /// Whose turn it is.
    turn: usize,
    /// Who named the last flip.
    asked: usize,
}

impl Interleave {
    /// These strategies in turn, the first one first, under this name.
    pub fn new(name: &'static str, strategies: Vec<Box<dyn Strategy>>) -> Interleave {
        Interleave { name, strategies, turn: 0, asked: 0 }
    }
}

impl Strategy for Interleave {
    fn on_run(&mut self, run: &RunView) {
        self.strategies.iter_mut().for_each(|strategy| strategy.on_run(run));
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        for _ in 0..self.strategies.len() {
            self.asked = self.turn;
            self.turn = (self.turn + 1) % self.strategies.len();
            match self.strategies[self.asked].next(tree, rng) {
                Next::Done => {}
                next => return next,
            }
        }
        Next::Done
    }

    fn on_outcome(&mut self, flip: Flip, outcome: Outcome, cost: Cost) {
        self.strategies[self.asked].on_outcome(flip, outcome, cost);
    }

    fn wants_trails(&self) -> bool {
        self.strategies.iter().any(|strategy| strategy.wants_trails())
    }

    fn wants_callees(&self) -> bool {
        self.strategies.iter().any(|strategy| strategy.wants_callees())
    }

    fn renews_input(&self) -> bool {
        self.strategies[self.asked].renews_input()
    }

    fn describe(&self) -> String {
        let each = self.strategies.iter().map(|strategy| strategy.describe()).collect::<Vec<_>>();
        format!("{}: {}", self.name, each.join(", then "))
    }
}
