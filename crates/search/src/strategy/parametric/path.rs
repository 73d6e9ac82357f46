//! The symbolic branches of the last run.

use crate::features::{FeatureSet, PathPositions};
use crate::traits::RunView;
use cairn_program::{BranchId, Program, SiteId};
use cairn_tree::{Flip, NodeId, RunId};
use std::ops::Range;

/// A branch of the path.
#[derive(Clone, Copy, Debug)]
struct PathStep {
    node: NodeId,
    site: SiteId,
    /// Side that would be taken instead.
    aim: u32,
    /// Previous position of the site, plus one; 0 if there is none.
    before: u32,
}

/// The path of the last run.
#[derive(Clone, Debug)]
pub(super) struct Path {
    run: Option<RunId>,
    steps: Vec<PathStep>,
    /// Branch taken at each step.
    branches: Vec<BranchId>,
    /// Branches of the previous path.
    old: Vec<BranchId>,
    positions: PathPositions,
    /// By site: its last position, plus one; 0 if it is not on the path.
    last: Vec<u32>,
    /// By site: its branches.
    sides: Vec<Range<u32>>,
    /// Number of branches of the program.
    branch_count: usize,
}

impl Path {
    /// Creates an empty path.
    pub fn new(program: &Program) -> Path {
        let sides = |first: BranchId, count: usize| first.0..first.0 + count as u32;
        Path {
            run: None,
            steps: Vec::new(),
            branches: Vec::new(),
            old: Vec::new(),
            positions: PathPositions::default(),
            last: vec![0; program.site_count() as usize],
            sides: program.sites().map(|(_, site)| sides(site.first_branch, site.sides.len())).collect(),
            branch_count: program.branch_count() as usize,
        }
    }

    /// Replaces the path by that of a run.
    pub fn follow(&mut self, run: &RunView) {
        self.run = Some(run.run);
        self.steps.drain(..).for_each(|step| self.last[step.site.0 as usize] = 0);
        std::mem::swap(&mut self.old, &mut self.branches);
        self.branches.clear();
        let flipped = run.flip.filter(|_| run.predicted).map(|flip| flip.node);
        let mut negated = None;
        for (&node, &side) in run.nodes.iter().zip(run.sides) {
            let Some(branch) = run.tree.branch(Flip { node, side }) else { continue };
            let site = run.tree.site(node);
            if flipped == Some(node) {
                negated = Some(self.steps.len());
            }
            self.branches.push(branch);
            let position = self.branches.len() as u32;
            let before = std::mem::replace(&mut self.last[site.0 as usize], position);
            self.steps.push(PathStep { node, site, aim: 0, before });
        }
        self.positions.update(&self.old, &self.branches, negated, self.branch_count);
    }

    /// Returns the run.
    pub fn run(&self) -> Option<RunId> {
        self.run
    }

    /// Returns the number of branches.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns the tree's node at a position.
    pub fn node(&self, at: usize) -> NodeId {
        self.steps[at].node
    }

    /// Returns the site at a position.
    pub fn site(&self, at: usize) -> SiteId {
        self.steps[at].site
    }

    /// Returns the branch taken at a position.
    pub fn branch(&self, at: usize) -> BranchId {
        self.branches[at]
    }

    /// Returns the branches up to and including a position.
    pub fn until(&self, at: usize) -> &[BranchId] {
        &self.branches[..=at]
    }

    /// Returns the sides at a position, including the one taken.
    pub fn sides(&self, at: usize) -> Range<u32> {
        0..self.sides[self.site(at).0 as usize].len() as u32
    }

    /// Returns the other side of a position with two.
    pub fn only_other(&self, at: usize) -> Option<u32> {
        let sides = &self.sides[self.site(at).0 as usize];
        (sides.len() == 2).then(|| 1 - (self.branches[at].0 - sides.start))
    }

    /// Returns the branch of a side at a position.
    pub fn other(&self, at: usize, side: u32) -> BranchId {
        BranchId(self.sides[self.site(at).0 as usize].start + side)
    }

    /// Stores the side that would be taken at a position.
    pub fn aim(&mut self, at: usize, side: u32) {
        self.steps[at].aim = side;
    }

    /// Returns the flip stored at a position.
    pub fn aimed_at(&self, at: usize) -> Flip {
        Flip { node: self.steps[at].node, side: self.steps[at].aim }
    }

    /// Returns the last position of a site.
    pub fn last_of(&self, site: SiteId) -> Option<usize> {
        (self.last[site.0 as usize] as usize).checked_sub(1)
    }

    /// Returns the previous position of the same site.
    pub fn before(&self, at: usize) -> Option<usize> {
        (self.steps[at].before as usize).checked_sub(1)
    }

    /// Returns the features that depend on the position alone.
    pub fn position_features(&self, at: usize) -> FeatureSet {
        self.positions.features(at, self.branches[at])
    }
}
