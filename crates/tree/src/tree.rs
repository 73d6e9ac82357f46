//! The tree itself: its nodes, and the state of each of their sides.
//!
//! A long campaign has hundreds of millions of nodes, so a node takes four bytes ([`crate::nodes`]).
//! Everything that repeats is interned ([`crate::decision`]). Parent, depth and creator follow from one
//! record per run ([`crate::runs`]), since a run that leaves the known paths creates all its later nodes
//! consecutively.

use crate::branch_trace::BranchTraceStore;
use crate::children::Children;
use crate::condition::Conditions;
use crate::cores::Cores;
use crate::decision::{Decision, Decisions};
use crate::fenwick::FenwickTree;
use crate::implied::ImpliedValues;
use crate::nodes::{BLOCK, Nodes, OtherSides};
use crate::pending::Pending;
use crate::runs::Runs;
use crate::state::{ChangedStates, FlipState};
use crate::step::{Flip, NodeId, RunId};
use crate::suspended::SuspendedFlips;
use cairn_expr::ExprId;
use cairn_program::{BranchId, Program, Site, SiteId, SiteKind};
use cairn_wire::event::StepKind;

/// A node of the tree, expanded from its compact form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// Branch, concretization or constraint.
    pub kind: StepKind,
    /// The site in the program.
    pub site: SiteId,
    /// The deciding value.
    pub value: ExprId,
    /// Constant that a concretized value was used as; 0 for other nodes.
    pub concrete: u64,
    /// Parent node, and the side of it that leads here; none at the root.
    pub parent: Option<(NodeId, u32)>,
    /// Number of symbolic branches before it; concretizations and constraints do not count.
    pub depth: u32,
    /// Number of sides: 2 for a concretization (its constant, any other value), 1 for a constraint.
    pub sides: u32,
    /// True if the nodes before it imply the side taken; its condition then adds nothing to theirs.
    pub forced: bool,
}

/// The properties of a site that the tree needs.
#[derive(Clone, Copy, Debug)]
struct SiteShape {
    sides: u32,
    /// Branch id of side 0; the other sides follow.
    first_branch: u32,
    /// True if the side taken determines the value: all sites but switches.
    is_binary: bool,
}

/// The execution tree of all paths executed so far.
#[derive(Clone, Debug)]
pub struct Tree {
    /// Shapes of all sites, by site id.
    shapes: Vec<SiteShape>,
    pub(crate) nodes: Nodes,
    pub(crate) decisions: Decisions,
    pub(crate) conditions: Conditions,
    pub(crate) branch_traces: BranchTraceStore,
    pub(crate) runs: Runs,
    pub(crate) children: Children,
    pub(crate) implied: ImpliedValues,
    /// States of nodes with more than two sides.
    pub(crate) changed: ChangedStates,
    /// Number of untried flips per block of nodes.
    pub(crate) untried: FenwickTree,
    pub(crate) pending: Pending,
    pub(crate) suspended: SuspendedFlips,
    pub(crate) cores: Cores,
    /// Branch flips in state `Unknown`; those of concretizations count among `open_concretizations`.
    pub(crate) unknown: usize,
    pub(crate) diverged: usize,
    pub(crate) open_concretizations: usize,
    /// Number of branches on the longest path.
    pub(crate) deepest: u32,
}

impl Tree {
    /// Returns an empty tree for runs of `program`.
    pub fn new(program: &Program) -> Tree {
        let shape = |site: &Site| SiteShape {
            sides: site.sides.len() as u32,
            first_branch: site.first_branch.0,
            is_binary: site.kind != SiteKind::Switch,
        };
        Tree {
            shapes: program.sites().map(|(_, site)| shape(site)).collect(),
            nodes: Nodes::default(),
            decisions: Decisions::default(),
            conditions: Conditions::default(),
            branch_traces: BranchTraceStore::new(),
            runs: Runs::default(),
            children: Children::default(),
            implied: ImpliedValues::default(),
            changed: ChangedStates::default(),
            untried: FenwickTree::default(),
            pending: Pending::default(),
            suspended: SuspendedFlips::default(),
            cores: Cores::default(),
            unknown: 0,
            diverged: 0,
            open_concretizations: 0,
            deepest: 0,
        }
    }

