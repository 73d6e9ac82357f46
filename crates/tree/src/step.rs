//! Ids, and the steps of a path.

use cairn_expr::ExprId;
use cairn_program::SiteId;
use cairn_wire::event::StepKind;

/// Side of a concretization that the same constant takes.
pub(crate) const SAME_VALUE: u32 = 0;
/// Side of a concretization that all other values take.
pub(crate) const OTHER_VALUE: u32 = 1;

/// Id of a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The id as an index: dense, in order of creation.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// Id of a run that was added to the tree, counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RunId(pub(crate) u32);

impl RunId {
    /// The id as an index: the n-th run added has n - 1.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A side of a node, named to be taken: the unit of search.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Flip {
    /// The node.
    pub node: NodeId,
    /// The side of it.
    pub side: u32,
}

/// A step of a path: a decision of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// Branch, concretization or constraint.
    pub kind: StepKind,
    /// Site of the step; for a branch one that has sides.
    pub site: SiteId,
    /// Side taken at a branch; 0 otherwise.
    pub side: u32,
    /// The deciding value.
    pub value: ExprId,
    /// Value in this run.
    pub concrete: u64,
}
