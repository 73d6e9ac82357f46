//! Adding a run to the tree.
//!
//! A concretization has two sides: its constant, and any other value. A run with another constant continues
//! below the second side, at a concretization of its own. So the constants met form a chain, and the path to
//! each excludes those before it. Solving the flip at the end of a chain finds a new constant.

use crate::branch_trace::{BranchTraceId, BranchTraces};
use crate::children::ChildKey;
use crate::decision::Decision;
use crate::nodes::{BLOCK, NodeRecord, OtherSides};
use crate::state::FlipState;
use crate::step::{Flip, NodeId, OTHER_VALUE, RunId, SAME_VALUE, Step};
use crate::tree::{Tree, initial_state};
use cairn_program::BranchId;
use cairn_wire::event::StepKind;

/// Maximum number of values solved for at one concretization; a chosen bound. Runs with further values are
/// siblings below the end of the chain, which is never called exhausted.
const MAX_CHAIN: usize = 16;

/// The result of adding a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AddedRun {
    /// The run's id.
    pub run: RunId,
    /// Nodes on the run's path, in order: one per step, and for a concretization also those of the other
    /// constants that earlier runs had there.
    pub nodes: Vec<NodeId>,
    /// Side taken at each node.
    pub sides: Vec<u32>,
    /// Index of the first node that was new; the number of nodes if none was.
    pub first_new: usize,
    /// True if that node has a sibling although earlier runs decided everything alike: they reached another
    /// site or value, so the target depends on something that is not in its input.
    pub mismatch: bool,
}

impl AddedRun {
    fn new(run: RunId, steps: usize) -> AddedRun {
        let (nodes, sides) = (Vec::with_capacity(steps), Vec::with_capacity(steps));
        AddedRun { run, nodes, sides, first_new: usize::MAX, mismatch: false }
    }

    /// Returns the last side taken so far.
    fn last(&self) -> Option<Flip> {
        let side = *self.sides.last()?;
        self.nodes.last().map(|&node| Flip { node, side })
    }

    fn is_in_known(&self) -> bool {
        self.first_new == usize::MAX
    }
}

/// A step to be added, with what the run's earlier steps say about it.
struct IncomingStep<'a> {
    step: &'a Step,
    forced: bool,
    branches: &'a [BranchId],
    /// Number of concretizations with other constants passed for this step.
    passed: usize,
}

impl Tree {
    /// Adds the decisions of a run. Panics if a step names a side or a site that the program does not have.
    pub fn add_run(&mut self, path: &[Step]) -> AddedRun {
        self.add_run_with_branches(path, &BranchTraces::new())
    }

    /// Adds the decisions of a run, and the concrete branches between them for the nodes it creates.
    pub fn add_run_with_branches(&mut self, path: &[Step], traces: &BranchTraces) -> AddedRun {
        let run = self.runs.start(&self.nodes);
        self.pending.start();
        self.implied.start();
        let mut added = AddedRun::new(run, path.len());
        let mut tried = None;
        for (index, step) in path.iter().enumerate() {
            let sides = self.side_count(step.kind, step.site);
            assert!(step.side < sides, "site {} has no side {}", step.site.0, step.side);
            let binary = step.kind == StepKind::Branch && self.side_determines_value(step.site);
            let forced = self.implied.record(step, binary);
            let branches = traces.before(index);
            tried = tried.or(self.follow(IncomingStep { step, forced, branches, passed: 0 }, &mut added));
        }
        self.finish(&mut added, tried);
        added
    }

    /// Adds one step, past the other constants of a concretization; returns the node whose untried flip the
    /// run took, if any.
    fn follow(&mut self, mut incoming: IncomingStep, added: &mut AddedRun) -> Option<NodeId> {
        let mut tried = None;
        loop {
            let above = added.last();
            let key = ChildKey::new(above, incoming.step, incoming.passed >= MAX_CHAIN);
            let known = if added.is_in_known() { self.find(&key) } else { None };
            let node = known.unwrap_or_else(|| self.create(key, &incoming, added));
            let side = self.side_taken(node, incoming.step);
            if known.is_some() && self.change_state(Flip { node, side }, FlipState::Sat) {
                tried = Some(node);
            }
            added.nodes.push(node);
            added.sides.push(side);
            if incoming.step.kind != StepKind::Concretization || side == SAME_VALUE {
                return tried;
            }
            incoming.passed += 1;
        }
    }

    fn side_taken(&self, node: NodeId, step: &Step) -> u32 {
        let decision = self.decision(node);
        match step.kind {
            StepKind::Branch => step.side,
            StepKind::Concretization if decision.constant != step.concrete => OTHER_VALUE,
            StepKind::Concretization | StepKind::Constraint => SAME_VALUE,
        }
    }

