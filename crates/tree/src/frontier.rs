//! The untried flips, in order of discovery.
//!
//! A flip that is tried stays in the list until more than half of it is stale; then one pass throws
//! the stale ones out. So adding and removing cost amortised constant time, a random pick two draws
//! on average, and no flip needs to know its place, which would cost four bytes for every side.

use crate::step::Flip;

/// The list.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frontier {
    flips: Vec<Flip>,
    live: usize,
}

impl Frontier {
    pub fn add(&mut self, flip: Flip) {
        self.flips.push(flip);
        self.live += 1;
    }

    /// One flip is untried no more; `is_live` tells of each whether it still is.
    pub fn removed_one(&mut self, is_live: impl Fn(Flip) -> bool) {
        self.live -= 1;
        if self.live < self.flips.len() / 2 {
            self.flips.retain(|flip| is_live(*flip));
        }
    }

    pub fn len(&self) -> usize {
        self.live
    }

    /// A uniformly random live flip; `below(n)` draws a number below `n`.
    pub fn pick(
        &self,
        mut below: impl FnMut(usize) -> usize,
        is_live: impl Fn(Flip) -> bool,
    ) -> Option<Flip> {
        if self.live == 0 {
            return None;
        }
        loop {
            let flip = self.flips[below(self.flips.len())];
            if is_live(flip) {
                return Some(flip);
            }
        }
    }

    /// All flips in the list, stale ones included.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = Flip> + '_ {
        self.flips.iter().copied()
    }
}
