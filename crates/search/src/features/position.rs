//! Features 13 to 16, 18 and 27: those that depend on the position of a branch on the path.

use super::{Feature, FeatureSet};
use cairn_program::BranchId;
use std::ops::Range;

/// Divisor of the first and last part of a path.
const TENTH: usize = 10;
/// Divisor of the part around the negated branch.
const FIFTH: usize = 5;

/// The positions of a path, and the branches at them.
#[derive(Clone, Default, Debug)]
pub(crate) struct PathPositions {
    len: usize,
    /// Position of the branch that the run has negated: there it took the other side.
    negated: Option<usize>,
    near: Range<usize>,
    /// By branch of the program: number of its occurrences on the path.
    counts: Vec<u32>,
    max_count: u32,
    min_count: u32,
}

impl PathPositions {
    /// Replaces the path by that of a new run, with the position it negated. `before` is the path of the
    /// previous call.
    pub fn update(
        &mut self,
        before: &[BranchId],
        path: &[BranchId],
        negated: Option<usize>,
        branches: usize,
    ) {
        self.counts.resize(branches, 0);
        before.iter().for_each(|branch| self.counts[branch.0 as usize] = 0);
        path.iter().for_each(|branch| self.counts[branch.0 as usize] += 1);
        let counts = || path.iter().map(|branch| self.counts[branch.0 as usize]);
        (self.max_count, self.min_count) = (counts().max().unwrap_or(0), counts().min().unwrap_or(0));
        self.len = path.len();
        self.negated = negated;
        let reach = self.len / FIFTH;
        self.near = negated.map_or(0..0, |at| at.saturating_sub(reach)..at + reach + 1);
    }

    /// Returns the features of a position and the branch at it.
    pub fn features(&self, position: usize, branch: BranchId) -> FeatureSet {
        let count = self.counts[branch.0 as usize];
        let mut features = FeatureSet::default();
        features.set(Feature::FirstTenth, position * TENTH < self.len);
        features.set(Feature::LastTenth, (self.len - 1 - position) * TENTH < self.len);
        features.set(Feature::MostFrequent, count == self.max_count);
        features.set(Feature::LeastFrequent, count == self.min_count);
        features.set(Feature::AfterNegated, self.negated.is_some_and(|negated| position == negated + 1));
        features.set(Feature::NearNegated, self.near.contains(&position));
        features
    }
}
