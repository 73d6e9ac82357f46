//! The weights there are to draw from.

use oorandom::Rand64;
use std::sync::Arc;

/// A weight for each feature.
pub type Weights = Arc<[f64]>;

/// Where the weight of one feature is drawn from.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Range {
    /// The least.
    pub low: f64,
    /// The greatest.
    pub high: f64,
}

impl Range {
    /// Where every weight comes from at first; only signs and ratios of weights matter.
    pub const FULL: Range = Range { low: -10.0, high: 10.0 };

    fn draw(self, rng: &mut Rand64) -> f64 {
        self.low + rng.rand_float() * (self.high - self.low)
    }

    /// Somewhere near a weight: off by the sum of three draws, brought back into the range.
    fn draw_near(self, weight: f64, rng: &mut Rand64) -> f64 {
        let off =
            (0..3).map(|_| rng.rand_float() - 0.5).sum::<f64>() * NEAR * (Range::FULL.high - Range::FULL.low);
        (weight + off).clamp(self.low, self.high)
    }
}

/// How far off a weight near another may be, as a share of the full range, times 1.5.
const NEAR: f64 = 0.3;

/// A range for each feature.
#[derive(Clone, PartialEq, Debug)]
pub struct Space {
    ranges: Vec<Range>,
}

impl Space {
    /// All weights of so many features.
    pub fn full(features: usize) -> Space {
        Space { ranges: vec![Range::FULL; features] }
    }

    /// Uniformly random weights.
    pub fn draw(&self, rng: &mut Rand64) -> Weights {
        self.ranges.iter().map(|range| range.draw(rng)).collect()
    }

    /// Random weights near others.
    pub fn draw_near(&self, weights: &[f64], rng: &mut Rand64) -> Weights {
        self.ranges.iter().zip(weights).map(|(range, weight)| range.draw_near(*weight, rng)).collect()
    }

    /// The space in which the two best agree: a feature both like is liked at least as much as the one does that likes it
    /// less, a feature both dislike likewise; on other features nothing is known.
    pub fn refined(&self, best: &[f64], second: &[f64]) -> Space {
        let refine = |((range, &a), &b): ((&Range, &f64), &f64)| match () {
            () if a > 0.0 && b > 0.0 => Range { low: a.min(b), high: range.high },
            () if a < 0.0 && b < 0.0 => Range { low: range.low, high: a.max(b) },
            () => Range::FULL,
        };
        Space { ranges: self.ranges.iter().zip(best).zip(second).map(refine).collect() }
    }
}
