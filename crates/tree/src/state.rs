//! The states of flips.
//!
//! The side that a node's first run took needs no state, and the state of a single other side fits into the
//! node's word. Of the many sides of a wide switch few ever leave their initial state: only those are stored
//! here.

use crate::step::{Flip, NodeId};
use rustc_hash::FxHashMap;

/// The state of a flip.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FlipState {
    /// Never tried.
    Untried,
    /// A run took the side.
    Sat,
    /// Proved infeasible: no input takes the side.
    Unsat,
    /// The solver gave up.
    Unknown,
    /// The run on its solved input diverged.
    Diverged,
    /// Never tried, and out of the frontier until it is resumed.
    Suspended,
}

/// States of nodes with more than two sides that differ from the initial state.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChangedStates {
    /// By node, sorted by side.
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

    /// Resets a side to its initial state.
    pub fn forget(&mut self, flip: Flip) {
        let Some(changes) = self.changes.get_mut(&flip.node) else { return };
        changes.retain(|(side, _)| *side != flip.side);
    }

    /// Returns all stored states.
    pub fn all(&self) -> impl Iterator<Item = (Flip, FlipState)> + '_ {
        self.changes.iter().flat_map(|(node, sides)| {
            sides.iter().map(|(side, state)| (Flip { node: *node, side: *side }, *state))
        })
    }

    /// Returns the number of sides of a node that left their initial state.
    pub fn count(&self, node: NodeId) -> usize {
        self.changes.get(&node).map_or(0, Vec::len)
    }

    pub fn bytes(&self) -> usize {
        self.bytes + self.changes.capacity() * size_of::<(NodeId, Vec<(u32, FlipState)>)>()
    }
}
