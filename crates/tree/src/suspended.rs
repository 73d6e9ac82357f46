//! Suspended flips: flips that a pruning strategy took out of the frontier until they are resumed.
//!
//! The nodes hold the state; one bit per block of nodes says in which blocks to search.

/// Number of suspended flips, and the blocks they are in.
#[derive(Clone, Debug, Default)]
pub(crate) struct SuspendedFlips {
    pub count: usize,
    /// A bit per block that has, or had, a suspended flip.
    blocks: Vec<u64>,
}

impl SuspendedFlips {
    /// Notes a suspended flip in a block.
    pub fn mark(&mut self, block: usize) {
        let word = block / 64;
        if word >= self.blocks.len() {
            self.blocks.resize(word + 1, 0);
        }
        self.blocks[word] |= 1 << (block % 64);
    }

    /// Returns the blocks that have, or had, a suspended flip.
    pub fn marked(&self) -> impl Iterator<Item = usize> + '_ {
        let is_marked = |block: &usize| self.blocks[block / 64] >> (block % 64) & 1 != 0;
        (0..self.blocks.len() * 64).filter(is_marked)
    }

    /// Subtracts a flip that was resumed.
    pub fn subtract_one(&mut self) {
        self.count -= 1;
        if self.count == 0 {
            self.blocks.clear();
        }
    }

    pub fn bytes(&self) -> usize {
        self.blocks.capacity() * size_of::<u64>()
    }
}
