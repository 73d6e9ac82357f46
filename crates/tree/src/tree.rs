//! The tree itself: what nodes are, and what became of their sides.
//!
//! A long campaign has hundreds of millions of nodes, so a node is four bytes ([`crate::nodes`]): everything that
//! repeats is kept once ([`crate::decision`]), and everything about where a node hangs is known of its run
//! ([`crate::runs`]), since a run that leaves the known paths makes all its later nodes one after the other.

use crate::branch_trace::BranchTraceStore;
use crate::condition::Conditions;
use crate::cores::Cores;
use crate::decision::{Decision, Decisions};
use crate::fenwick::Counts;
use crate::implied::Decided;
use crate::nodes::{BLOCK, Nodes, Others};
use crate::pending::Pending;
use crate::place::Places;
use crate::runs::Runs;
use crate::state::{ChangedStates, FlipState};
use crate::step::{Flip, NodeId, RunId};
use crate::suspended::Suspended;
use cairn_expr::ExprId;
use cairn_program::{BranchId, Program, Site, SiteId, SiteKind};
use cairn_wire::event::StepKind;

/// The side of a pin that its constant takes.
pub(crate) const SAME: u32 = 0;
/// The side of a pin that all other values take.
pub(crate) const ANOTHER: u32 = 1;

/// What is known of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// Branch, pin or constraint.
    pub kind: StepKind,
    /// Where it stands in the program.
    pub site: SiteId,
    /// The deciding value.
    pub value: ExprId,
    /// The constant a pin's value was used as; 0 for other nodes.
    pub concrete: u64,
    /// The node before it, and the side of that one that leads here.
    pub parent: Option<(NodeId, u32)>,
    /// Symbolic branches before it; pins and constraints do not count.
    pub depth: u32,
    /// Sides it has: 2 for a pin (its constant, any other value), 1 for a constraint.
    pub sides: u32,
    /// Whether the nodes before it leave it no choice; its condition then adds nothing to theirs.
    pub forced: bool,
}

/// What the tree knows of a site.
#[derive(Clone, Copy, Debug)]
struct Shape {
    sides: u32,
    /// The branch that side 0 is.
    first_branch: u32,
    /// Whether the side taken tells the value.
    is_binary: bool,
}

/// All paths that were run.
#[derive(Clone, Debug)]
pub struct Tree {
    /// By site.
    shapes: Vec<Shape>,
    pub(crate) nodes: Nodes,
    pub(crate) decisions: Decisions,
    pub(crate) conditions: Conditions,
    pub(crate) trails: BranchTraceStore,
    pub(crate) runs: Runs,
    pub(crate) places: Places,
    pub(crate) decided: Decided,
    /// Of nodes with many sides.
    pub(crate) changed: ChangedStates,
    /// Untried flips per block of nodes.
    pub(crate) untried: Counts,
    pub(crate) pending: Pending,
    pub(crate) aside: Suspended,
    pub(crate) cores: Cores,
    /// Of branches; those of pins are among `open_concretizations`.
    pub(crate) unknown: usize,
    pub(crate) diverged: usize,
    pub(crate) open_concretizations: usize,
    /// Branches on the longest path.
    pub(crate) deepest: u32,
}

impl Tree {
    /// An empty tree for runs of this program.
    pub fn new(program: &Program) -> Tree {
        let shape = |site: &Site| Shape {
            sides: site.sides.len() as u32,
            first_branch: site.first_branch.0,
            is_binary: site.kind != SiteKind::Switch,
        };
        Tree {
            shapes: program.sites().map(|(_, site)| shape(site)).collect(),
            nodes: Nodes::default(),
            decisions: Decisions::default(),
            conditions: Conditions::default(),
            trails: BranchTraceStore::new(),
            runs: Runs::default(),
            places: Places::default(),
            decided: Decided::default(),
            changed: ChangedStates::default(),
            untried: Counts::default(),
            pending: Pending::default(),
            aside: Suspended::default(),
            cores: Cores::default(),
            unknown: 0,
            diverged: 0,
            open_concretizations: 0,
            deepest: 0,
        }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether no run decided anything yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The memory it takes.
    pub fn bytes(&self) -> usize {
        let shared = self.decisions.bytes()
            + self.conditions.bytes()
            + self.cores.bytes()
            + self.trails.bytes()
            + self.decided.bytes();
        let per_run = self.runs.bytes() + self.places.bytes() + self.pending.bytes();
        let per_block = self.untried.bytes() + self.aside.bytes();
        self.nodes.bytes() + per_block + self.changed.bytes() + shared + per_run
    }

    /// The node with this id.
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

    /// Where a node stands in the program.
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

    /// Whether the side taken at a site tells the value it decides on.
    pub(crate) fn side_tells_value(&self, site: SiteId) -> bool {
        self.shapes[site.0 as usize].is_binary
    }

    /// The first branch of a site, and how many it has.
    pub(crate) fn branches_of(&self, site: SiteId) -> (u32, u32) {
        let Shape { first_branch, sides, .. } = self.shapes[site.0 as usize];
        (first_branch, sides)
    }

    /// The first branch of every site, and how many it has.
    pub(crate) fn sites(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.shapes.iter().map(|shape| (shape.first_branch, shape.sides))
    }

    /// The branch of the program that a side is; none for a pin or a constraint.
    pub fn branch(&self, side: Flip) -> Option<BranchId> {
        let Decision { kind, site, .. } = *self.decision(side.node);
        let branch = || BranchId(self.shapes[site.0 as usize].first_branch + side.side);
        (kind == StepKind::Branch).then(branch)
    }

    /// The run that came to a node first: its input satisfies everything before the node.
    pub fn creator(&self, node: NodeId) -> RunId {
        self.runs.maker(node, &self.nodes)
    }

    /// The side that the run took which came to a node first.
    pub fn first_side(&self, node: NodeId) -> Flip {
        Flip { node, side: self.decision(node).side }
    }

    /// The concrete branches between a node and the one before it, in order, if its run told them. Of more than 64
    /// these are the first and the last 32.
    pub fn trail(&self, node: NodeId) -> impl DoubleEndedIterator<Item = BranchId> + ExactSizeIterator + '_ {
        self.trails.get(self.decision(node).trail).iter().copied()
    }

