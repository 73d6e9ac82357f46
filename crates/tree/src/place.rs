//! What stands where runs have left each other.
//!
//! The way on along the side that a node's first run took is the next node. All other ways on are kept here, at most
//! one for every run.

use crate::step::{Flip, NodeId, Step};
use cairn_expr::ExprId;
use cairn_program::SiteId;
use cairn_wire::event::StepKind;
use rustc_hash::FxHashMap;

/// What tells the nodes below one side apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Place {
    /// The side above; none at the root.
    pub above: Option<Flip>,
    pub site: SiteId,
    pub value: ExprId,
    pub kind: StepKind,
    /// The constant of a pin, if that matters.
    pub constant: Option<u64>,
}

impl Place {
    pub fn new(above: Option<Flip>, step: &Step, constant_matters: bool) -> Place {
        let constant = constant_matters.then_some(step.concrete);
        Place { above, site: step.site, value: step.value, kind: step.kind, constant }
    }
}

/// The ways on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// The node that was first below a side.
    firsts: FxHashMap<Option<Flip>, NodeId>,
    /// Nodes below a side where another one was first.
    alternatives: FxHashMap<Place, NodeId>,
}

impl Places {
    pub fn first(&self, above: Option<Flip>) -> Option<NodeId> {
        self.firsts.get(&above).copied()
    }

    pub fn set_first(&mut self, above: Option<Flip>, node: NodeId) {
        self.firsts.insert(above, node);
    }

    pub fn alternative(&self, place: &Place) -> Option<NodeId> {
        self.alternatives.get(place).copied()
    }

    pub fn add_alternative(&mut self, place: Place, node: NodeId) {
        self.alternatives.insert(place, node);
    }

    pub fn bytes(&self) -> usize {
        let firsts = self.firsts.capacity() * size_of::<(Option<Flip>, NodeId)>();
        firsts + self.alternatives.capacity() * size_of::<(Place, NodeId)>()
    }
}
