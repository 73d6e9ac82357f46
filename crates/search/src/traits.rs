//! The interface of a strategy: its callbacks, the runs it sees and the requests it makes.

use crate::rng::Rng;
use cairn_program::{BranchId, FunctionId, Program};
use cairn_tree::{Flip, NodeId, RunId, Tree};
use core::time::Duration;

/// The next request of a strategy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Next {
    /// Solve this flip, on the input of a run through its node: bytes that no constraint of the query reads
    /// keep their values. The flip is untried, or runs have taken it and the bytes of this one may lead to
    /// other paths behind it.
    Flip {
        /// The flip.
        flip: Flip,
        /// The run whose input is the base.
        base: RunId,
    },
    /// Execute a random input.
    Restart,
    /// Execute a batch of mutants of a run's input for their coverage, without tracing. Those that cover a new
    /// branch are executed again like any input, after [`Strategy::on_mutants`].
    Mutate {
        /// The run whose input is mutated.
        base: RunId,
        /// What makes the mutants.
        mutators: Mutators,
    },
    /// Execute a run's input with a part of another one's.
    Combine {
        /// The run whose input is changed.
        base: RunId,
        /// A decision of that run which must not change.
        keep: Option<NodeId>,
        /// The run whose input the part is from.
        donor: RunId,
        /// A decision of that run which the part is to bring about.
        take: Option<NodeId>,
    },
    /// Suspend these untried flips. The strategy is called again at once.
    Suspend(Vec<Flip>),
    /// Return these suspended flips to the frontier. The strategy is called again at once.
    Resume(Vec<Flip>),
    /// Nothing is left for this strategy to search.
    Done,
}

/// What makes the mutants of a batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mutators {
    /// Random changes of the base.
    Havoc,
    /// Pieces of the program's lexer, of all tests.
    Pieces,
}

impl Next {
    /// Requests a flip on the input of the run that reached its node first.
    pub fn flip(tree: &Tree, flip: Flip) -> Next {
        Next::Flip { flip, base: tree.creator(flip.node) }
    }
}

/// The outcome of a requested flip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Infeasible: no input takes it; no run was made.
    Unsat,
    /// The solver gave up; no run was made.
    Unknown,
    /// Suspended instead of solved; it may be requested again when it is resumed.
    Suspend,
    /// A run was made and diverged.
    Diverged,
    /// A run was made and took the flip.
    Taken,
}

/// The time a flip or a run took, measured by the campaign: strategies have no clock.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cost {
    /// Time in the solver.
    pub solver: Duration,
    /// Time in the target.
    pub run: Duration,
}

/// A batch of mutants that was executed for their coverage.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MutantBatch {
    /// The run whose input was mutated.
    pub base: RunId,
    /// Number of mutants executed.
    pub executions: u64,
    /// Their cost, in mean runs with tracing and solving.
    pub cost: f64,
    /// Number of mutants that are executed again, with tracing. Their runs follow.
    pub kept: usize,
}

/// A run, as a strategy sees it, after it was added to the tree.
#[derive(Clone, Copy, Debug)]
pub struct RunView<'a> {
    /// The tree that includes the run.
    pub tree: &'a Tree,
    /// The target.
    pub program: &'a Program,
    /// Id of the run.
    pub run: RunId,
    /// Nodes on the run's path, in order.
    pub nodes: &'a [NodeId],
    /// Side taken at each node.
    pub sides: &'a [u32],
    /// Index of the first node that the run created; the number of nodes if it created none.
    pub first_new: usize,
    /// Branches of user code that no earlier run covered.
    pub new_branches: &'a [BranchId],
    /// Calls through pointers that no earlier run made: the hash of the function type at the call, and the
    /// callee. Filled only if a strategy's `wants_callees` returns true.
    pub callees: &'a [(u64, FunctionId)],
    /// Coverage of the run: a byte per branch of the program, nonzero if taken; empty for runs that do not
    /// count.
    pub covered: &'a [u8],
    /// The flip the input was solved for; none for a given or random input.
    pub flip: Option<Flip>,
    /// True if the run followed the path prefix to the flip and took it.
    pub predicted: bool,
    /// Its cost, including that of solving for its input.
    pub cost: Cost,
    /// True if this strategy requested the run, or no strategy did. With several strategies on one tree, one
    /// that moves from path to path follows only its own runs.
    pub own: bool,
}

impl RunView<'_> {
    /// Returns the untried flips of the nodes that the run created, in order. Every node is created by one
    /// run, so these lists together are the frontier.
    pub fn new_flips(&self) -> impl Iterator<Item = Flip> + '_ {
        self.nodes[self.first_new..].iter().flat_map(|node| self.tree.untried_of(*node))
    }
}

/// A search strategy.
pub trait Strategy: Send {
    /// Called after every run, requested by this strategy or not.
    fn on_run(&mut self, run: &RunView);

    /// Returns the next request. A flip it names must be untried or taken. After [`Next::Done`] it may be
    /// called again, since runs of other strategies may have added flips.
    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next;

    /// Called with the outcome of the last requested flip, after `on_run` if there was a run.
    fn on_outcome(&mut self, flip: Flip, outcome: Outcome, cost: Cost);

    /// Called when the mutants of the last request have been executed, before the runs of those that are kept.
    fn on_mutants(&mut self, _batch: &MutantBatch) {}

    /// Called before suspended flips become untried again, for strategies that keep lists of flips and may
    /// have dropped them.
    fn on_resumed(&mut self, _tree: &Tree, _flips: &[Flip]) {}

    /// True if it reads the core conditions of decisions, which take time to compute.
    fn wants_cores(&self) -> bool {
        false
    }

    /// True if it reads the concrete branches between the nodes of the tree, whose recording slows runs down.
    fn wants_branch_log(&self) -> bool {
        false
    }

    /// True if it reads the callees of calls through pointers.
    fn wants_callees(&self) -> bool {
        false
    }

    /// True if it requests mutants made of pieces, which are learnt from what runs record of producers.
    fn wants_pieces(&self) -> bool {
        false
    }

    /// True if unconstrained bytes in the input of the last requested flip are to be random, instead of those
    /// of the base run. CREST's own strategies keep them; SAGE and CGS, as implemented on CREST, do not; and
    /// KLEE's states have no input to keep.
    fn renews_input(&self) -> bool {
        false
    }

    /// True if unconstrained bytes may be filled with strings of the dictionary. Published strategies are kept as
    /// they were published.
    fn uses_dictionary(&self) -> bool {
        false
    }

    /// Returns the strategy and its settings in one line.
    fn describe(&self) -> String;
}