    /// Returns the number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// True if no run has made a symbolic decision yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the memory the tree takes, in bytes.
    pub fn bytes(&self) -> usize {
        let shared = self.decisions.bytes()
            + self.conditions.bytes()
            + self.cores.bytes()
            + self.branch_traces.bytes()
            + self.implied.bytes();
        let per_run = self.runs.bytes() + self.children.bytes() + self.pending.bytes();
        let per_block = self.untried.bytes() + self.suspended.bytes();
        self.nodes.bytes() + per_block + self.changed.bytes() + shared + per_run
    }

    /// Returns the node with this id.
    pub fn node(&self, id: NodeId) -> Node {
        let decision = self.decision(id);
        Node {
            kind: decision.kind,
            site: decision.site,
            value: decision.value,
            concrete: decision.constant,
            parent: self.parent(id),
            depth: self.depth(id),
            sides: self.side_count(decision.kind, decision.site),
            forced: decision.forced,
        }
    }

    /// Returns the site of a node.
    pub fn site(&self, node: NodeId) -> SiteId {
        self.decision(node).site
    }

    pub(crate) fn decision(&self, node: NodeId) -> &Decision {
        self.decisions.get(self.nodes.get(node).decision())
    }

    pub(crate) fn side_count(&self, kind: StepKind, site: SiteId) -> u32 {
        match kind {
            StepKind::Branch => self.shapes[site.0 as usize].sides,
            StepKind::Concretization => 2,
            StepKind::Constraint => 1,
        }
    }

    /// True if the side taken at a site determines the value it decides on.
    pub(crate) fn side_determines_value(&self, site: SiteId) -> bool {
        self.shapes[site.0 as usize].is_binary
    }

    /// Returns the first branch of a site, and its number of branches.
    pub(crate) fn branches_of(&self, site: SiteId) -> (u32, u32) {
        let SiteShape { first_branch, sides, .. } = self.shapes[site.0 as usize];
        (first_branch, sides)
    }

    /// Returns first branch and number of branches of every site.
    pub(crate) fn sites(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.shapes.iter().map(|shape| (shape.first_branch, shape.sides))
    }

    /// Returns the program branch that a side is; none for a concretization or a constraint.
    pub fn branch(&self, side: Flip) -> Option<BranchId> {
        let Decision { kind, site, .. } = *self.decision(side.node);
        let branch = || BranchId(self.shapes[site.0 as usize].first_branch + side.side);
        (kind == StepKind::Branch).then(branch)
    }

    /// Returns the run that reached a node first: its input satisfies the path prefix of the node.
    pub fn creator(&self, node: NodeId) -> RunId {
        self.runs.creator(node, &self.nodes)
    }

    /// Returns the side taken by the first run that reached the node.
    pub fn first_side(&self, node: NodeId) -> Flip {
        Flip { node, side: self.decision(node).side }
    }

