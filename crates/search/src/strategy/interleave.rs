//! Strategies that take turns.
//!
//! Strictly one wish each, as KLEE interleaves its searchers (random-path and covnew by default); or two of them by chance, as
//! a file of weights says, for some wishes each, since many strategies follow a path. All of them see every
//! run, on one tree: what one has tried, none tries again. One that has nothing to wish for loses its turn.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_tree::{Flip, Tree};

/// Wishes that one strategy has before chance decides again.
const STRETCH: u32 = 8;

/// Who comes next.
enum Order {
    /// One after the other.
    Strict,
    /// The second of two with this probability, after so many more wishes.
    ByChance { share: f64, left: u32 },
}

/// Strategies in turn.
pub struct Interleave {
    name: &'static str,
    strategies: Vec<Box<dyn Strategy>>,
    order: Order,
    /// Whose turn it is.
    turn: usize,
    /// Who wished last.
    asked: Option<usize>,
}

impl Interleave {
    /// These strategies in turn, the first one first, under this name.
    pub fn new(name: &'static str, strategies: Vec<Box<dyn Strategy>>) -> Interleave {
        Interleave { name, strategies, order: Order::Strict, turn: 0, asked: None }
    }

    /// Two strategies under this name, of which the second has this share of the wishes.
    pub fn by_share(name: &'static str, strategies: [Box<dyn Strategy>; 2], share: f64) -> Interleave {
        let order = Order::ByChance { share, left: 0 };
        Interleave { order, ..Interleave::new(name, strategies.into()) }
    }

    /// Who is asked first.
    fn whose_turn(&mut self, rng: &mut Rng) -> usize {
        match &mut self.order {
            Order::Strict => return self.turn,
            Order::ByChance { share, left: left @ 0 } => {
                *left = STRETCH - 1;
                self.turn = usize::from(rng.unit() < *share);
            }
            Order::ByChance { left, .. } => *left -= 1,
        }
        self.turn
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
        self.turn = self.whose_turn(rng);
        for _ in 0..self.strategies.len() {
            let asked = self.turn;
            self.asked = Some(asked);
            let next = self.strategies[asked].next(tree, rng);
            if next == Next::Done || matches!(self.order, Order::Strict) {
                self.turn = (asked + 1) % self.strategies.len();
            }
            if next != Next::Done {
                return next;
            }
        }
        Next::Done
    }

    fn on_outcome(&mut self, flip: Flip, outcome: Outcome, cost: Cost) {
        if let Some(asked) = self.asked {
            self.strategies[asked].on_outcome(flip, outcome, cost);
        }
    }

    fn on_resumed(&mut self, tree: &Tree, flips: &[Flip]) {
        self.strategies.iter_mut().for_each(|strategy| strategy.on_resumed(tree, flips));
    }

    fn wants_cores(&self) -> bool {
        self.strategies.iter().any(|strategy| strategy.wants_cores())
    }

    fn wants_branch_log(&self) -> bool {
        self.strategies.iter().any(|strategy| strategy.wants_branch_log())
    }

    fn wants_callees(&self) -> bool {
        self.strategies.iter().any(|strategy| strategy.wants_callees())
    }

    fn renews_input(&self) -> bool {
        self.asked.is_some_and(|asked| self.strategies[asked].renews_input())
    }

    fn describe(&self) -> String {
        let each = self.strategies.iter().map(|strategy| strategy.describe()).collect::<Vec<_>>();
        let joint = match self.order {
            Order::Strict => ", then ".to_owned(),
            Order::ByChance { share, .. } => format!(", and for {:.0} % of the time ", share * 100.0),
        };
        format!("{}: {}", self.name, each.join(&joint))
    }
}
