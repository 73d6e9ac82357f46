//! Features 13 to 16, 18 and 27: what follows from where a branch is on the path.

use super::{Feature, FeatureSet};
use cairn_program::BranchId;
use std::ops::Range;

/// A part of so many is a tenth.
const TENTH: usize = 10;
/// A part of so many is a fifth.
const FIFTH: usize = 5;

/// The places of a path and the branches at them.
#[derive(Clone, Default, Debug)]
pub(crate) struct Places {
    len: usize,
    /// Place of the branch that the run has just negated: there it took the other side.
    negated: Option<usize>,
    near: Range<usize>,
    /// How often each branch of the program is on the path.
    counts: Vec<u32>,
    most: u32,
    least: u32,
}

impl Places {
    /// Those of a path that has just been run, and where it took the other side on purpose. `before` is the path that it
    /// was told of last.
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
        (self.most, self.least) = (counts().max().unwrap_or(0), counts().min().unwrap_or(0));
        self.len = path.len();
        self.negated = negated;
        let reach = self.len / FIFTH;
        self.near = negated.map_or(0..0, |at| at.saturating_sub(reach)..at + reach + 1);
    }

    /// The features of a place and the branch at it.
    pub fn features(&self, place: usize, branch: BranchId) -> FeatureSet {
        let count = self.counts[branch.0 as usize];
        let mut features = FeatureSet::default();
        features.set(Feature::FirstTenth, place * TENTH < self.len);
        features.set(Feature::LastTenth, (self.len - 1 - place) * TENTH < self.len);
        features.set(Feature::MostFrequent, count == self.most);
        features.set(Feature::LeastFrequent, count == self.least);
        features.set(Feature::AfterNegated, self.negated.is_some_and(|negated| place == negated + 1));
        features.set(Feature::NearNegated, self.near.contains(&place));
        features
    }
}
