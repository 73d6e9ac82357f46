//! What a strategy is, sees and answers.

use crate::rng::Rng;
use cairn_program::{BranchId, Program};
use cairn_tree::{Flip, NodeId, RunId, Tree};

/// What a strategy wants next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// An input that takes this untried flip and is otherwise that of a run through its node:
    /// bytes that do not matter for the flip keep their values.
    Flip {
        /// The flip.
        flip: Flip,
        /// The run.
        base: RunId,
    },
    /// A run on random input.
    Restart,
    /// Nothing: the strategy has searched all it would.
    Done,
}

impl Next {
    /// A flip over the input of the run that came to its node first.
    pub fn flip(tree: &Tree, flip: Flip) -> Next {
        Next::Flip { flip, base: tree.creator(flip.node) }
    }
}

/// What became of a flip the strategy asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// No input takes it; there was no run.
    Unsat,
    /// The solver gave up; there was no run.
    Unknown,
    /// There was a run, and it went elsewhere.
    Diverged,
    /// There was a run, and it took the flip.
    Taken,
}

/// A run, after it was added to the tree.
#[derive(Clone, Copy, Debug)]
pub struct RunView<'a> {
    /// The tree with the run in it.
    pub tree: &'a Tree,
    /// The target.
    pub program: &'a Program,
    /// Which run it is.
    pub run: RunId,
    /// The run's nodes in order.
    pub nodes: &'a [NodeId],
    /// Index of the first node that the run created; the number of nodes if it created none.
    pub first_new: usize,
    /// Branches of the user's code that no run had covered before.
    pub new_branches: &'a [BranchId],
    /// The flip the run's input was solved for; none for a given or random input.
    pub flip: Option<Flip>,
    /// Whether the run followed the path to the flip and took it.
    pub predicted: bool,
}

/// A search strategy.
pub trait Strategy {
    /// A run was made, by whatever cause.
    fn on_run(&mut self, run: &RunView);

    /// Names the next step. A flip it names must be untried.
    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next;

    /// Tells what became of the flip named last, after `on_run` if there was a run.
    fn on_outcome(&mut self, flip: Flip, outcome: Outcome);

    /// The strategy and its settings in one line.
    fn describe(&self) -> String;
}
