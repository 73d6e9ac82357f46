//! A number for everything that a run can take.

use cairn_program::Program;
use cairn_tree::{Flip, StepKind, Tree};

/// Numbers sides of sites: a branch has its own, and after those each site has one, which is what pins go by. What stands
/// at no site of the program shares the last.
#[derive(Clone, Debug)]
pub(crate) struct Branches {
    /// Of side 0, by site.
    first: Vec<usize>,
    branches: usize,
}

impl Branches {
    pub fn new(program: &Program) -> Branches {
        let first = program.sites().map(|(_, site)| site.first_branch.0 as usize).collect();
        Branches { first, branches: program.branch_count() as usize }
    }

    /// How many numbers there are.
    pub fn count(&self) -> usize {
        self.branches + self.first.len() + 1
    }

    /// The number of a side of a node.
    pub fn of(&self, tree: &Tree, side: Flip) -> usize {
        let node = tree.node(side.node);
        let site = node.site.0 as usize;
        match node.kind {
            StepKind::Branch => self.first[site] + side.side as usize,
            StepKind::Pin | StepKind::Constraint => self.branches + site.min(self.first.len()),
        }
    }
}
