//! Suspending and resuming flips.

use crate::nodes::{BLOCK, OtherSides};
use crate::state::FlipState;
use crate::step::Flip;
use crate::tree::Tree;

impl Tree {
    /// Suspends an untried flip: it leaves the frontier until it is resumed. Flips in other states are
    /// unchanged.
    pub fn suspend(&mut self, flip: Flip) {
        if self.state(flip) == FlipState::Untried {
            self.change_state(flip, FlipState::Suspended);
            self.decrement_pending(flip.node);
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
        self.pending.increment(self.creator(flip.node), &self.runs, &self.nodes);
        self.suspended.subtract_one();
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
