//! The frontier: the untried flips.
//!
//! They are not listed. A Fenwick tree counts the untried flips of each block of 64 nodes, and the block
//! itself says which they are. So the n-th, a random one, or all in order of discovery are found without
//! memory per flip.

use crate::nodes::{BLOCK, OtherSides};
use crate::state::FlipState;
use crate::step::{Flip, NodeId};
use crate::tree::Tree;

impl Tree {
    /// Returns the number of untried flips.
    pub fn untried(&self) -> usize {
        self.untried.total() as usize
    }

    /// Returns the untried flips of a node.
    pub fn untried_of(&self, node: NodeId) -> impl DoubleEndedIterator<Item = Flip> + '_ {
        let any = self.untried_count(node) > 0;
        let sides = any.then(|| self.sides(node)).into_iter().flatten();
        sides.filter(|(_, state)| *state == FlipState::Untried).map(|(flip, _)| flip)
    }

    /// Returns the first untried flip of a node whose side is at least `from`.
    pub fn next_untried(&self, node: NodeId, from: u32) -> Option<Flip> {
        let decision = self.decision(node);
        let sides = from..self.side_count(decision.kind, decision.site);
        sides.map(|side| Flip { node, side }).find(|flip| self.state(*flip) == FlipState::Untried)
    }

    /// Returns the untried flips at this depth (symbolic branches before them), in order of discovery.
    pub fn untried_at_depth(&self, depth: u32) -> impl DoubleEndedIterator<Item = Flip> + '_ {
        self.nodes_at_depth(depth).flat_map(|node| self.untried_of(node))
    }

    pub(crate) fn untried_count(&self, node: NodeId) -> u64 {
        let record = self.nodes.get(node);
        match record.others() {
            OtherSides::One(state) => u64::from(state == FlipState::Untried),
            OtherSides::None => 0,
            OtherSides::Many => {
                let decision = self.decisions.get(record.decision());
                let sides = self.side_count(decision.kind, decision.site) as usize;
                if decision.forced { 0 } else { (sides - 1 - self.changed.count(node)) as u64 }
            }
        }
    }

    /// Returns the number of untried flips of nodes created before this one.
    pub(crate) fn untried_before(&self, node: NodeId) -> u64 {
        let block = node.index() / BLOCK;
        let nodes = self.nodes.ids_in_block(block).take_while(|other| *other < node);
        self.untried.before(block) + nodes.map(|node| self.untried_count(node)).sum::<u64>()
    }

    /// Returns the `n`-th untried flip in order of discovery.
    pub(crate) fn nth_untried(&self, n: u64) -> Option<Flip> {
        if n >= self.untried.total() {
            return None;
        }
        let (block, mut rest) = self.untried.find(n);
        for node in self.nodes.ids_in_block(block) {
            let here = self.untried_count(node);
            if rest < here {
                return self.untried_of(node).nth(rest as usize);
            }
            rest -= here;
        }
        unreachable!("block {block} holds fewer untried flips than were counted")
    }

    /// Returns the untried flips in order of discovery.
    pub fn frontier(&self) -> impl DoubleEndedIterator<Item = Flip> + '_ {
        let blocks = OpenBlocks { tree: self, from: 0, to: self.untried.total() };
        blocks.flat_map(|block| self.nodes.ids_in_block(block)).flat_map(|node| self.untried_of(node))
    }

    /// Returns a uniformly random untried flip; `below(n)` draws a number below `n`.
    pub fn pick_untried(&self, mut below: impl FnMut(usize) -> usize) -> Option<Flip> {
        let untried = self.untried();
        if untried == 0 { None } else { self.nth_untried(below(untried) as u64) }
    }
}

/// Iterator over the blocks with untried flips, from both ends.
struct OpenBlocks<'a> {
    tree: &'a Tree,
    /// Number of untried flips before the next block, and before the end of the last one.
    from: u64,
    to: u64,
}

impl Iterator for OpenBlocks<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        if self.from == self.to {
            return None;
        }
        let (block, _) = self.tree.untried.find(self.from);
        self.from = self.tree.untried.before(block + 1);
        Some(block)
    }
}

impl DoubleEndedIterator for OpenBlocks<'_> {
    fn next_back(&mut self) -> Option<usize> {
        if self.from == self.to {
            return None;
        }
        let (block, _) = self.tree.untried.find(self.to - 1);
        self.to = self.tree.untried.before(block);
        Some(block)
    }
}
