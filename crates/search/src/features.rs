//! The forty features of a branch on a path.
//!
//! S. Cha, S. Hong, J. Lee, H. Oh: Automatically Generating Search Heuristics for Concolic Testing, ICSE 2018, table 1, as
//! the paper means them. All are true or false of a branch `b` that a run took, its place on the path, and the side that
//! would be taken instead, the opposite.
//!
//! What stays the same between runs is not computed again. What is known of a branch wherever it occurs lies in a
//! [`Sheet`] and changes by events (a branch is covered, negated, a function reached); what depends on the place is found in
//! one pass over the path. A set is a word of bits, so that putting a branch's features together is a few operations.

mod catalogue;
mod contexts;
mod functions;
mod negations;
mod place;
mod set;
mod statics;
mod uncovered;

pub use catalogue::Feature;
pub use set::FeatureSet;

use cairn_program::{BranchId, Program, Steps};
pub(crate) use contexts::Contexts;
use functions::Functions;
use negations::Negations;
pub(crate) use place::Places;
use uncovered::Uncovered;

/// What is known of each branch, wherever it occurs.
#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    /// Features that a branch has where it was taken.
    own: Vec<FeatureSet>,
    /// Features that a branch gives to those it is the opposite of.
    opposite: Vec<FeatureSet>,
}

impl Sheet {
    fn own(&mut self, branch: BranchId) -> &mut FeatureSet {
        &mut self.own[branch.0 as usize]
    }

    fn opposite(&mut self, branch: BranchId) -> &mut FeatureSet {
        &mut self.opposite[branch.0 as usize]
    }
}

/// All that is known of branches without a path.
#[derive(Clone, Debug)]
pub(crate) struct Features {
    sheet: Sheet,
    uncovered: Uncovered,
    functions: Functions,
    negations: Negations,
    /// Branches that the last run was the first to cover.
    fresh: Vec<BranchId>,
}

impl Features {
    /// Of a program that has not run.
    pub fn new(program: &Program) -> Features {
        let steps = Steps::new(program);
        let opposite = vec![FeatureSet::default(); program.branch_count() as usize];
        let mut sheet = Sheet { own: statics::of(program), opposite };
        Features {
            uncovered: Uncovered::new(program, &steps, &mut sheet),
            functions: Functions::new(program, &steps, &mut sheet),
            negations: Negations::new(program),
            fresh: Vec::new(),
            sheet,
        }
    }

    /// A run was made that covered these branches first, and perhaps took the other side of a branch on purpose.
    pub fn add_run(&mut self, new_branches: &[BranchId], negated: Option<BranchId>) {
        for branch in std::mem::replace(&mut self.fresh, new_branches.to_vec()) {
            self.sheet.own(branch).remove(Feature::NewlyCovered);
        }
        for &branch in new_branches {
            self.sheet.own(branch).insert(Feature::NewlyCovered);
            self.uncovered.cover(branch, &mut self.sheet);
        }
        self.functions.add_run(new_branches, &mut self.sheet);
        self.negations.add_run(negated, &mut self.sheet);
    }

    /// No run takes the other side of a branch where this was tried. Whether that changes a feature, or that the branch is
    /// [`Features::is_hopeless`].
    pub fn fail(&mut self, branch: BranchId) -> bool {
        self.negations.fail(branch, &mut self.sheet)
    }

    /// Whether a branch has failed so often that it is not tried again.
    pub fn is_hopeless(&self, branch: BranchId) -> bool {
        self.negations.is_hopeless(branch)
    }

    /// Features of a branch where it was taken.
    pub fn own(&self, branch: BranchId) -> FeatureSet {
        self.sheet.own[branch.0 as usize]
    }

    /// Features that a branch gives to one that it is the opposite of.
    pub fn opposite(&self, branch: BranchId) -> FeatureSet {
        self.sheet.opposite[branch.0 as usize]
    }
}
