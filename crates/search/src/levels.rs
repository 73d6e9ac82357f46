//! Flips by depth.

use crate::traits::RunView;
use cairn_tree::Flip;
use std::collections::VecDeque;

/// The flips that runs have shown, by the number of symbolic branches before them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Levels(Vec<VecDeque<Flip>>);

impl Levels {
    /// Adds the untried flips of the nodes that a run created; gives the least depth among them.
    pub fn add(&mut self, run: &RunView) -> Option<usize> {
        let mut least = None;
        for flip in run.new_flips() {
            let depth = run.tree.node(flip.node).depth as usize;
            if self.0.len() <= depth {
                self.0.resize_with(depth + 1, VecDeque::new);
            }
            self.0[depth].push_back(flip);
            least = least.or(Some(depth));
        }
        least
    }

    /// The flips at a depth, in order of discovery; none where no run has ever been.
    pub fn at(&mut self, depth: usize) -> Option<&mut VecDeque<Flip>> {
        self.0.get_mut(depth)
    }

    /// Puts a flip that was taken out back to its depth.
    pub fn put_back(&mut self, depth: usize, flip: Flip) {
        self.0[depth].push_back(flip);
    }

    /// Whether there is no flip at any depth.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(VecDeque::is_empty)
    }
}
