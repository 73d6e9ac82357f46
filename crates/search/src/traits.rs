//! What a strategy is, sees and answers.

use crate::rng::Rng;
use cairn_program::{BranchId, FunctionId, Program};
use cairn_tree::{Flip, NodeId, RunId, Tree};
use core::time::Duration;

/// What a strategy wants next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Next {
    /// An input that takes this flip and is otherwise that of a run through its node: bytes that do not matter for the flip
    /// keep their values. The flip is untried; or runs have taken it, and with the bytes of this one there may be other
    /// things behind it.
    Flip {
        /// The flip.
        flip: Flip,
        /// The run.
        base: RunId,
    },
    /// A run on random input.
    Restart,
    /// That nobody picks these untried flips for a while. It is asked again at once.
    Suspend(Vec<Flip>),
    /// That these flips, which were set aside, are untried again. It is asked again at once.
    Resume(Vec<Flip>),
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
    /// Nobody was asked: it was set aside instead, and may be named again when it is resumed.
    Suspend,
    /// There was a run, and it went elsewhere.
    Diverged,
    /// There was a run, and it took the flip.
    Taken,
}

/// What a flip or a run took. The campaign measures it: strategies have no clock.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cost {
    /// Asking the solver.
    pub solver: Duration,
    /// Running the target.
    pub run: Duration,
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
    /// The side it took at each.
    pub sides: &'a [u32],
    /// Index of the first node that the run created; the number of nodes if it created none.
    pub first_new: usize,
    /// Branches of the user's code that no run had covered before.
    pub new_branches: &'a [BranchId],
    /// Calls through pointers that no run had made before: the type of the functions the pointer is for, and the function
    /// it led to. Told if the strategy wants to know.
    pub callees: &'a [(u64, FunctionId)],
    /// All branches it covered: a byte for each of the program's, not 0 if it was taken; none of a run that does not count.
    pub covered: &'a [u8],
    /// The flip the run's input was solved for; none for a given or random input.
    pub flip: Option<Flip>,
    /// Whether the run followed the path to the flip and took it.
    pub predicted: bool,
    /// What it took, finding its input included.
    pub cost: Cost,
    /// Whether it is the strategy's own: it asked for it, or nobody did. Of several strategies on one tree, one that goes from
    /// path to path keeps to its own.
    pub own: bool,
}

impl RunView<'_> {
    /// The untried flips of the nodes that the run created, in order. Every node is created by one run, so these lists
    /// together are the frontier.
    pub fn new_flips(&self) -> impl Iterator<Item = Flip> + '_ {
        self.nodes[self.first_new..].iter().flat_map(|node| self.tree.untried_of(*node))
    }
}

/// A search strategy.
pub trait Strategy: Send {
    /// A run was made, by whatever cause.
    fn on_run(&mut self, run: &RunView);

    /// Names the next step. A flip it names must be untried or taken. After [`Next::Done`] it may be asked again: runs that
    /// others asked for may have given it something to do.
    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next;

    /// Tells what became of the flip named last, after `on_run` if there was a run.
    fn on_outcome(&mut self, flip: Flip, outcome: Outcome, cost: Cost);

    /// Tells of flips that were set aside and are about to be untried again: whoever keeps lists may have dropped them.
    fn on_resumed(&mut self, _tree: &Tree, _flips: &[Flip]) {}

    /// Whether it looks at the core conditions of decisions: finding them takes time.
    fn wants_cores(&self) -> bool {
        false
    }

    /// Whether it looks at the concrete branches between the nodes of the tree: recording them slows runs down.
    fn wants_branch_log(&self) -> bool {
        false
    }

    /// Whether it wants to know where calls through pointers lead.
    fn wants_callees(&self) -> bool {
        false
    }

    /// Whether bytes that nothing on the way to the flip named last depends on are to be random in its input, instead of what
    /// they were in the run it is based on. CREST's own strategies keep them, as SAGE and CGS are implemented on it they do
    /// not, and KLEE's states have no input to keep.
    fn renews_input(&self) -> bool {
        false
    }

    /// The strategy and its settings in one line.
    fn describe(&self) -> String;
}