    /// What became of a side.
    pub fn state(&self, flip: Flip) -> FlipState {
        let record = self.nodes.get(flip.node);
        let decision = self.decisions.get(record.decision());
        match record.others() {
            _ if flip.side == decision.side => FlipState::Sat,
            Others::One(state) => state,
            Others::Many => self.changed.get(flip).unwrap_or(initial_state(decision.forced)),
            Others::None => unreachable!("{flip:?} is no side"),
        }
    }

    /// The sides of a node with their states.
    pub fn sides(&self, node: NodeId) -> impl DoubleEndedIterator<Item = (Flip, FlipState)> + '_ {
        let Decision { kind, site, .. } = *self.decision(node);
        let flips = (0..self.side_count(kind, site)).map(move |side| Flip { node, side });
        flips.map(|flip| (flip, self.state(flip)))
    }

    /// All sides in this state, in order of creation. Looks at the whole tree.
    pub fn flips_in(&self, state: FlipState) -> impl Iterator<Item = Flip> + '_ {
        let nodes = (0..self.len() as u32).map(NodeId);
        nodes
            .flat_map(|node| self.sides(node))
            .filter(move |(_, found)| *found == state)
            .map(|(flip, _)| flip)
    }

    /// Notes what became of a side. A side that a run has taken stays `Sat`, and whatever happens to a side makes it
    /// neither untried nor set aside.
    pub fn set_state(&mut self, flip: Flip, state: FlipState) {
        let happened = !matches!(state, FlipState::Untried | FlipState::Suspended);
        if happened && self.change_state(flip, state) {
            self.less_pending(self.creator(flip.node));
        }
    }

    /// Changes a state; whether the side was untried. The caller tells what is pending.
    pub(crate) fn change_state(&mut self, flip: Flip, state: FlipState) -> bool {
        let old = self.state(flip);
        if old == FlipState::Sat || old == state {
            return false;
        }
        match self.nodes.get(flip.node).others() {
            Others::Many => self.changed.set(flip, state),
            Others::One(_) | Others::None => self.nodes.set_other(flip.node, state),
        }
        let is_concretization = self.decision(flip.node).kind == StepKind::Concretization;
        self.count_new(state, is_concretization);
        self.count_old(old, is_concretization);
        if old == FlipState::Untried {
            self.untried.subtract_one(flip.node.index() / BLOCK);
        }
        old == FlipState::Untried
    }

    /// Counts the state of one more side.
    pub(crate) fn count_new(&mut self, state: FlipState, is_concretization: bool) {
        self.unknown += usize::from(state == FlipState::Unknown && !is_concretization);
        self.diverged += usize::from(state == FlipState::Diverged);
        self.aside.count += usize::from(state == FlipState::Suspended);
        self.open_concretizations += usize::from(is_concretization && is_open(state));
    }

    fn count_old(&mut self, state: FlipState, is_concretization: bool) {
        self.unknown -= usize::from(state == FlipState::Unknown && !is_concretization);
        self.diverged -= usize::from(state == FlipState::Diverged);
        self.aside.count -= usize::from(state == FlipState::Suspended);
        self.open_concretizations -= usize::from(is_concretization && is_open(state));
    }

    /// Whether every side of every node was taken or proved impossible.
    pub fn exhausted(&self) -> bool {
        self.untried() + self.aside() + self.unknown + self.diverged + self.open_concretizations == 0
    }

    /// Number of branch flips without an answer: the solver gave up, or their run was not seen that far.
    pub fn unanswered(&self) -> usize {
        self.unknown
    }

    /// Number of flips whose runs left the predicted path.
    pub fn diverged(&self) -> usize {
        self.diverged
    }

    /// How many pins there are for which a value may be left that nobody has tried.
    pub fn open_concretizations(&self) -> usize {
        self.open_concretizations
    }
}

/// The state of the other sides of a new branch.
pub(crate) fn initial_state(forced: bool) -> FlipState {
    if forced { FlipState::Unsat } else { FlipState::Untried }
}

/// Whether a run may still be found that takes a side.
fn is_open(state: FlipState) -> bool {
    !matches!(state, FlipState::Sat | FlipState::Unsat)
}
