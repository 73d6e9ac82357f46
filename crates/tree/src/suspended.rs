//! Suspended flips: flips that a pruning strategy took out of the frontier until they are resumed.
//!
//! The nodes hold the state; one bit per block of nodes says in which blocks to search.

use crate::nodes::{BLOCK, OtherSides};
use crate::state::FlipState;
use crate::step::Flip;
use crate::tree::Tree;

/// Number of suspended flips, and the blocks they are in.
#[derive(Clone, Debug, Default)]
pub(crate) struct SuspendedFlips {
    pub count: usize,
    /// A bit per block that has, or had, a suspended flip.
    blocks: Vec<u64>,
}

impl SuspendedFlips {
    fn mark(&mut self, block: usize) {
        let word = block / 64;
        if word >= self.blocks.len() {
            self.blocks.resize(word + 1, 0);
        }
        self.blocks[word] |= 1 << (block % 64);
    }

    fn marked(&self) -> impl Iterator<Item = usize> + '_ {
        let is_marked = |block: &usize| self.blocks[block / 64] >> (block % 64) & 1 != 0;
        (0..self.blocks.len() * 64).filter(is_marked)
    }

    pub fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<u64>()
    }
}

impl Tree {
    /// Suspends an untried flip: it leaves the frontier until it is resumed. Flips in other states are
    /// unchanged.
    pub fn suspend(&mut self, flip: Flip) {
        if self.state(flip) == FlipState::Untried {
            self.change_state(flip, FlipState::Suspended);
            self.decrement_pending(self.creator(flip.node));
            self.suspended.mark(flip.node.index() / BLOCK);
        }
    }

    /// Returns a suspended flip to the frontier. Flips in other states are unchanged.
    pub fn resume(&mut self, flip: Flip) {
        if self.state(flip) != FlipState::Suspended {
            return;
        }
        match self.nodes.get(flip.node).others() {
            OtherSides::Many => self.changed.forget(flip),
            OtherSides::One(_) | OtherSides::None => self.nodes.set_other(flip.node, FlipState::Untried),
        }
        self.untried.add(flip.node.index() / BLOCK, 1);
        self.increment_pending(self.creator(flip.node));
        self.suspended.count -= 1;
        if self.suspended.count == 0 {
            self.suspended.blocks.clear();
        }
    }

    /// Returns the number of suspended flips.
    pub fn suspended(&self) -> usize {
        self.suspended.count
    }

    /// Returns the suspended flips in order of discovery.
    pub fn suspended_flips(&self) -> impl Iterator<Item = Flip> + '_ {
        let nodes = self.suspended.marked().flat_map(|block| self.nodes.ids_in_block(block));
        let sides = nodes.flat_map(|node| self.sides(node));
        sides.filter(|(_, state)| *state == FlipState::Suspended).map(|(flip, _)| flip)
    }
}
