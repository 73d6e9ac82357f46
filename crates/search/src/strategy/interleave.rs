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
    /// Who wished last.
    asked: Option<usize>,
}

impl Interleave {
    /// These strategies in turn, the first one first, under this name.
    pub fn new(name: &'static str, strategies: Vec<Box<dyn Strategy>>) -> Interleave {
        Interleave { name, strategies, turn: 0, asked: None }
    }
}

impl Strategy for Interleave {
    fn on_run(&mut self, run: &RunView) {
        for (index, strategy) in self.strategies.iter_mut().enumerate() {
            let own = run.own && self.asked.is_none_or(|asked| asked == index);
            strategy.on_run(&RunView { own, ..*run });
        }
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        for _ in 0..self.strategies.len() {
            let asked = self.turn;
            self.asked = Some(asked);
            self.turn = (self.turn + 1) % self.strategies.len();
            match self.strategies[asked].next(tree, rng) {
                Next::Done => {}
                next => return next,
            }
        }
        Next::Done
    }

    fn on_outcome(&mut self, flip: Flip, outcome: Outcome, cost: Cost) {
        if let Some(asked) = self.asked {
            self.strategies[asked].on_outcome(flip, outcome, cost);
        }
    }

    fn on_revived(&mut self, tree: &Tree, flips: &[Flip]) {
        self.strategies.iter_mut().for_each(|strategy| strategy.on_revived(tree, flips));
    }

    fn wants_cores(&self) -> bool {
        self.strategies.iter().any(|strategy| strategy.wants_cores())
    }

    fn wants_trails(&self) -> bool {
        self.strategies.iter().any(|strategy| strategy.wants_trails())
    }

    fn wants_callees(&self) -> bool {
        self.strategies.iter().any(|strategy| strategy.wants_callees())
    }

    fn renews_input(&self) -> bool {
        self.asked.is_some_and(|asked| self.strategies[asked].renews_input())
    }

    fn describe(&self) -> String {
        let each = self.strategies.iter().map(|strategy| strategy.describe()).collect::<Vec<_>>();
        format!("{}: {}", self.name, each.join(", then "))
    }
}
