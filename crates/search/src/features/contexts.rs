//! Features 19 to 23: previous attempts at a branch, by context.
//!
//! The k-context of a branch is the branch and the k - 1 symbolic branches before it on its path. A branch
//! tried in a context was tried in all shorter ones too, so one number gives all five features.

use super::{Feature, FeatureSet};
use cairn_program::BranchId;
use rustc_hash::FxHashSet;

/// Features by the length of the context.
const BY_LENGTH: [Feature; 5] =
    [Feature::Context1, Feature::Context2, Feature::Context3, Feature::Context4, Feature::Context5];
/// An odd 64-bit constant without pattern (2^64 divided by the golden ratio).
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// The contexts in which branches were tried.
#[derive(Clone, Default, Debug)]
pub(crate) struct BranchContexts {
    /// Hashes of the contexts.
    tried: FxHashSet<u64>,
}

impl BranchContexts {
    /// Returns the features of the last branch of `path`.
    pub fn features(&self, path: &[BranchId]) -> FeatureSet {
        let known = contexts(path).take_while(|context| self.tried.contains(context));
        BY_LENGTH.into_iter().zip(known).map(|(feature, _)| feature).collect()
    }

    /// Records an attempt at the last branch of `path`; true if one of its contexts is new.
    pub fn add(&mut self, path: &[BranchId]) -> bool {
        // The longest is new if any is.
        contexts(path).fold(false, |_, context| self.tried.insert(context))
    }
}

/// Returns hashes of the contexts of the last branch, the shortest first. Positions before the first branch
/// count as empty.
fn contexts(path: &[BranchId]) -> impl Iterator<Item = u64> + '_ {
    let before = path.iter().rev().map(|branch| u64::from(branch.0) + 1).chain(std::iter::repeat(0));
    let join = |hash: &mut u64, branch: u64| {
        *hash = (hash.rotate_left(23) ^ branch).wrapping_mul(MIX);
        *hash ^= *hash >> 32;
        Some(*hash)
    };
    before.take(BY_LENGTH.len()).scan(MIX, join)
}
