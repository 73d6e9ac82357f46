//! Where nodes hang: the way from the root to each.

use crate::step::{Flip, NodeId, RunId};
use crate::tree::Tree;
use cairn_program::BranchId;
use std::ops::Range;

impl Tree {
    /// The node before this one, and the side of that one that leads here.
    pub fn parent(&self, node: NodeId) -> Option<(NodeId, u32)> {
        if self.nodes.get(node).is_first() {
            let left = self.runs.get(self.creator(node)).left;
            return left.map(|flip| (flip.node, flip.side));
        }
        let before = NodeId(node.0 - 1);
        Some((before, self.decision(before).side))
    }

    /// The node that runs which took this side came to, the first one's if they came to several; none if nobody took it,
    /// or nothing was decided afterwards.
    pub fn after(&self, side: Flip) -> Option<NodeId> {
        self.first_below(Some(side))
    }

    /// The nodes before this one and the sides taken there, back to the root.
    pub fn ancestors(&self, node: NodeId) -> impl Iterator<Item = (NodeId, u32)> + '_ {
        std::iter::successors(self.parent(node), |(above, _)| self.parent(*above))
    }

    /// The nodes before this one and the sides taken there, from the root on.
    pub fn prefix(&self, node: NodeId) -> Vec<(NodeId, u32)> {
        let mut prefix: Vec<_> = self.ancestors(node).collect();
        prefix.reverse();
        prefix
    }

    /// The branches before a node, back to the root: the sides taken at nodes, and the concrete ones that were told.
    pub fn history(&self, node: NodeId) -> impl Iterator<Item = BranchId> + '_ {
        let at = |(node, side)| self.branch(Flip { node, side }).into_iter().chain(self.trail(node).rev());
        self.trail(node).rev().chain(self.ancestors(node).flat_map(at))
    }

    /// Symbolic branches before a node.
    pub fn depth(&self, node: NodeId) -> u32 {
        self.runs.depth(self.creator(node), node, &self.nodes)
    }

    /// Symbolic branches before whatever comes behind a node.
    pub(crate) fn depth_behind(&self, node: NodeId) -> u32 {
        self.depth(node) + u32::from(self.nodes.get(node).is_branch())
    }

    /// How deep the deepest flip lies: depths are from 0 to this.
    pub fn max_depth(&self) -> u32 {
        self.deepest
    }

    /// The nodes a run created, in order of its path.
    pub fn run_nodes(
        &self,
        run: RunId,
    ) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        self.runs.nodes(run, &self.nodes).map(NodeId)
    }

    /// The side behind which a run left the known tree, or behind which it ended if it did not; none at the root.
    pub fn left_at(&self, run: RunId) -> Option<Flip> {
        self.runs.get(run).left
    }

    /// The nodes with so many symbolic branches before them: per run at most one branch, and pins and constraints.
    pub(crate) fn nodes_at_depth(&self, depth: u32) -> impl DoubleEndedIterator<Item = NodeId> + '_ {
        let stretches = self.runs.around(depth).map(move |run| self.stretch_at_depth(run, depth));
        stretches.flatten().map(NodeId)
    }

    /// Those of a run's nodes that lie so deep.
    fn stretch_at_depth(&self, run: RunId, depth: u32) -> Range<u32> {
        let nodes = self.runs.nodes(run, &self.nodes);
        let branches = self.runs.branches_before(run, depth);
        // Every branch on the way there is a node.
        let least = nodes.start + (depth - self.runs.get(run).depth);
        let start = self.nodes.first_behind(branches, least.min(nodes.end)..nodes.end);
        let branch = (start..nodes.end).find(|node| self.nodes.get(NodeId(*node)).is_branch());
        start..branch.map_or(nodes.end, |branch| branch + 1)
    }
}
