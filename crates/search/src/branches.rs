//! Which branch of the program a side of a node is.

use cairn_program::{BranchId, Program, SiteId};
use cairn_tree::{Flip, StepKind, Tree};

/// Branches by site.
#[derive(Clone, Debug)]
pub(crate) struct Branches {
    /// Of side 0, by site.
    first: Vec<u32>,
    branches: u32,
    /// Of each branch; none for a byte that the linker put between two units.
    site: Vec<Option<(SiteId, u32)>>,
}

impl Branches {
    pub fn new(program: &Program) -> Branches {
        let first = program.sites().map(|(_, site)| site.first_branch.0).collect();
        let branches = program.branch_count();
        let site = (0..branches).map(|branch| program.site_of(BranchId(branch))).collect();
        Branches { first, branches, site }
    }

    /// The branch that a side of a node is; none for a pin or constraint.
    pub fn of(&self, tree: &Tree, side: Flip) -> Option<BranchId> {
        let node = tree.node(side.node);
        let is_branch = node.kind == StepKind::Branch;
        is_branch.then(|| BranchId(self.first[node.site.0 as usize] + side.side))
    }

    /// The site and side of a branch.
    pub fn site_of(&self, branch: BranchId) -> Option<(SiteId, u32)> {
        self.site[branch.0 as usize]
    }

    /// A number for the side of a node: a branch has its own, and after those each site has one, which is what pins go
    /// by. What stands at no site of the program shares the last.
    pub fn number(&self, tree: &Tree, side: Flip) -> usize {
        let of_site =
            || self.branches as usize + (tree.node(side.node).site.0 as usize).min(self.first.len());
        self.of(tree, side).map_or_else(of_site, |branch| branch.0 as usize)
    }

    /// How many numbers there are.
    pub fn numbers(&self) -> usize {
        self.branches as usize + self.first.len() + 1
    }
}
