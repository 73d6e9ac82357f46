//! What became of a side, and the states of nodes with many sides.
//!
//! The side that a node's first run took needs no state, and that of one other side fits into the node. Of the
//! many sides of a wide switch few ever change their state: only those are kept.

use crate::step::{Flip, NodeId};
use rustc_hash::FxHashMap;

/// What became of a side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FlipState {
    /// Nobody has tried to take it.
    Untried,
    /// A run took it.
    Sat,
    /// No input takes it.
    Unsat,
    /// The solver gave up on it.
    Unknown,
    /// A run was made to take it and went elsewhere.
    Diverged,
    /// Nobody has tried to take it, and for a while nobody shall.
    Suspended,
}

/// The states that are not what they were when the node was made.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChangedStates {
    /// By node, in order of sides.
    changes: FxHashMap<NodeId, Vec<(u32, FlipState)>>,
    bytes: usize,
}

impl ChangedStates {
    pub fn get(&self, flip: Flip) -> Option<FlipState> {
        let changes = self.changes.get(&flip.node)?;
        let at = changes.binary_search_by_key(&flip.side, |change| change.0).ok()?;
        Some(changes[at].1)
    }

    pub fn set(&mut self, flip: Flip, state: FlipState) {
        let changes = self.changes.entry(flip.node).or_default();
        let before = changes.capacity();
        match changes.binary_search_by_key(&flip.side, |change| change.0) {
            Ok(at) => changes[at].1 = state,
            Err(at) => changes.insert(at, (flip.side, state)),
        }
        self.bytes += (changes.capacity() - before) * size_of::<(u32, FlipState)>();
    }

    /// A side is again what it was when the node was made.
    pub fn forget(&mut self, flip: Flip) {
        let Some(changes) = self.changes.get_mut(&flip.node) else { return };
        changes.retain(|(side, _)| *side != flip.side);
    }

    /// All changes.
    pub fn all(&self) -> impl Iterator<Item = (Flip, FlipState)> + '_ {
        self.changes.iter().flat_map(|(node, sides)| {
            sides.iter().map(|(side, state)| (Flip { node: *node, side: *side }, *state))
        })
    }

    /// How many sides of a node have changed.
    pub fn count(&self, node: NodeId) -> usize {
        self.changes.get(&node).map_or(0, Vec::len)
    }

    pub fn bytes(&self) -> usize {
        self.bytes + self.changes.capacity() * size_of::<(NodeId, Vec<(u32, FlipState)>)>()
    }
}
