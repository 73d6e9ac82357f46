//! A number for everything that a run can take.

use cairn_program::Program;
use cairn_tree::{Flip, Tree};

/// Numbers sides of sites: a branch has its own, and after those each site has one, which is what pins go by.
#[derive(Clone, Debug)]
pub(crate) struct Branches {
    /// Of side 0, by site; none where there are no sides.
    first: Vec<Option<usize>>,
    branches: usize,
}

impl Branches {
    pub fn new(program: &Program) -> Branches {
        let first =
            |site: &cairn_program::Site| (!site.sides.is_empty()).then_some(site.first_branch.0 as usize);
        Branches {
            first: program.sites().map(|(_, site)| first(site)).collect(),
            branches: program.branch_count() as usize,
        }
    }

    /// How many numbers there are.
    pub fn count(&self) -> usize {
        self.branches + self.first.len()
    }

    /// The number of a side of a node.
    pub fn of(&self, tree: &Tree, side: Flip) -> usize {
        let site = tree.node(side.node).site.0 as usize;
        self.first[site].map_or(self.branches + site, |first| first + side.side as usize)
    }
}
