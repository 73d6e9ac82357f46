//! Features 30 and 31: whether the opposite is uncovered, and all that may come next behind it.

use super::{Feature, Sheet};
use cairn_program::{BranchId, Program, Steps};

/// Which branches come before which.
#[derive(Clone, Debug)]
pub(super) struct Uncovered {
    before: Vec<Vec<BranchId>>,
}

impl Uncovered {
    /// Nothing is covered. Branches that are not the user's are no goal.
    pub fn new(program: &Program, steps: &Steps, sheet: &mut Sheet) -> Uncovered {
        let mut before = vec![Vec::new(); program.branch_count() as usize];
        for branch in (0..program.branch_count()).map(BranchId).filter(|b| program.is_counted(*b)) {
            sheet.opposite(branch).insert(Feature::OppositeUncovered);
            sheet.opposite(branch).insert(Feature::OppositeNextUncovered);
            steps.next(branch).iter().for_each(|next| before[next.0 as usize].push(branch));
        }
        Uncovered { before }
    }

    /// A branch was covered.
    pub fn cover(&self, branch: BranchId, sheet: &mut Sheet) {
        sheet.opposite(branch).remove(Feature::OppositeUncovered);
        sheet.opposite(branch).remove(Feature::OppositeNextUncovered);
        for &before in &self.before[branch.0 as usize] {
            sheet.opposite(before).remove(Feature::OppositeNextUncovered);
        }
    }
}
