//! The symbolic branches of the last run.

use crate::features::{FeatureSet, Places};
use crate::traits::RunView;
use cairn_program::{BranchId, Program, SiteId};
use cairn_tree::{Flip, NodeId, RunId};
use std::ops::Range;

/// A branch of the path.
#[derive(Clone, Copy, Debug)]
struct Step {
    node: NodeId,
    site: SiteId,
    /// The side that would be taken instead.
    aim: u32,
    /// Where the site was met before, one more than the place; 0 if nowhere.
    before: u32,
}

/// The path.
#[derive(Clone, Debug)]
pub(super) struct Path {
    run: Option<RunId>,
    steps: Vec<Step>,
    /// The branch taken at each step.
    branches: Vec<BranchId>,
    /// The path before.
    old: Vec<BranchId>,
    places: Places,
    /// Where each site was met last, one more than the place; 0 if nowhere.
    last: Vec<u32>,
    /// The branches of each site.
    sides: Vec<Range<u32>>,
    /// How many branches the program has.
    branch_count: usize,
}

impl Path {
    /// No path of a program.
    pub fn new(program: &Program) -> Path {
        let sides = |first: BranchId, count: usize| first.0..first.0 + count as u32;
        Path {
            run: None,
            steps: Vec::new(),
            branches: Vec::new(),
            old: Vec::new(),
            places: Places::default(),
            last: vec![0; program.site_count() as usize],
            sides: program.sites().map(|(_, site)| sides(site.first_branch, site.sides.len())).collect(),
            branch_count: program.branch_count() as usize,
        }
    }

    /// Goes over to the path of a run.
    pub fn follow(&mut self, run: &RunView) {
        self.run = Some(run.run);
        self.steps.drain(..).for_each(|step| self.last[step.site.0 as usize] = 0);
        std::mem::swap(&mut self.old, &mut self.branches);
        self.branches.clear();
        let turned = run.flip.filter(|_| run.predicted).map(|flip| flip.node);
        let mut negated = None;
        for (&node, &side) in run.nodes.iter().zip(run.sides) {
            let Some(branch) = run.tree.branch(Flip { node, side }) else { continue };
            let site = run.tree.site(node);
            if turned == Some(node) {
                negated = Some(self.steps.len());
            }
            self.branches.push(branch);
            let place = self.branches.len() as u32;
            let before = std::mem::replace(&mut self.last[site.0 as usize], place);
            self.steps.push(Step { node, site, aim: 0, before });
        }
        self.places.update(&self.old, &self.branches, negated, self.branch_count);
    }

    /// The run.
    pub fn run(&self) -> Option<RunId> {
        self.run
    }

    /// How many branches it has.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// The tree's node at a place.
    pub fn node(&self, at: usize) -> NodeId {
        self.steps[at].node
    }

    /// The site at a place.
    pub fn site(&self, at: usize) -> SiteId {
        self.steps[at].site
    }

    /// The branch that was taken at a place.
    pub fn branch(&self, at: usize) -> BranchId {
        self.branches[at]
    }

    /// The branches up to a place, that one the last.
    pub fn until(&self, at: usize) -> &[BranchId] {
        &self.branches[..=at]
    }

    /// The sides at a place, that which was taken among them.
    pub fn sides(&self, at: usize) -> Range<u32> {
        0..self.sides[self.site(at).0 as usize].len() as u32
    }

    /// The other side where there are two.
    pub fn only_other(&self, at: usize) -> Option<u32> {
        let sides = &self.sides[self.site(at).0 as usize];
        (sides.len() == 2).then(|| 1 - (self.branches[at].0 - sides.start))
    }

    /// The branch that a side at a place is.
    pub fn other(&self, at: usize, side: u32) -> BranchId {
        BranchId(self.sides[self.site(at).0 as usize].start + side)
    }

    /// Notes which side would be taken at a place.
    pub fn aim(&mut self, at: usize, side: u32) {
        self.steps[at].aim = side;
    }

    /// The flip that was noted at a place.
    pub fn aimed_at(&self, at: usize) -> Flip {
        Flip { node: self.steps[at].node, side: self.steps[at].aim }
    }

    /// The last place of a site.
    pub fn last_of(&self, site: SiteId) -> Option<usize> {
        (self.last[site.0 as usize] as usize).checked_sub(1)
    }

    /// The place before this one with the same site.
    pub fn before(&self, at: usize) -> Option<usize> {
        (self.steps[at].before as usize).checked_sub(1)
    }

    /// What follows from the place alone.
    pub fn place_features(&self, at: usize) -> FeatureSet {
        self.places.features(at, self.branches[at])
    }
}
