//! Nodes in lists by depth, from which a random one is drawn.
//!
//! Cost: four bytes per node; constant time to add and to draw, logarithmic in the number of depths to find
//! the next one.

use crate::rng::Rng;
use cairn_tree::NodeId;
use std::collections::BTreeSet;
use std::mem::take;

/// Nodes by depth.
#[derive(Clone, Default, Debug)]
pub(super) struct NodesByDepth {
    lists: Vec<Vec<NodeId>>,
    /// Depths whose list is not empty.
    filled: BTreeSet<u32>,
}

impl NodesByDepth {
    /// Adds a node.
    pub fn add(&mut self, depth: u32, node: NodeId) {
        let list = self.list(depth);
        list.push(node);
        if list.len() == 1 {
            self.filled.insert(depth);
        }
    }

    /// Returns the first depth, from this one on, that has a node.
    pub fn first_from(&self, depth: u32) -> Option<u32> {
        self.filled.range(depth..).next().copied()
    }

    /// Removes and returns a random node of a depth.
    pub fn draw(&mut self, depth: u32, rng: &mut Rng) -> Option<NodeId> {
        let list = self.lists.get_mut(depth as usize).filter(|list| !list.is_empty())?;
        let node = list.swap_remove(rng.below(list.len()));
        if list.is_empty() {
            // Its memory is not kept: every depth would hold as much as it once needed.
            *list = Vec::new();
            self.filled.remove(&depth);
        }
        Some(node)
    }

    /// Moves all nodes of `other` here.
    pub fn append(&mut self, other: &mut NodesByDepth) {
        for depth in take(&mut other.filled) {
            let mut nodes = take(&mut other.lists[depth as usize]);
            let list = self.list(depth);
            // The longer list stays where it is.
            if list.len() < nodes.len() {
                std::mem::swap(list, &mut nodes);
            }
            list.append(&mut nodes);
            self.filled.insert(depth);
        }
    }

    /// Removes nodes that were added twice.
    pub fn remove_duplicates(&mut self) {
        for depth in &self.filled {
            let list = &mut self.lists[*depth as usize];
            list.sort_unstable();
            list.dedup();
        }
    }

    fn list(&mut self, depth: u32) -> &mut Vec<NodeId> {
        let depth = depth as usize;
        if depth >= self.lists.len() {
            self.lists.resize_with(depth + 1, Vec::new);
        }
        &mut self.lists[depth]
    }
}
