//! Ids, and what a run's path is made of.

use cairn_expr::ExprId;
use cairn_program::SiteId;
use cairn_wire::event::StepKind;

/// A node of the tree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The id as an index: dense, in order of creation.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A run that was added to the tree, counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RunId(pub(crate) u32);

impl RunId {
    /// The id as an index: the n-th run added has n - 1.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One side of a node, named to be taken.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Flip {
    /// The node.
    pub node: NodeId,
    /// The side of it.
    pub side: u32,
}

/// One decision of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Branch, pin or constraint.
    pub kind: StepKind,
    /// Where; for a branch a site of the program that has sides.
    pub site: SiteId,
    /// Side taken at a branch; 0 otherwise.
    pub side: u32,
    /// The deciding value.
    pub value: ExprId,
    /// What the value was in this run.
    pub concrete: u64,
}
