//! The forty features of a branch on a path.
//!
//! S. Cha, S. Hong, J. Lee, H. Oh: Automatically Generating Search Heuristics for Concolic Testing, ICSE
//! 2018, table 1, as the paper defines them. Each is a predicate on a branch `b` that a run took, its
//! position on the path, and its opposite, the side that would be taken instead.
//!
//! Features are maintained incrementally. Those of a branch wherever it occurs are in [`BranchFeatures`] and
//! change by events (a branch is covered or negated, a function reached). Those that depend on the position
//! are computed in one pass over the path. A set is a word of bits, so that combining the features of a
//! branch takes a few operations.

mod catalogue;
mod contexts;
mod functions;
mod negations;
mod position;
mod set;
mod statics;
mod uncovered;

pub use catalogue::Feature;
pub use set::FeatureSet;

use cairn_program::{BranchId, Program, Steps};
pub(crate) use contexts::BranchContexts;
use functions::Functions;
use negations::Negations;
pub(crate) use position::PathPositions;
use uncovered::Uncovered;

/// The position-independent features of each branch.
#[derive(Clone, Debug)]
pub(crate) struct BranchFeatures {
    /// Features of a branch where it was taken.
    own: Vec<FeatureSet>,
    /// Features that a branch contributes as the opposite of another.
    opposite: Vec<FeatureSet>,
}

impl BranchFeatures {
    fn own(&mut self, branch: BranchId) -> &mut FeatureSet {
        &mut self.own[branch.0 as usize]
    }

    fn opposite(&mut self, branch: BranchId) -> &mut FeatureSet {
        &mut self.opposite[branch.0 as usize]
    }
}

/// The position-independent features and the state they are derived from.
#[derive(Clone, Debug)]
pub(crate) struct Features {
    branch_features: BranchFeatures,
    uncovered: Uncovered,
    functions: Functions,
    negations: Negations,
    /// Branches that the last run covered first.
    newly_covered: Vec<BranchId>,
}

impl Features {
    /// Creates the features of a program that has not run.
    pub fn new(program: &Program) -> Features {
        let steps = Steps::new(program);
        let opposite = vec![FeatureSet::default(); program.branch_count() as usize];
        let mut branch_features = BranchFeatures { own: statics::of(program), opposite };
        Features {
            uncovered: Uncovered::new(program, &steps, &mut branch_features),
            functions: Functions::new(program, &steps, &mut branch_features),
            negations: Negations::new(program),
            newly_covered: Vec::new(),
            branch_features,
        }
    }

    /// Adds a run that covered these branches first, and may have negated a branch on purpose.
    pub fn add_run(&mut self, new_branches: &[BranchId], negated: Option<BranchId>) {
        for branch in std::mem::replace(&mut self.newly_covered, new_branches.to_vec()) {
            self.branch_features.own(branch).remove(Feature::NewlyCovered);
        }
        for &branch in new_branches {
            self.branch_features.own(branch).insert(Feature::NewlyCovered);
            self.uncovered.cover(branch, &mut self.branch_features);
        }
        self.functions.add_run(new_branches, &mut self.branch_features);
        self.negations.add_run(negated, &mut self.branch_features);
    }

    /// Records a failed attempt to negate a branch; true if that changes a feature, or makes the branch
    /// [`Features::is_hopeless`].
    pub fn fail(&mut self, branch: BranchId) -> bool {
        self.negations.fail(branch, &mut self.branch_features)
    }

    /// True if negating a branch has failed so often that it is not tried again.
    pub fn is_hopeless(&self, branch: BranchId) -> bool {
        self.negations.is_hopeless(branch)
    }

    /// Returns the features of a branch where it was taken.
    pub fn own(&self, branch: BranchId) -> FeatureSet {
        self.branch_features.own[branch.0 as usize]
    }

    /// Returns the features that a branch contributes as an opposite.
    pub fn opposite(&self, branch: BranchId) -> FeatureSet {
        self.branch_features.opposite[branch.0 as usize]
    }
}
