//! The ranges that weights are drawn from.

use oorandom::Rand64;
use std::sync::Arc;

/// A weight for each feature.
pub type Weights = Arc<[f64]>;

/// The range of the weight of one feature.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WeightRange {
    /// Minimum.
    pub low: f64,
    /// Maximum.
    pub high: f64,
}

impl WeightRange {
    /// Initial range of every weight; only signs and ratios of weights matter.
    pub const FULL: WeightRange = WeightRange { low: -10.0, high: 10.0 };

    fn draw(self, rng: &mut Rand64) -> f64 {
        self.low + rng.rand_float() * (self.high - self.low)
    }

    /// Draws a weight near another: the offset is the sum of three draws, and the result is clamped to the
    /// range.
    fn draw_near(self, weight: f64, rng: &mut Rand64) -> f64 {
        let off = (0..3).map(|_| rng.rand_float() - 0.5).sum::<f64>()
            * NEAR_SCALE
            * (WeightRange::FULL.high - WeightRange::FULL.low);
        (weight + off).clamp(self.low, self.high)
    }
}

/// Scale of the offset, as a share of the full range; the maximum offset is 1.5 times this.
const NEAR_SCALE: f64 = 0.3;

/// A range for each feature.
#[derive(Clone, PartialEq, Debug)]
pub struct WeightSpace {
    ranges: Vec<WeightRange>,
}

impl WeightSpace {
    /// Creates the space of all weights of so many features.
    pub fn full(features: usize) -> WeightSpace {
        WeightSpace { ranges: vec![WeightRange::FULL; features] }
    }

    /// Draws uniformly random weights.
    pub fn draw(&self, rng: &mut Rand64) -> Weights {
        self.ranges.iter().map(|range| range.draw(rng)).collect()
    }

    /// Draws random weights near others.
    pub fn draw_near(&self, weights: &[f64], rng: &mut Rand64) -> Weights {
        self.ranges.iter().zip(weights).map(|(range, weight)| range.draw_near(*weight, rng)).collect()
    }

    /// Returns the space in which the two best agree: the range of a feature with two positive weights starts
    /// at the smaller one, that of a feature with two negative weights ends at the larger one; all other
    /// ranges are full.
    pub fn refined(&self, best: &[f64], second: &[f64]) -> WeightSpace {
        let refine = |((range, &a), &b): ((&WeightRange, &f64), &f64)| match () {
            () if a > 0.0 && b > 0.0 => WeightRange { low: a.min(b), high: range.high },
            () if a < 0.0 && b < 0.0 => WeightRange { low: range.low, high: a.max(b) },
            () => WeightRange::FULL,
        };
        WeightSpace { ranges: self.ranges.iter().zip(best).zip(second).map(refine).collect() }
    }
}
