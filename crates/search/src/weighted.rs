//! Flips drawn with probability proportional to a weight that falls as the search goes on.
//!
//! A flip lies in the bucket of the least power of two that its weight, when last looked at, did not exceed. To draw, a
//! bucket is chosen by how much its flips could weigh at most, then one of them uniformly, and that one is taken with the
//! probability its present weight has of that power: exact, however old the buckets are. One that is not taken and
//! has become too light moves down. So weights are computed for flips that are drawn, and for all only where weights have
//! risen, which is rare.
//!
//! Cost: constant time to add, and amortised to draw; eight bytes per flip.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_tree::{Flip, FlipState, Tree};
use rustc_hash::FxHashSet;

/// Weights are between 2^LEAST and 2^(LEAST + BUCKETS - 1).
const LEAST: i32 = -64;
const BUCKETS: usize = 128;

/// The bag of flips.
#[derive(Clone, Debug)]
pub(crate) struct Weighted {
    buckets: Vec<Vec<Flip>>,
}

impl Default for Weighted {
    fn default() -> Weighted {
        Weighted { buckets: vec![Vec::new(); BUCKETS] }
    }
}

impl Weighted {
    /// Adds a flip that weighs so much now.
    pub fn add(&mut self, flip: Flip, weight: f64) {
        self.buckets[bucket_of(weight)].push(flip);
    }

    /// Flips may weigh more than when they were looked at last: looks at all.
    pub fn weigh_again(&mut self, tree: &Tree, weight: impl Fn(Flip) -> f64) {
        let flips: Vec<Flip> = self.buckets.iter_mut().flat_map(|bucket| bucket.drain(..)).collect();
        for flip in flips.into_iter().filter(|flip| tree.state(*flip) == FlipState::Untried) {
            self.add(flip, weight(flip));
        }
    }

    /// Adds flips that are about to be untried again, each with its weight; those still in the bag only once.
    pub fn resume(&mut self, flips: &[Flip], weight: impl Fn(Flip) -> f64) {
        // They are few beside all there are, and asking the tree for each of these takes far longer.
        let resumed: FxHashSet<Flip> = flips.iter().copied().collect();
        for bucket in &mut self.buckets {
            bucket.retain(|flip| !resumed.contains(flip));
        }
        flips.iter().for_each(|flip| self.add(*flip, weight(*flip)));
    }

    /// Draws an untried flip and takes it out; none if there is none.
    pub fn draw(&mut self, tree: &Tree, rng: &mut Rng, weight: impl Fn(Flip) -> f64) -> Option<Flip> {
        loop {
            let bucket = self.choose_bucket(rng)?;
            let flips = &mut self.buckets[bucket];
            let place = rng.below(flips.len());
            let flip = flips[place];
            if tree.state(flip) != FlipState::Untried {
                flips.swap_remove(place);
                continue;
            }
            let now = weight(flip);
            if rng.unit() * most(bucket) < now {
                flips.swap_remove(place);
                return Some(flip);
            }
            if bucket_of(now) < bucket {
                flips.swap_remove(place);
                self.add(flip, now);
            }
        }
    }

    fn choose_bucket(&self, rng: &mut Rng) -> Option<usize> {
        let share = |bucket: usize| self.buckets[bucket].len() as f64 * most(bucket);
        let full = || (0..BUCKETS).rev().filter(|bucket| !self.buckets[*bucket].is_empty());
        let mut left = rng.unit() * full().map(share).sum::<f64>();
        let chosen = full().find(|bucket| {
            left -= share(*bucket);
            left < 0.0
        });
        // Rounding may leave a trifle.
        chosen.or_else(|| full().next_back())
    }
}

/// The most that a flip in this bucket may weigh.
fn most(bucket: usize) -> f64 {
    f64::from(bucket as i32 + LEAST).exp2()
}

fn bucket_of(weight: f64) -> usize {
    (weight.log2().ceil() as i32 - LEAST).clamp(0, BUCKETS as i32 - 1) as usize
}

/// What flips weigh.
pub(crate) trait Weigh: Send {
    /// A run was made. True if flips may now weigh more than before.
    fn see(&mut self, run: &RunView) -> bool;

    /// What a flip weighs now.
    fn weight(&self, tree: &Tree, flip: Flip) -> f64;

    /// Whether it wants to know where calls through pointers lead.
    fn wants_callees(&self) -> bool {
        false
    }

    /// The strategy in one line.
    fn describe(&self) -> &'static str;
}

/// A strategy that draws flips by their weights and no more than that.
pub(crate) struct ByWeight<W> {
    weigh: W,
    flips: Weighted,
}

impl<W: Weigh> ByWeight<W> {
    pub fn new(weigh: W) -> ByWeight<W> {
        ByWeight { weigh, flips: Weighted::default() }
    }
}

impl<W: Weigh> Strategy for ByWeight<W> {
    fn on_run(&mut self, run: &RunView) {
        if self.weigh.see(run) {
            self.flips.weigh_again(run.tree, |flip| self.weigh.weight(run.tree, flip));
        }
        for flip in run.new_flips() {
            self.flips.add(flip, self.weigh.weight(run.tree, flip));
        }
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        let flip = self.flips.draw(tree, rng, |flip| self.weigh.weight(tree, flip));
        flip.map_or(Next::Done, |flip| Next::flip(tree, flip))
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn wants_callees(&self) -> bool {
        self.weigh.wants_callees()
    }

    fn on_resumed(&mut self, tree: &Tree, flips: &[Flip]) {
        self.flips.resume(flips, |flip| self.weigh.weight(tree, flip));
    }

    fn renews_input(&self) -> bool {
        true
    }

    fn describe(&self) -> String {
        self.weigh.describe().to_owned()
    }
}
