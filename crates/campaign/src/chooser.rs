//! The strategy, and the time it takes to choose.

use cairn_search::{Cost, Next, Outcome, Rng, RunView, Strategy};
use cairn_tree::{Flip, Tree};
use std::time::{Duration, Instant};

/// Time between two looks at how the strategy describes itself.
const DESCRIBE_INTERVAL: Duration = Duration::from_millis(200);

/// A strategy with a clock.
pub(crate) struct Chooser {
    strategy: Box<dyn Strategy>,
    /// How it described itself, and when.
    description: String,
    described: Option<Instant>,
    /// Time spent in the strategy.
    pub(crate) time: Duration,
}

impl Chooser {
    pub(crate) fn new(strategy: Box<dyn Strategy>) -> Chooser {
        Chooser { strategy, description: String::new(), described: None, time: Duration::ZERO }
    }

    /// How it describes itself, if that is new and was not looked at a moment ago.
    pub(crate) fn new_description(&mut self) -> Option<String> {
        if self.described.is_some_and(|last| last.elapsed() < DESCRIBE_INTERVAL) {
            return None;
        }
        self.described = Some(Instant::now());
        let description = self.strategy.describe();
        let is_new = description != self.description;
        self.description.clone_from(&description);
        is_new.then_some(description)
    }

    pub(crate) fn on_run(&mut self, run: &RunView) {
        self.timed(|strategy| strategy.on_run(run));
    }

    pub(crate) fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        self.timed(|strategy| strategy.next(tree, rng))
    }

    pub(crate) fn on_outcome(&mut self, flip: Flip, outcome: Outcome, cost: Cost) {
        self.timed(|strategy| strategy.on_outcome(flip, outcome, cost));
    }

    pub(crate) fn on_resumed(&mut self, tree: &Tree, flips: &[Flip]) {
        self.timed(|strategy| strategy.on_resumed(tree, flips));
    }

    pub(crate) fn wants_cores(&self) -> bool {
        self.strategy.wants_cores()
    }

    pub(crate) fn renews_input(&self) -> bool {
        self.strategy.renews_input()
    }

    /// Whether it wants to know all branches of a run.
    pub(crate) fn wants_branch_log(&self) -> bool {
        self.strategy.wants_branch_log()
    }

    /// Whether it wants to know where calls through pointers lead.
    pub(crate) fn wants_callees(&self) -> bool {
        self.strategy.wants_callees()
    }

    /// The strategy in its own words.
    pub(crate) fn describe(&self) -> String {
        self.strategy.describe()
    }

    fn timed<T>(&mut self, ask: impl FnOnce(&mut dyn Strategy) -> T) -> T {
        let start = Instant::now();
        let answer = ask(&mut *self.strategy);
        self.time += start.elapsed();
        answer
    }
}
