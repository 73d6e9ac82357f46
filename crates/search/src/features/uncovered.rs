//! Features 30 and 31: the opposite is uncovered, and so is everything that may come next after it.

use super::{BranchFeatures, Feature};
use cairn_program::{BranchId, Program, Steps};

/// The predecessors of each branch.
#[derive(Clone, Debug)]
pub(super) struct Uncovered {
    before: Vec<Vec<BranchId>>,
}

impl Uncovered {
    /// Creates the state in which nothing is covered. Branches outside user code are no target.
    pub fn new(program: &Program, steps: &Steps, branch_features: &mut BranchFeatures) -> Uncovered {
        let mut before = vec![Vec::new(); program.branch_count() as usize];
        for branch in (0..program.branch_count()).map(BranchId).filter(|b| program.is_counted(*b)) {
            branch_features.opposite(branch).insert(Feature::OppositeUncovered);
            branch_features.opposite(branch).insert(Feature::OppositeNextUncovered);
            steps.next(branch).iter().for_each(|next| before[next.0 as usize].push(branch));
        }
        Uncovered { before }
    }

    /// Records that a branch was covered.
    pub fn cover(&self, branch: BranchId, branch_features: &mut BranchFeatures) {
        branch_features.opposite(branch).remove(Feature::OppositeUncovered);
        branch_features.opposite(branch).remove(Feature::OppositeNextUncovered);
        for &before in &self.before[branch.0 as usize] {
            branch_features.opposite(before).remove(Feature::OppositeNextUncovered);
        }
    }
}
