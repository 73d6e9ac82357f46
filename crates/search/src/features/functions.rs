//! Features 35 to 40: properties of the function that a branch is in, and of those that its opposite leads
//! to.
//!
//! A function is reached when one of its branches is covered. The function with the most uncovered branches
//! is looked for among those that are reached: others have no branch on any path.

use super::{BranchFeatures, Feature};
use cairn_program::{BranchId, FunctionId, Program, Steps};
use std::collections::VecDeque;

/// Percentages of the functions that count as the largest.
const LARGEST: [(usize, Feature); 3] =
    [(10, Feature::Largest10), (20, Feature::Largest20), (30, Feature::Largest30)];
/// Number of branches above which a function is large.
const LARGE: usize = 10;
/// Minimum number of branches of a function that counts as new, for [`NEW_RUNS`] runs.
const NOTABLE: usize = 10;
const NEW_RUNS: u32 = 10;

#[derive(Clone, Debug)]
struct FunctionInfo {
    branches: Vec<BranchId>,
    uncovered: usize,
    is_reached: bool,
    /// Features 36 to 39 of a branch that leads to it while it is not reached.
    lead_features: Vec<Feature>,
    /// Branches that lead to it.
    leading_branches: Vec<BranchId>,
}

/// The state of all functions.
#[derive(Clone, Debug)]
pub(super) struct Functions {
    all: Vec<FunctionInfo>,
    /// By branch of user code: its function.
    of: Vec<Option<FunctionId>>,
    /// By branch: functions with `lead_features` that it leads to within two steps.
    leads_to: Vec<Vec<FunctionId>>,
    poorest: Option<usize>,
    /// New functions, with the run that reached them first.
    new: VecDeque<(u32, usize)>,
    runs: u32,
}

impl Functions {
    /// Creates the state in which no function is reached.
    pub fn new(program: &Program, steps: &Steps, branch_features: &mut BranchFeatures) -> Functions {
        let branches = program.branch_count() as usize;
        let mut functions = Functions {
            all: all(program),
            of: vec![None; branches],
            leads_to: vec![Vec::new(); branches],
            poorest: None,
            new: VecDeque::new(),
            runs: 0,
        };
        for (_, site) in program.sites().filter(|(_, site)| site.counted) {
            site.branches().for_each(|branch| functions.of[branch.0 as usize] = Some(site.function));
        }
        functions.rank();
        for branch in (0..program.branch_count()).map(BranchId) {
            functions.find_leads(branch, steps);
            functions.set_lead_features(branch, branch_features);
        }
        functions
    }

    /// Determines which functions are large.
    fn rank(&mut self) {
        let mut order: Vec<_> = (0..self.all.len()).filter(|f| !self.all[*f].branches.is_empty()).collect();
        order.sort_by_key(|function| std::cmp::Reverse(self.all[*function].branches.len()));
        for (percent, feature) in LARGEST {
            for &function in &order[..(order.len() * percent).div_ceil(100)] {
                self.all[function].lead_features.push(feature);
            }
        }
        for function in self.all.iter_mut().filter(|function| function.branches.len() > LARGE) {
            function.lead_features.push(Feature::Large);
        }
    }

    /// Finds the functions that a branch leads to within two steps.
    fn find_leads(&mut self, branch: BranchId, steps: &Steps) {
        let behind = steps.next(branch).iter().flat_map(|next| steps.calls(*next));
        let called = steps.calls(branch).iter().chain(behind).copied();
        let mut found: Vec<_> = called.filter(|f| !self.all[f.0 as usize].lead_features.is_empty()).collect();
        found.sort_unstable();
        found.dedup();
        for function in &found {
            self.all[function.0 as usize].leading_branches.push(branch);
        }
        self.leads_to[branch.0 as usize] = found;
    }

    /// Sets the features of a branch by the functions it leads to.
    fn set_lead_features(&self, branch: BranchId, branch_features: &mut BranchFeatures) {
        let features = branch_features.opposite(branch);
        LARGEST.iter().for_each(|(_, feature)| features.remove(*feature));
        features.remove(Feature::Large);
        let led_to = self.leads_to[branch.0 as usize].iter().map(|function| &self.all[function.0 as usize]);
        let added =
            led_to.filter(|function| !function.is_reached).flat_map(|function| &function.lead_features);
        added.for_each(|feature| features.insert(*feature));
    }

    /// Adds a run that covered these branches first.
    pub fn add_run(&mut self, new_branches: &[BranchId], branch_features: &mut BranchFeatures) {
        self.runs += 1;
        while let Some(&(run, function)) = self.new.front()
            && self.runs - run >= NEW_RUNS
        {
            self.new.pop_front();
            set_feature(&self.all[function], Feature::NewFunction, false, branch_features);
        }
        for branch in new_branches {
            let Some(function) = self.of[branch.0 as usize] else { continue };
            let function = function.0 as usize;
            self.all[function].uncovered -= 1;
            if !std::mem::replace(&mut self.all[function].is_reached, true) {
                self.reach(function, branch_features);
            }
        }
        if !new_branches.is_empty() {
            self.find_poorest(branch_features);
        }
    }

    fn reach(&mut self, function: usize, branch_features: &mut BranchFeatures) {
        for branch in &self.all[function].leading_branches {
            self.set_lead_features(*branch, branch_features);
        }
        if self.all[function].branches.len() >= NOTABLE {
            self.new.push_back((self.runs, function));
            set_feature(&self.all[function], Feature::NewFunction, true, branch_features);
        }
    }

    fn find_poorest(&mut self, branch_features: &mut BranchFeatures) {
        let reached = (0..self.all.len()).filter(|function| self.all[*function].is_reached);
        let left = reached.filter(|function| self.all[*function].uncovered > 0);
        // The first of equal ones.
        let poorest = left.rev().max_by_key(|function| self.all[*function].uncovered);
        let before = std::mem::replace(&mut self.poorest, poorest);
        if before != poorest {
            let mut set = |function: Option<usize>, holds| {
                function.inspect(|f| {
                    set_feature(&self.all[*f], Feature::PoorestFunction, holds, branch_features)
                });
            };
            set(before, false);
            set(poorest, true);
        }
    }
}

fn all(program: &Program) -> Vec<FunctionInfo> {
    let none = FunctionInfo {
        branches: vec![],
        uncovered: 0,
        is_reached: false,
        lead_features: vec![],
        leading_branches: vec![],
    };
    let mut all = vec![none; program.functions().count()];
    for (_, site) in program.sites().filter(|(_, site)| site.counted) {
        let function = &mut all[site.function.0 as usize];
        function.branches.extend(site.branches());
        function.uncovered = function.branches.len();
    }
    all
}

fn set_feature(function: &FunctionInfo, feature: Feature, holds: bool, branch_features: &mut BranchFeatures) {
    function.branches.iter().for_each(|branch| branch_features.own(*branch).set(feature, holds));
}
