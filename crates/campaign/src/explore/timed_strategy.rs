//! A strategy whose time is measured.

use cairn_search::{Cost, MutantBatch, Next, Outcome, Rng, RunView, Strategy};
use cairn_tree::{Flip, Tree};
use std::time::{Duration, Instant};

/// Time between two calls of the strategy's description; a chosen interval.
const DESCRIBE_INTERVAL: Duration = Duration::from_millis(200);

/// A strategy and the time spent in it.
pub(super) struct TimedStrategy {
    strategy: Box<dyn Strategy>,
    /// Last description.
    description: String,
    /// Time of the last description.
    described: Option<Instant>,
    /// Time spent in the strategy.
    pub(super) time: Duration,
}

impl TimedStrategy {
    pub(super) fn new(strategy: Box<dyn Strategy>) -> TimedStrategy {
        TimedStrategy { strategy, description: String::new(), described: None, time: Duration::ZERO }
    }

    /// Replaces the strategy by one that has seen no run.
    pub(super) fn renew(&mut self, strategy: Box<dyn Strategy>) {
        self.strategy = strategy;
    }

    /// Returns the description if it has changed, at most once per interval.
    pub(super) fn new_description(&mut self) -> Option<String> {
        if self.described.is_some_and(|last| last.elapsed() < DESCRIBE_INTERVAL) {
            return None;
        }
        self.described = Some(Instant::now());
        let description = self.strategy.describe();
        let is_new = description != self.description;
        self.description.clone_from(&description);
        is_new.then_some(description)
    }

    pub(super) fn on_run(&mut self, run: &RunView) {
        self.timed(|strategy| strategy.on_run(run));
    }

    pub(super) fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        self.timed(|strategy| strategy.next(tree, rng))
    }

    pub(super) fn on_outcome(&mut self, flip: Flip, outcome: Outcome, cost: Cost) {
        self.timed(|strategy| strategy.on_outcome(flip, outcome, cost));
    }

    pub(super) fn on_mutants(&mut self, batch: &MutantBatch) {
        self.timed(|strategy| strategy.on_mutants(batch));
    }

    pub(super) fn on_resumed(&mut self, tree: &Tree, flips: &[Flip]) {
        self.timed(|strategy| strategy.on_resumed(tree, flips));
    }

    pub(super) fn wants_cores(&self) -> bool {
        self.strategy.wants_cores()
    }

    pub(super) fn renews_input(&self) -> bool {
        self.strategy.renews_input()
    }

    /// True if inputs for its flips may have strings of the dictionary.
    pub(super) fn uses_dictionary(&self) -> bool {
        self.strategy.uses_dictionary()
    }

    /// True if it requires branch logs.
    pub(super) fn wants_branch_log(&self) -> bool {
        self.strategy.wants_branch_log()
    }

    /// True if it requires the callees of indirect calls.
    pub(super) fn wants_callees(&self) -> bool {
        self.strategy.wants_callees()
    }

    /// True if it requests mutants made of pieces.
    pub(super) fn wants_pieces(&self) -> bool {
        self.strategy.wants_pieces()
    }

    /// Returns the description.
    pub(super) fn describe(&self) -> String {
        self.strategy.describe()
    }

    fn timed<T>(&mut self, call: impl FnOnce(&mut dyn Strategy) -> T) -> T {
        let start = Instant::now();
        let result = call(&mut *self.strategy);
        self.time += start.elapsed();
        result
    }
}
