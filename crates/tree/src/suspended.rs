//! Flips that are set aside: untried, but for a while nobody is to pick them.
//!
//! Which they are, their nodes say; a bit per block of nodes tells where to look.

use crate::nodes::{BLOCK, Others};
use crate::state::FlipState;
use crate::step::Flip;
use crate::tree::Tree;

/// What is set aside.
#[derive(Clone, Debug, Default)]
pub(crate) struct Suspended {
    pub count: usize,
    /// A bit for every block with something that is, or was, set aside.
    blocks: Vec<u64>,
}

impl Suspended {
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
    /// Sets an untried flip aside: it is not untried until it is resumed. Other flips stay what they are.
    pub fn suspend(&mut self, flip: Flip) {
        if self.state(flip) == FlipState::Untried {
            self.change_state(flip, FlipState::Suspended);
            self.less_pending(self.creator(flip.node));
            self.aside.mark(flip.node.index() / BLOCK);
        }
    }

    /// Makes a flip that was set aside untried again. Other flips stay what they are.
    pub fn resume(&mut self, flip: Flip) {
        if self.state(flip) != FlipState::Suspended {
            return;
        }
        match self.nodes.get(flip.node).others() {
            Others::Many => self.changed.forget(flip),
            Others::One(_) | Others::None => self.nodes.set_other(flip.node, FlipState::Untried),
        }
        self.untried.add(flip.node.index() / BLOCK, 1);
        self.more_pending(self.creator(flip.node));
        self.aside.count -= 1;
        if self.aside.count == 0 {
            self.aside.blocks.clear();
        }
    }

    /// How many flips are set aside.
    pub fn aside(&self) -> usize {
        self.aside.count
    }

    /// The flips that are set aside, in order of discovery.
    pub fn suspended_flips(&self) -> impl Iterator<Item = Flip> + '_ {
        let nodes = self.aside.marked().flat_map(|block| self.nodes.of_block(block));
        let sides = nodes.flat_map(|node| self.sides(node));
        sides.filter(|(_, state)| *state == FlipState::Suspended).map(|(flip, _)| flip)
    }
}
