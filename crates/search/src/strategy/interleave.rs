//! Strategies that alternate.
//!
//! KLEE interleaves its searchers strictly, one request each (random-path and covnew by default). A weights
//! file with a companion strategy selects between two at random, for several requests each, since many
//! strategies follow a path. All of them see every run, on one tree: what one has tried, none tries again. A
//! strategy without a request loses its turn.

use crate::rng::Rng;
use crate::traits::{Cost, MutantBatch, Next, Outcome, RunView, Strategy};
use cairn_tree::{Flip, Tree};

/// Requests of one strategy before the next random choice; a chosen bound.
const REQUESTS_PER_TURN: u32 = 8;

/// The order of the strategies.
enum Order {
    /// Round robin.
    RoundRobin,
    /// The second of two with probability `share`; the choice is made again after `left` more requests.
    Random { share: f64, left: u32 },
}

/// Alternating strategies.
pub struct Interleave {
    name: &'static str,
    strategies: Vec<Box<dyn Strategy>>,
    order: Order,
    /// Index of the next strategy.
    turn: usize,
    /// Index of the strategy that made the last request.
    requested: Option<usize>,
}

impl Interleave {
    /// Creates a round robin of these strategies under this name.
    pub fn new(name: &'static str, strategies: Vec<Box<dyn Strategy>>) -> Interleave {
        Interleave { name, strategies, order: Order::RoundRobin, turn: 0, requested: None }
    }

    /// Creates a random alternation of two strategies under this name, of which the second has this share of
    /// the requests.
    pub fn by_share(name: &'static str, strategies: [Box<dyn Strategy>; 2], share: f64) -> Interleave {
        let order = Order::Random { share, left: 0 };
        Interleave { order, ..Interleave::new(name, strategies.into()) }
    }

    /// Returns the strategy to call first.
    fn next_turn(&mut self, rng: &mut Rng) -> usize {
        match &mut self.order {
            Order::RoundRobin => return self.turn,
            Order::Random { share, left: left @ 0 } => {
                *left = REQUESTS_PER_TURN - 1;
                self.turn = usize::from(rng.unit() < *share);
            }
            Order::Random { left, .. } => *left -= 1,
        }
        self.turn
    }
}

impl Strategy for Interleave {
    fn on_run(&mut self, run: &RunView) {
        for (index, strategy) in self.strategies.iter_mut().enumerate() {
            let own = run.own && self.requested.is_none_or(|requested| requested == index);
            strategy.on_run(&RunView { own, ..*run });
        }
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        self.turn = self.next_turn(rng);
        for _ in 0..self.strategies.len() {
            let requested = self.turn;
            self.requested = Some(requested);
            let next = self.strategies[requested].next(tree, rng);
            if next == Next::Done || matches!(self.order, Order::RoundRobin) {
                self.turn = (requested + 1) % self.strategies.len();
            }
            if next != Next::Done {
                return next;
            }
        }
        Next::Done
    }

    fn on_outcome(&mut self, flip: Flip, outcome: Outcome, cost: Cost) {
        if let Some(requested) = self.requested {
            self.strategies[requested].on_outcome(flip, outcome, cost);
        }
    }

    fn on_mutants(&mut self, batch: &MutantBatch) {
        if let Some(requested) = self.requested {
            self.strategies[requested].on_mutants(batch);
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

    fn wants_pieces(&self) -> bool {
        self.strategies.iter().any(|strategy| strategy.wants_pieces())
    }

    fn wants_callees(&self) -> bool {
        self.strategies.iter().any(|strategy| strategy.wants_callees())
    }

    fn renews_input(&self) -> bool {
        self.requested.is_some_and(|requested| self.strategies[requested].renews_input())
    }

    fn describe(&self) -> String {
        let each = self.strategies.iter().map(|strategy| strategy.describe()).collect::<Vec<_>>();
        let joint = match self.order {
            Order::RoundRobin => ", then ".to_owned(),
            Order::Random { share, .. } => format!(", and for {:.0} % of the time ", share * 100.0),
        };
        format!("{}: {}", self.name, each.join(&joint))
    }
}