    /// Returns the child with this key, if there is one.
    fn find(&self, key: &ChildKey) -> Option<NodeId> {
        let first = self.first_below(key.above)?;
        let decision = self.decision(first);
        let fits = is_at(decision, key) && key.constant.is_none_or(|constant| decision.constant == constant);
        if fits { Some(first) } else { self.children.alternative(key) }
    }

    /// Returns the first node below a side.
    pub(crate) fn first_below(&self, above: Option<Flip>) -> Option<NodeId> {
        let on = above.filter(|flip| self.decision(flip.node).side == flip.side).map(|flip| flip.node.0 + 1);
        let next = on.map(NodeId).filter(|next| next.index() < self.nodes.len());
        next.filter(|next| !self.nodes.get(*next).is_first()).or_else(|| self.children.first(above))
    }

    fn create(&mut self, key: ChildKey, incoming: &IncomingStep, added: &mut AddedRun) -> NodeId {
        let node = NodeId(self.nodes.len() as u32);
        let is_first = added.is_in_known();
        if is_first {
            added.first_new = added.nodes.len();
            added.mismatch = self.record_departure(key, node, added.run);
        }
        let decision = self.decision_of(incoming);
        let (others, untried) = self.others(&decision, incoming.passed);
        let (is_branch, is_concretization) =
            (decision.kind == StepKind::Branch, decision.kind == StepKind::Concretization);
        let record = NodeRecord::new(self.decisions.intern(decision), is_branch, is_first, others);
        if self.nodes.push(added.run, record) {
            self.untried.push();
        }
        self.untried.add(node.index() / BLOCK, untried);
        self.pending.add_to_last(untried);
        if let OtherSides::One(state) = others {
            self.count_new(state, is_concretization);
        }
        node
    }

    /// Records where a run creates its first node; true if its sibling is at another site or value.
    fn record_departure(&mut self, key: ChildKey, node: NodeId, run: RunId) -> bool {
        let depth = key.above.map_or(0, |flip| self.depth_after(flip.node));
        let record = self.runs.get_mut(run);
        (record.left_at, record.depth) = (key.above, depth);
        let Some(first) = self.first_below(key.above) else {
            self.children.set_first(key.above, node);
            return false;
        };
        self.children.add_alternative(key, node);
        !is_at(self.decision(first), &key)
    }

    fn decision_of(&mut self, incoming: &IncomingStep) -> Decision {
        let Step { kind, site, side, value, concrete } = *incoming.step;
        // No branches lie between a concretization and the rest of its chain.
        let branch_trace = if incoming.passed == 0 {
            self.branch_traces.intern(incoming.branches)
        } else {
            BranchTraceId::EMPTY
        };
        let constant = if kind == StepKind::Concretization { concrete } else { 0 };
        let forced = incoming.forced;
        Decision { kind, site, value, side, constant, forced, branch_trace }
    }

    /// Returns the stored form of a new node's other sides, and the number of those that are untried.
    fn others(&self, decision: &Decision, passed: usize) -> (OtherSides, u64) {
        let sides = self.side_count(decision.kind, decision.site);
        let initial = initial_state(decision.forced);
        let one = match decision.kind {
            StepKind::Concretization if !decision.forced && passed + 1 >= MAX_CHAIN => FlipState::Unknown,
            _ => initial,
        };
        let untried = |state| state == FlipState::Untried;
        match sides {
            1 => (OtherSides::None, 0),
            2 => (OtherSides::One(one), u64::from(untried(one))),
            _ => (OtherSides::Many, if untried(initial) { u64::from(sides) - 1 } else { 0 }),
        }
    }

    /// Records where the run ended, and updates the pending counts.
    fn finish(&mut self, added: &mut AddedRun, tried: Option<NodeId>) {
        let last = added.last();
        let end_depth = last.map_or(0, |flip| self.depth_after(flip.node));
        if added.is_in_known() {
            added.first_new = added.nodes.len();
            let record = self.runs.get_mut(added.run);
            (record.left_at, record.depth) = (last, end_depth);
        }
        self.runs.get_mut(added.run).end_depth = end_depth;
        self.deepest = self.deepest.max(end_depth);
        // New flips count first: otherwise counts above might drop to 0 only to rise again.
        self.pending.propagate_new(added.run, &self.runs, &self.nodes);
        if let Some(node) = tried {
            self.decrement_pending(node);
        }
    }
}

/// True if a decision matches a key, whatever its constant.
fn is_at(decision: &Decision, key: &ChildKey) -> bool {
    (decision.site, decision.value, decision.kind) == (key.site, key.value, key.kind)
}
