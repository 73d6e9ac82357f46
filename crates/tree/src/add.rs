//! How a run becomes part of the tree.
//!
//! A pin has two sides: the constant, and any other value. A run with another constant goes on below the
//! second side, at a pin of its own: constants that were met form a chain, and the way to each says which
//! it is not. Flipping the last of a chain asks for a value that nobody has tried.

use crate::branch_trace::{BranchTraceId, BranchTraces};
use crate::decision::Decision;
use crate::nodes::{BLOCK, Others, Record};
use crate::place::Place;
use crate::state::FlipState;
use crate::step::{Flip, NodeId, RunId, Step};
use crate::tree::{ANOTHER, SAME, Tree, initial_state};
use cairn_program::BranchId;
use cairn_wire::event::StepKind;

/// Most values that are asked for at one pin. Runs that meet more of them are kept side by side below the
/// end of the chain, which is never called exhausted.
const MAX_CHAIN: usize = 16;

/// What adding a run did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AddedRun {
    /// The run's id.
    pub run: RunId,
    /// The nodes the run came to, in order: one per step, and for a pin also those of the constants that
    /// earlier runs had there instead.
    pub nodes: Vec<NodeId>,
    /// The side taken at each.
    pub sides: Vec<u32>,
    /// Index of the first node that was not in the tree; the number of nodes if all were.
    pub first_new: usize,
    /// Whether that node stands where earlier runs, having decided everything alike, came to
    /// another site or value: the target depends on something that is not in its input.
    pub mismatch: bool,
}

impl AddedRun {
    fn new(run: RunId, steps: usize) -> AddedRun {
        let (nodes, sides) = (Vec::with_capacity(steps), Vec::with_capacity(steps));
        AddedRun { run, nodes, sides, first_new: usize::MAX, mismatch: false }
    }

    /// Where the run is.
    fn last(&self) -> Option<Flip> {
        let side = *self.sides.last()?;
        self.nodes.last().map(|&node| Flip { node, side })
    }

    fn is_in_known(&self) -> bool {
        self.first_new == usize::MAX
    }
}

/// A step of a run, with what the run's earlier steps say of it.
struct Coming<'a> {
    step: &'a Step,
    forced: bool,
    trail: &'a [BranchId],
    /// Pins with other constants that the run has passed for this step.
    passed: usize,
}

impl Tree {
    /// Adds a run's decisions. Panics if a step names a side or a site that the program does not have.
    pub fn add_run(&mut self, path: &[Step]) -> AddedRun {
        self.add_run_with_branches(path, &BranchTraces::new())
    }

    /// Adds a run's decisions, and for the nodes it makes the concrete branches in between.
    pub fn add_run_with_branches(&mut self, path: &[Step], trails: &BranchTraces) -> AddedRun {
        let run = self.runs.start(&self.nodes);
        self.pending.start();
        self.decided.start();
        let mut added = AddedRun::new(run, path.len());
        let mut tried = None;
        for (index, step) in path.iter().enumerate() {
            let sides = self.side_count(step.kind, step.site);
            assert!(step.side < sides, "site {} has no side {}", step.site.0, step.side);
            let binary = step.kind == StepKind::Branch && self.side_tells_value(step.site);
            let forced = self.decided.note(step, binary);
            let trail = trails.before(index);
            tried = tried.or(self.follow(Coming { step, forced, trail, passed: 0 }, &mut added));
        }
        self.finish(&mut added, tried);
        added
    }

    /// Goes one step on, past the other constants of a pin; gives the node whose flip was tried by that, if any.
    fn follow(&mut self, mut coming: Coming, added: &mut AddedRun) -> Option<NodeId> {
        let mut tried = None;
        loop {
            let above = added.last();
            let place = Place::new(above, coming.step, coming.passed >= MAX_CHAIN);
            let known = if added.is_in_known() { self.find(&place) } else { None };
            let node = known.unwrap_or_else(|| self.create(place, &coming, added));
            let side = self.side_taken(node, coming.step);
            if known.is_some() && self.change_state(Flip { node, side }, FlipState::Sat) {
                tried = Some(node);
            }
            added.nodes.push(node);
            added.sides.push(side);
            if coming.step.kind != StepKind::Concretization || side == SAME {
                return tried;
            }
            coming.passed += 1;
        }
    }

    fn side_taken(&self, node: NodeId, step: &Step) -> u32 {
        let decision = self.decision(node);
        match step.kind {
            StepKind::Branch => step.side,
            StepKind::Concretization if decision.constant != step.concrete => ANOTHER,
            StepKind::Concretization | StepKind::Constraint => SAME,
        }
    }

