//! Features 24 to 26, 28, 29 and 32 to 34: how often, how lately and how vainly a branch was negated.
//!
//! A branch is negated when a run takes the other side on purpose. Every other end of a try is a failure.

use super::{Feature, Sheet};
use cairn_program::{BranchId, Program};
use std::collections::VecDeque;

/// Negations that make a branch an often negated one.
const OFTEN: [(u32, Feature); 3] =
    [(10, Feature::Negated10), (20, Feature::Negated20), (30, Feature::Negated30)];
/// Runs for which a negation is a late one, the longest last.
const LATELY: [(u32, Feature); 3] =
    [(10, Feature::Lately10), (20, Feature::Lately20), (30, Feature::Lately30)];
/// Failures that a branch may have before it is one that fails.
const FAILURES: u32 = 10;
/// Failures that a branch may have before it is given up.
const HOPELESS: u32 = 70;

/// What was tried of each branch.
#[derive(Clone, Debug)]
pub(super) struct Negations {
    negated: Vec<u32>,
    failed: Vec<u32>,
    /// The last run that negated it.
    last: Vec<u32>,
    /// What the last runs negated, the latest last.
    late: VecDeque<Option<BranchId>>,
    runs: u32,
}

impl Negations {
    /// Nothing was tried.
    pub fn new(program: &Program) -> Negations {
        let none = vec![0; program.branch_count() as usize];
        Negations { negated: none.clone(), failed: none.clone(), last: none, late: VecDeque::new(), runs: 0 }
    }

    /// A run was made, and perhaps negated a branch.
    pub fn add_run(&mut self, negated: Option<BranchId>, sheet: &mut Sheet) {
        self.runs += 1;
        self.late.push_back(negated);
        if let Some(branch) = negated {
            self.negate(branch, sheet);
        }
        self.forget(sheet);
    }

    fn negate(&mut self, branch: BranchId, sheet: &mut Sheet) {
        let at = branch.0 as usize;
        self.negated[at] += 1;
        self.last[at] = self.runs;
        for (least, feature) in OFTEN {
            sheet.own(branch).set(feature, self.negated[at] > least);
        }
        LATELY.iter().for_each(|(_, feature)| sheet.own(branch).insert(*feature));
    }

    /// What was negated just too long ago is negated lately no more, unless it was again.
    fn forget(&mut self, sheet: &mut Sheet) {
        for (runs, feature) in LATELY {
            let Some(place) = self.late.len().checked_sub(runs as usize + 1) else { break };
            if let Some(branch) = self.late[place]
                && self.runs - self.last[branch.0 as usize] >= runs
            {
                sheet.own(branch).remove(feature);
            }
        }
        if self.late.len() > LATELY[2].0 as usize {
            self.late.pop_front();
        }
    }

    /// A try to negate a branch has failed. Whether that makes it another kind of branch.
    pub fn fail(&mut self, branch: BranchId, sheet: &mut Sheet) -> bool {
        let failed = &mut self.failed[branch.0 as usize];
        *failed += 1;
        if *failed > FAILURES {
            sheet.own(branch).insert(Feature::Failed);
            sheet.opposite(branch).insert(Feature::OppositeFailed);
        }
        [FAILURES + 1, HOPELESS + 1].contains(failed)
    }

    /// Whether a branch has failed too often.
    pub fn is_hopeless(&self, branch: BranchId) -> bool {
        self.failed[branch.0 as usize] > HOPELESS
    }
}
