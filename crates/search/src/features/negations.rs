//! Features 24 to 26, 28, 29 and 32 to 34: number of negations of a branch, recent negations, and failures.
//!
//! A branch is negated when a run takes the other side on purpose. Every other outcome of an attempt is a
//! failure.

use super::{BranchFeatures, Feature};
use cairn_program::{BranchId, Program};
use std::collections::VecDeque;

/// Numbers of negations above which a branch counts as often negated.
const OFTEN: [(u32, Feature); 3] =
    [(10, Feature::Negated10), (20, Feature::Negated20), (30, Feature::Negated30)];
/// Numbers of runs for which a negation is recent, the longest last.
const RECENT: [(u32, Feature); 3] =
    [(10, Feature::Lately10), (20, Feature::Lately20), (30, Feature::Lately30)];
/// Number of failures above which a branch counts as failing.
const FAILING: u32 = 10;
/// Number of failures above which a branch is given up.
const HOPELESS: u32 = 70;

/// The attempts at each branch.
#[derive(Clone, Debug)]
pub(super) struct Negations {
    negated: Vec<u32>,
    failed: Vec<u32>,
    /// Last run that negated it.
    last: Vec<u32>,
    /// Branches negated by the last runs, the latest last.
    recent: VecDeque<Option<BranchId>>,
    runs: u32,
}

impl Negations {
    /// Creates the state before any attempt.
    pub fn new(program: &Program) -> Negations {
        let none = vec![0; program.branch_count() as usize];
        Negations {
            negated: none.clone(),
            failed: none.clone(),
            last: none,
            recent: VecDeque::new(),
            runs: 0,
        }
    }

    /// Adds a run, which may have negated a branch.
    pub fn add_run(&mut self, negated: Option<BranchId>, branch_features: &mut BranchFeatures) {
        self.runs += 1;
        self.recent.push_back(negated);
        if let Some(branch) = negated {
            self.negate(branch, branch_features);
        }
        self.expire(branch_features);
    }

    fn negate(&mut self, branch: BranchId, branch_features: &mut BranchFeatures) {
        let at = branch.0 as usize;
        self.negated[at] += 1;
        self.last[at] = self.runs;
        for (least, feature) in OFTEN {
            branch_features.own(branch).set(feature, self.negated[at] > least);
        }
        RECENT.iter().for_each(|(_, feature)| branch_features.own(branch).insert(*feature));
    }

    /// Removes features of negations that are no longer recent, unless the branch was negated again.
    fn expire(&mut self, branch_features: &mut BranchFeatures) {
        for (runs, feature) in RECENT {
            let Some(index) = self.recent.len().checked_sub(runs as usize + 1) else { break };
            if let Some(branch) = self.recent[index]
                && self.runs - self.last[branch.0 as usize] >= runs
            {
                branch_features.own(branch).remove(feature);
            }
        }
        if self.recent.len() > RECENT[2].0 as usize {
            self.recent.pop_front();
        }
    }

    /// Records a failed attempt to negate a branch; true if its features or its hopelessness change.
    pub fn fail(&mut self, branch: BranchId, branch_features: &mut BranchFeatures) -> bool {
        let failed = &mut self.failed[branch.0 as usize];
        *failed += 1;
        if *failed > FAILING {
            branch_features.own(branch).insert(Feature::Failed);
            branch_features.opposite(branch).insert(Feature::OppositeFailed);
        }
        [FAILING + 1, HOPELESS + 1].contains(failed)
    }

    /// True if a branch has failed too often.
    pub fn is_hopeless(&self, branch: BranchId) -> bool {
        self.failed[branch.0 as usize] > HOPELESS
    }
}
