//! Navigation: parents, path prefixes, depths.

use crate::step::{Flip, NodeId, RunId};
use crate::tree::Tree;
use cairn_program::BranchId;
use std::ops::Range;

impl Tree {
    /// Returns the parent of a node, and the side of it that leads here.
    pub fn parent(&self, node: NodeId) -> Option<(NodeId, u32)> {
        if self.nodes.get(node).is_first() {
            let left = self.runs.get(self.creator(node)).left_at;
            return left.map(|flip| (flip.node, flip.side));
        }
        let before = NodeId(node.0 - 1);
        Some((before, self.decision(before).side))
    }

    /// Returns the first node below a side; `None` if no run took the side, or nothing was decided
    /// afterwards.
    pub fn after(&self, side: Flip) -> Option<NodeId> {
        self.first_below(Some(side))
    }

    /// Returns the nodes before this one with the sides taken there, back to the root.
    pub fn ancestors(&self, node: NodeId) -> impl Iterator<Item = (NodeId, u32)> + '_ {
        std::iter::successors(self.parent(node), |(above, _)| self.parent(*above))
    }

    /// Returns the nodes before this one with the sides taken there, from the root on.
    pub fn prefix(&self, node: NodeId) -> Vec<(NodeId, u32)> {
        let mut prefix: Vec<_> = self.ancestors(node).collect();
        prefix.reverse();
        prefix
    }

    /// Returns the branches before a node, back to the root: sides taken at nodes, and the recorded concrete
    /// branches.
    pub fn history(&self, node: NodeId) -> impl Iterator<Item = BranchId> + '_ {
        let at = |(node, side)| {
            self.branch(Flip { node, side }).into_iter().chain(self.concrete_branches(node).rev())
        };
        self.concrete_branches(node).rev().chain(self.ancestors(node).flat_map(at))
    }

    /// Returns the number of symbolic branches before a node.
    pub fn depth(&self, node: NodeId) -> u32 {
        self.runs.depth(self.creator(node), node, &self.nodes)
    }

    /// Returns the number of symbolic branches before the children of a node.
    pub(crate) fn depth_after(&self, node: NodeId) -> u32 {
        self.depth(node) + u32::from(self.nodes.get(node).is_branch())
    }

    /// Returns the depth of the deepest flip: depths range from 0 to this.
    pub fn max_depth(&self) -> u32 {
        self.deepest
    }

    /// Returns the nodes that a run created, in order of its path.
    pub fn run_nodes(
        &self,
        run: RunId,
    ) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        self.runs.nodes(run, &self.nodes).map(NodeId)
    }

    /// Returns those nodes that a run created which have untried flips, with their depths, in order.
    pub fn untried_nodes(&self, run: RunId) -> impl Iterator<Item = (u32, NodeId)> + '_ {
        let mut depth = self.runs.get(run).depth;
        let with_depth = move |node| {
            let before = depth;
            depth += u32::from(self.nodes.get(node).is_branch());
            (before, node)
        };
        self.run_nodes(run).map(with_depth).filter(|(_, node)| self.untried_count(*node) > 0)
    }

    /// Returns the side below which a run left the known tree, or ended if it did not leave it; none at the
    /// root.
    pub fn left_at(&self, run: RunId) -> Option<Flip> {
        self.runs.get(run).left_at
    }

    /// Returns the nodes at this depth: per run at most one branch, plus concretizations and constraints.
    pub(crate) fn nodes_at_depth(&self, depth: u32) -> impl DoubleEndedIterator<Item = NodeId> + '_ {
        let ranges = self.runs.reaching_depth(depth).map(move |run| self.range_at_depth(run, depth));
        ranges.flatten().map(NodeId)
    }

    /// Returns those of a run's nodes that are at this depth.
    fn range_at_depth(&self, run: RunId, depth: u32) -> Range<u32> {
        let nodes = self.runs.nodes(run, &self.nodes);
        let branches = self.runs.branches_before(run, depth);
        // Every branch on the path is a node.
        let least = nodes.start + (depth - self.runs.get(run).depth);
        let start = self.nodes.first_after_branches(branches, least.min(nodes.end)..nodes.end);
        let branch = (start..nodes.end).find(|node| self.nodes.get(NodeId(*node)).is_branch());
        start..branch.map_or(nodes.end, |branch| branch + 1)
    }
}
