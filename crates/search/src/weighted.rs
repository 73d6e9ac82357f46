//! Random choice of flips, with probability proportional to a weight that mostly falls as the search goes on.
//!
//! A flip is in the bucket of the smallest power of two that its weight, when last computed, did not exceed.
//! To draw, a bucket is chosen in proportion to the maximum total weight of its flips, then one of its flips
//! uniformly, and that one is accepted with probability weight / power of two (rejection sampling): exact,
//! however old the buckets are. A rejected flip that has become too light moves down. So weights are computed
//! only for drawn flips, and for all flips only when weights have risen, which is rare.
//!
//! Cost: constant time to add, and amortised to draw; eight bytes per flip.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_tree::{Flip, FlipState, Tree};
use rustc_hash::FxHashSet;

/// Exponent of the lowest bucket: weights are between 2^MIN_EXPONENT and 2^(MIN_EXPONENT + BUCKETS - 1).
const MIN_EXPONENT: i32 = -64;
const BUCKETS: usize = 128;

/// Flips in buckets by weight.
#[derive(Clone, Debug)]
pub(crate) struct WeightedFlips {
    buckets: Vec<Vec<Flip>>,
}

impl Default for WeightedFlips {
    fn default() -> WeightedFlips {
        WeightedFlips { buckets: vec![Vec::new(); BUCKETS] }
    }
}

impl WeightedFlips {
    /// Adds a flip with its current weight.
    pub fn add(&mut self, flip: Flip, weight: f64) {
        self.buckets[bucket_of(weight)].push(flip);
    }

    /// Recomputes the weights of all flips, after some may have risen.
    pub fn reweigh(&mut self, tree: &Tree, weight: impl Fn(Flip) -> f64) {
        let flips: Vec<Flip> = self.buckets.iter_mut().flat_map(|bucket| bucket.drain(..)).collect();
        for flip in flips.into_iter().filter(|flip| tree.state(*flip) == FlipState::Untried) {
            self.add(flip, weight(flip));
        }
    }

    /// Adds flips that are about to be resumed, with their weights; those still present are not duplicated.
    pub fn resume(&mut self, flips: &[Flip], weight: impl Fn(Flip) -> f64) {
        // They are few compared to all flips; a tree lookup for each of those would take far longer.
        let resumed: FxHashSet<Flip> = flips.iter().copied().collect();
        for bucket in &mut self.buckets {
            bucket.retain(|flip| !resumed.contains(flip));
        }
        flips.iter().for_each(|flip| self.add(*flip, weight(*flip)));
    }

    /// Draws an untried flip and removes it; `None` if there is none.
    pub fn draw(&mut self, tree: &Tree, rng: &mut Rng, weight: impl Fn(Flip) -> f64) -> Option<Flip> {
        loop {
            let bucket = self.choose_bucket(rng)?;
            let flips = &mut self.buckets[bucket];
            let index = rng.below(flips.len());
            let flip = flips[index];
            if tree.state(flip) != FlipState::Untried {
                flips.swap_remove(index);
                continue;
            }
            let now = weight(flip);
            if rng.unit() * max_weight(bucket) < now {
                flips.swap_remove(index);
                return Some(flip);
            }
            if bucket_of(now) < bucket {
                flips.swap_remove(index);
                self.add(flip, now);
            }
        }
    }

    fn choose_bucket(&self, rng: &mut Rng) -> Option<usize> {
        let share = |bucket: usize| self.buckets[bucket].len() as f64 * max_weight(bucket);
        let filled = || (0..BUCKETS).rev().filter(|bucket| !self.buckets[*bucket].is_empty());
        let mut left = rng.unit() * filled().map(share).sum::<f64>();
        let chosen = filled().find(|bucket| {
            left -= share(*bucket);
            left < 0.0
        });
        // Rounding may leave a small rest.
        chosen.or_else(|| filled().next_back())
    }
}

/// Returns the maximum weight of a flip in this bucket.
fn max_weight(bucket: usize) -> f64 {
    f64::from(bucket as i32 + MIN_EXPONENT).exp2()
}

fn bucket_of(weight: f64) -> usize {
    (weight.log2().ceil() as i32 - MIN_EXPONENT).clamp(0, BUCKETS as i32 - 1) as usize
}

/// The weight of flips, by which [`WeightedRandom`] draws.
pub(crate) trait FlipWeight: Send {
    /// Updates the weights after a run; true if weights may have risen.
    fn on_run(&mut self, run: &RunView) -> bool;

    /// Returns the current weight of a flip.
    fn weight(&self, tree: &Tree, flip: Flip) -> f64;

    /// True if it reads the callees of calls through pointers.
    fn wants_callees(&self) -> bool {
        false
    }

    /// Returns the strategy in one line.
    fn describe(&self) -> &'static str;
}

/// A strategy that draws flips in proportion to their weights.
pub(crate) struct WeightedRandom<W> {
    weights: W,
    flips: WeightedFlips,
}

impl<W: FlipWeight> WeightedRandom<W> {
    pub fn new(weights: W) -> WeightedRandom<W> {
        WeightedRandom { weights, flips: WeightedFlips::default() }
    }
}

impl<W: FlipWeight> Strategy for WeightedRandom<W> {
    fn on_run(&mut self, run: &RunView) {
        if self.weights.on_run(run) {
            self.flips.reweigh(run.tree, |flip| self.weights.weight(run.tree, flip));
        }
        for flip in run.new_flips() {
            self.flips.add(flip, self.weights.weight(run.tree, flip));
        }
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        let flip = self.flips.draw(tree, rng, |flip| self.weights.weight(tree, flip));
        flip.map_or(Next::Done, |flip| Next::flip(tree, flip))
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn wants_callees(&self) -> bool {
        self.weights.wants_callees()
    }

    fn on_resumed(&mut self, tree: &Tree, flips: &[Flip]) {
        self.flips.resume(flips, |flip| self.weights.weight(tree, flip));
    }

    fn renews_input(&self) -> bool {
        true
    }

    fn describe(&self) -> String {
        self.weights.describe().to_owned()
    }
}
