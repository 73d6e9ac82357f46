//! Features 35 to 40: what is known of the function that a branch is in, and of those that its opposite leads to.
//!
//! A function is reached when one of its branches is covered. The function with the most uncovered branches is looked for
//! among those that are reached: others have no branch on any path.

use super::{Feature, Sheet};
use cairn_program::{BranchId, FunctionId, Program, Steps};
use std::collections::VecDeque;

/// Shares of the functions that count as the largest, in percent.
const LARGEST: [(usize, Feature); 3] =
    [(10, Feature::Largest10), (20, Feature::Largest20), (30, Feature::Largest30)];
/// A function of more branches is large.
const LARGE: usize = 10;
/// A function with so many branches is worth being called new, for [`NEW_RUNS`] runs.
const NOTABLE: usize = 10;
const NEW_RUNS: u32 = 10;

#[derive(Clone, Debug)]
struct Function {
    branches: Vec<BranchId>,
    uncovered: usize,
    is_reached: bool,
    /// Features 36 to 39 that a branch has which leads to it while it is not reached.
    promises: Vec<Feature>,
    /// Branches that lead to it.
    led_from: Vec<BranchId>,
}

/// All functions.
#[derive(Clone, Debug)]
pub(super) struct Functions {
    all: Vec<Function>,
    /// Function of each branch that is the user's.
    of: Vec<Option<FunctionId>>,
    /// Functions of some size that each branch leads to within two steps.
    leads_to: Vec<Vec<FunctionId>>,
    poorest: Option<usize>,
    /// Functions that are new, with the run that reached them first.
    new: VecDeque<(u32, usize)>,
    runs: u32,
}

impl Functions {
    /// No function is reached.
    pub fn new(program: &Program, steps: &Steps, sheet: &mut Sheet) -> Functions {
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
            functions.lead(branch, steps);
            functions.promise(branch, sheet);
        }
        functions
    }

    /// Finds out which functions are large.
    fn rank(&mut self) {
        let mut order: Vec<_> = (0..self.all.len()).filter(|f| !self.all[*f].branches.is_empty()).collect();
        order.sort_by_key(|function| std::cmp::Reverse(self.all[*function].branches.len()));
        for (percent, feature) in LARGEST {
            for &function in &order[..(order.len() * percent).div_ceil(100)] {
                self.all[function].promises.push(feature);
            }
        }
        for function in self.all.iter_mut().filter(|function| function.branches.len() > LARGE) {
            function.promises.push(Feature::Large);
        }
    }

    /// Notes where a branch leads within two steps.
    fn lead(&mut self, branch: BranchId, steps: &Steps) {
        let behind = steps.next(branch).iter().flat_map(|next| steps.calls(*next));
        let called = steps.calls(branch).iter().chain(behind).copied();
        let mut found: Vec<_> = called.filter(|f| !self.all[f.0 as usize].promises.is_empty()).collect();
        found.sort_unstable();
        found.dedup();
        for function in &found {
            self.all[function.0 as usize].led_from.push(branch);
        }
        self.leads_to[branch.0 as usize] = found;
    }

    /// Puts down what a branch leads to.
    fn promise(&self, branch: BranchId, sheet: &mut Sheet) {
        let features = sheet.opposite(branch);
        LARGEST.iter().for_each(|(_, feature)| features.remove(*feature));
        features.remove(Feature::Large);
        let led_to = self.leads_to[branch.0 as usize].iter().map(|function| &self.all[function.0 as usize]);
        let promised = led_to.filter(|function| !function.is_reached).flat_map(|function| &function.promises);
        promised.for_each(|feature| features.insert(*feature));
    }

    /// A run covered these branches first.
    pub fn add_run(&mut self, new_branches: &[BranchId], sheet: &mut Sheet) {
        self.runs += 1;
        while let Some(&(run, function)) = self.new.front()
            && self.runs - run >= NEW_RUNS
        {
            self.new.pop_front();
            mark(&self.all[function], Feature::NewFunction, false, sheet);
        }
        for branch in new_branches {
            let Some(function) = self.of[branch.0 as usize] else { continue };
            let function = function.0 as usize;
            self.all[function].uncovered -= 1;
            if !std::mem::replace(&mut self.all[function].is_reached, true) {
                self.reach(function, sheet);
            }
        }
        if !new_branches.is_empty() {
            self.find_poorest(sheet);
        }
    }

    fn reach(&mut self, function: usize, sheet: &mut Sheet) {
        for branch in &self.all[function].led_from {
            self.promise(*branch, sheet);
        }
        if self.all[function].branches.len() >= NOTABLE {
            self.new.push_back((self.runs, function));
            mark(&self.all[function], Feature::NewFunction, true, sheet);
        }
    }

    fn find_poorest(&mut self, sheet: &mut Sheet) {
        let reached = (0..self.all.len()).filter(|function| self.all[*function].is_reached);
        let left = reached.filter(|function| self.all[*function].uncovered > 0);
        // Of several the first.
        let poorest = left.rev().max_by_key(|function| self.all[*function].uncovered);
        let before = std::mem::replace(&mut self.poorest, poorest);
        if before != poorest {
            let mut set = |function: Option<usize>, holds| {
                function.inspect(|f| mark(&self.all[*f], Feature::PoorestFunction, holds, sheet));
            };
            set(before, false);
            set(poorest, true);
        }
    }
}

fn all(program: &Program) -> Vec<Function> {
    let none =
        Function { branches: vec![], uncovered: 0, is_reached: false, promises: vec![], led_from: vec![] };
    let mut all = vec![none; program.functions().count()];
    for (_, site) in program.sites().filter(|(_, site)| site.counted) {
        let function = &mut all[site.function.0 as usize];
        function.branches.extend(site.branches());
        function.uncovered = function.branches.len();
    }
    all
}

fn mark(function: &Function, feature: Feature, holds: bool, sheet: &mut Sheet) {
    function.branches.iter().for_each(|branch| sheet.own(*branch).set(feature, holds));
}
