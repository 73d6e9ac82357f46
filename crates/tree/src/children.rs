//! Child links of the tree.
//!
//! The child along the side that a node's first run took is the next node in order of creation. All other
//! children are kept here, at most one per run.

use crate::step::{Flip, NodeId, Step};
use cairn_expr::ExprId;
use cairn_program::SiteId;
use cairn_wire::event::StepKind;
use rustc_hash::FxHashMap;

/// The key that distinguishes the nodes below one side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ChildKey {
    /// The side above; none at the root.
    pub above: Option<Flip>,
    pub site: SiteId,
    pub value: ExprId,
    pub kind: StepKind,
    /// Constant of a concretization, if nodes with different constants are distinct children.
    pub constant: Option<u64>,
}

impl ChildKey {
    pub fn new(above: Option<Flip>, step: &Step, constant_matters: bool) -> ChildKey {
        let constant = constant_matters.then_some(step.concrete);
        ChildKey { above, site: step.site, value: step.value, kind: step.kind, constant }
    }
}

/// The child links that do not follow from the order of nodes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Children {
    /// First node below a side.
    firsts: FxHashMap<Option<Flip>, NodeId>,
    /// Further nodes below a side that has a first node.
    alternatives: FxHashMap<ChildKey, NodeId>,
}

impl Children {
    pub fn first(&self, above: Option<Flip>) -> Option<NodeId> {
        self.firsts.get(&above).copied()
    }

    pub fn set_first(&mut self, above: Option<Flip>, node: NodeId) {
        self.firsts.insert(above, node);
    }

    pub fn alternative(&self, key: &ChildKey) -> Option<NodeId> {
        self.alternatives.get(key).copied()
    }

    pub fn add_alternative(&mut self, key: ChildKey, node: NodeId) {
        self.alternatives.insert(key, node);
    }

    pub fn bytes(&self) -> usize {
        let firsts = self.firsts.capacity() * size_of::<(Option<Flip>, NodeId)>();
        firsts + self.alternatives.capacity() * size_of::<(ChildKey, NodeId)>()
    }
}