    /// The node that stands there, if there is one.
    fn find(&self, place: &Place) -> Option<NodeId> {
        let first = self.first_below(place.above)?;
        let decision = self.decision(first);
        let fits =
            is_at(decision, place) && place.constant.is_none_or(|constant| decision.constant == constant);
        if fits { Some(first) } else { self.places.alternative(place) }
    }

    /// The node that was first below a side.
    pub(crate) fn first_below(&self, above: Option<Flip>) -> Option<NodeId> {
        let on = above.filter(|flip| self.decision(flip.node).side == flip.side).map(|flip| flip.node.0 + 1);
        let next = on.map(NodeId).filter(|next| next.index() < self.nodes.len());
        next.filter(|next| !self.nodes.get(*next).is_first()).or_else(|| self.places.first(above))
    }

    fn create(&mut self, place: Place, coming: &Coming, added: &mut AddedRun) -> NodeId {
        let node = NodeId(self.nodes.len() as u32);
        let is_first = added.is_in_known();
        if is_first {
            added.first_new = added.nodes.len();
            added.mismatch = self.leave(place, node, added.run);
        }
        let decision = self.decision_of(coming);
        let (others, untried) = self.others(&decision, coming.passed);
        let (is_branch, is_concretization) =
            (decision.kind == StepKind::Branch, decision.kind == StepKind::Concretization);
        let record = Record::new(self.decisions.intern(decision), is_branch, is_first, others);
        if self.nodes.push(added.run, record) {
            self.untried.push();
        }
        self.untried.add(node.index() / BLOCK, untried);
        self.pending.add_to_last(untried);
        if let Others::One(state) = others {
            self.count_new(state, is_concretization);
        }
        node
    }

    /// A run makes its first node there; whether another node is where this one belongs.
    fn leave(&mut self, place: Place, node: NodeId, run: RunId) -> bool {
        let depth = place.above.map_or(0, |flip| self.depth_behind(flip.node));
        let record = self.runs.get_mut(run);
        (record.left, record.depth) = (place.above, depth);
        let Some(first) = self.first_below(place.above) else {
            self.places.set_first(place.above, node);
            return false;
        };
        self.places.add_alternative(place, node);
        !is_at(self.decision(first), &place)
    }

    fn decision_of(&mut self, coming: &Coming) -> Decision {
        let Step { kind, site, side, value, concrete } = *coming.step;
        // Nothing lies between a pin and the others of its chain.
        let trail = if coming.passed == 0 { self.trails.intern(coming.trail) } else { BranchTraceId::EMPTY };
        let constant = if kind == StepKind::Concretization { concrete } else { 0 };
        let forced = coming.forced;
        Decision { kind, site, value, side, constant, forced, trail }
    }

    /// What a new node knows of its other sides, and how many of them are untried.
    fn others(&self, decision: &Decision, passed: usize) -> (Others, u64) {
        let sides = self.side_count(decision.kind, decision.site);
        let initial = initial_state(decision.forced);
        let one = match decision.kind {
            StepKind::Concretization if !decision.forced && passed + 1 >= MAX_CHAIN => FlipState::Unknown,
            _ => initial,
        };
        let untried = |state| state == FlipState::Untried;
        match sides {
            1 => (Others::None, 0),
            2 => (Others::One(one), u64::from(untried(one))),
            _ => (Others::Many, if untried(initial) { u64::from(sides) - 1 } else { 0 }),
        }
    }

    /// Notes where the run ended, and what is pending because of it.
    fn finish(&mut self, added: &mut AddedRun, tried: Option<NodeId>) {
        let last = added.last();
        let end_depth = last.map_or(0, |flip| self.depth_behind(flip.node));
        if added.is_in_known() {
            added.first_new = added.nodes.len();
            let record = self.runs.get_mut(added.run);
            (record.left, record.depth) = (last, end_depth);
        }
        self.runs.get_mut(added.run).end_depth = end_depth;
        self.deepest = self.deepest.max(end_depth);
        // What is new comes first: otherwise everything above might be closed, to be opened again.
        self.announce(added.run);
        if let Some(node) = tried {
            self.less_pending(self.creator(node));
        }
    }
}

/// Whether a node that decides this stands at a place, whatever its constant.
fn is_at(decision: &Decision, place: &Place) -> bool {
    (decision.site, decision.value, decision.kind) == (place.site, place.value, place.kind)
}
