//! Features 19 to 23: whether a branch was tried before, and in the same context.
//!
//! The k-context of a branch is the branch and the k - 1 symbolic branches before it on its path. Who was tried in a context
//! was tried in all shorter ones too, so one number tells all five.

use super::{Feature, FeatureSet};
use cairn_program::BranchId;
use rustc_hash::FxHashSet;

/// The features, by the length of the context.
const BY_LENGTH: [Feature; 5] =
    [Feature::Context1, Feature::Context2, Feature::Context3, Feature::Context4, Feature::Context5];
/// An odd number without pattern.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// All contexts in which branches were tried.
#[derive(Clone, Default, Debug)]
pub(crate) struct Contexts {
    /// As hashes.
    tried: FxHashSet<u64>,
}

impl Contexts {
    /// The features of the last of some branches.
    pub fn features(&self, path: &[BranchId]) -> FeatureSet {
        let known = contexts(path).take_while(|context| self.tried.contains(context));
        BY_LENGTH.into_iter().zip(known).map(|(feature, _)| feature).collect()
    }

    /// The last of some branches is tried. Whether one of its contexts is new.
    pub fn add(&mut self, path: &[BranchId]) -> bool {
        // The longest is new if any is.
        contexts(path).fold(false, |_, context| self.tried.insert(context))
    }
}

/// The contexts of the last branch, the shortest first, as hashes. Before the first branch there is nothing, and nothing
/// before that.
fn contexts(path: &[BranchId]) -> impl Iterator<Item = u64> + '_ {
    let before = path.iter().rev().map(|branch| u64::from(branch.0) + 1).chain(std::iter::repeat(0));
    let join = |hash: &mut u64, branch: u64| {
        *hash = (hash.rotate_left(23) ^ branch).wrapping_mul(MIX);
        *hash ^= *hash >> 32;
        Some(*hash)
    };
    before.take(BY_LENGTH.len()).scan(MIX, join)
}