    /// Returns the concrete branches between a node's parent and the node, in execution order, if its run
    /// recorded them. Of more than 64, only the first and the last 32 are kept.
    pub fn concrete_branches(
        &self,
        node: NodeId,
    ) -> impl DoubleEndedIterator<Item = BranchId> + ExactSizeIterator + '_ {
        self.branch_traces.get(self.decision(node).branch_trace).iter().copied()
    }

    /// Returns the state of a side.
    pub fn state(&self, flip: Flip) -> FlipState {
        let record = self.nodes.get(flip.node);
        let decision = self.decisions.get(record.decision());
        match record.others() {
            _ if flip.side == decision.side => FlipState::Sat,
            OtherSides::One(state) => state,
            OtherSides::Many => self.changed.get(flip).unwrap_or(initial_state(decision.forced)),
            OtherSides::None => unreachable!("{flip:?} is no side"),
        }
    }

    /// Returns the sides of a node with their states.
    pub fn sides(&self, node: NodeId) -> impl DoubleEndedIterator<Item = (Flip, FlipState)> + '_ {
        let Decision { kind, site, .. } = *self.decision(node);
        let flips = (0..self.side_count(kind, site)).map(move |side| Flip { node, side });
        flips.map(|flip| (flip, self.state(flip)))
    }

    /// Returns all sides in this state, in order of creation. Scans the whole tree.
    pub fn flips_in(&self, state: FlipState) -> impl Iterator<Item = Flip> + '_ {
        let nodes = (0..self.len() as u32).map(NodeId);
        nodes
            .flat_map(|node| self.sides(node))
            .filter(move |(_, found)| *found == state)
            .map(|(flip, _)| flip)
    }

    /// Sets the state of a side after it was tried. A side that a run has taken stays `Sat`; `Untried` and
    /// `Suspended` are ignored, since no attempt leads to them.
    pub fn set_state(&mut self, flip: Flip, state: FlipState) {
        let happened = !matches!(state, FlipState::Untried | FlipState::Suspended);
        if happened && self.change_state(flip, state) {
            self.decrement_pending(flip.node);
        }
    }

    /// Subtracts an untried flip of this node from the pending counts.
    pub(crate) fn decrement_pending(&mut self, node: NodeId) {
        self.pending.decrement(self.creator(node), &self.runs, &self.nodes);
    }

    /// Changes a state; true if the side was untried. The caller updates the pending counts.
    pub(crate) fn change_state(&mut self, flip: Flip, state: FlipState) -> bool {
        let old = self.state(flip);
        if old == FlipState::Sat || old == state {
            return false;
        }
        match self.nodes.get(flip.node).others() {
            OtherSides::Many => self.changed.set(flip, state),
            OtherSides::One(_) | OtherSides::None => self.nodes.set_other(flip.node, state),
        }
        let is_concretization = self.decision(flip.node).kind == StepKind::Concretization;
        self.count_new(state, is_concretization);
        self.count_old(old, is_concretization);
        if old == FlipState::Untried {
            self.untried.subtract_one(flip.node.index() / BLOCK);
        }
        old == FlipState::Untried
    }

    /// Adds a side in this state to the counters.
    pub(crate) fn count_new(&mut self, state: FlipState, is_concretization: bool) {
        self.unknown += usize::from(state == FlipState::Unknown && !is_concretization);
        self.diverged += usize::from(state == FlipState::Diverged);
        self.suspended.count += usize::from(state == FlipState::Suspended);
        self.open_concretizations += usize::from(is_concretization && is_open(state));
    }

    fn count_old(&mut self, state: FlipState, is_concretization: bool) {
        self.unknown -= usize::from(state == FlipState::Unknown && !is_concretization);
        self.diverged -= usize::from(state == FlipState::Diverged);
        self.suspended.count -= usize::from(state == FlipState::Suspended);
        self.open_concretizations -= usize::from(is_concretization && is_open(state));
    }

    /// True if every side of every node was taken or proved infeasible.
    pub fn exhausted(&self) -> bool {
        self.untried() + self.suspended() + self.unknown + self.diverged + self.open_concretizations == 0
    }

    /// Returns the number of branch flips without an answer: the solver gave up, or the trace of their run
    /// ended before the flip.
    pub fn unanswered(&self) -> usize {
        self.unknown
    }

    /// Returns the number of flips whose runs diverged.
    pub fn diverged(&self) -> usize {
        self.diverged
    }

    /// Returns the number of concretizations that may have a further, untried value.
    pub fn open_concretizations(&self) -> usize {
        self.open_concretizations
    }
}

/// Returns the initial state of the sides that the first run did not take.
pub(crate) fn initial_state(forced: bool) -> FlipState {
    if forced { FlipState::Unsat } else { FlipState::Untried }
}

/// True if a later run may still take a side in this state.
fn is_open(state: FlipState) -> bool {
    !matches!(state, FlipState::Sat | FlipState::Unsat)
}
