//! Driving runs along static paths.
//!
//! A static path is a way through the control-flow and call graph that may enter callees, or pass them. A run follows it as
//! far as it takes its branches in order; where it takes another side, and the decision was symbolic, it is forced.
//! What a callee that is passed decides lies in between: so the next branch of the static path is looked for where the run
//! next decides at its site, not too far on.

use crate::traits::RunView;
use cairn_program::{BranchId, Distances, Program};
use cairn_tree::{Flip, FlipState, NodeId, RunId, Tree};
use std::sync::Arc;

/// Runs that one drive may take.
const MAX_DRIVE_RUNS: u32 = 10;
/// Branches of static paths that one drive may look for.
const MAX_DRIVE_STEPS: u32 = 200;
/// Branches of a run among which the next one of a static path is looked for.
const WINDOW: usize = 512;

/// What a run did behind a flip.
#[derive(Clone, Debug)]
pub(super) struct Path {
    run: RunId,
    /// The branches it took in order, and the nodes of those that were symbolic.
    taken: Vec<(BranchId, Option<NodeId>)>,
}

impl Path {
    /// Everything behind the flip that a run was made for.
    pub fn behind_flip(run: &RunView) -> Path {
        let mut taken = Vec::new();
        for at in run.first_new..run.nodes.len() {
            let side = Flip { node: run.nodes[at], side: run.sides[at] };
            taken.extend(run.tree.concrete_branches(side.node).map(|branch| (branch, None)));
            taken.extend(run.tree.branch(side).map(|branch| (branch, Some(side.node))));
        }
        Path { run: run.run, taken }
    }

    /// Where the run next decides whether to take this branch, and the flip that would; no flip if it does take it.
    /// Nothing if it does not come there, or cannot be forced to.
    fn find(&self, branch: BranchId, from: usize, sites: &Sites) -> Option<(usize, Option<Flip>)> {
        let site = sites.first_of(branch);
        let decides = |(taken, _): &(BranchId, _)| sites.first_of(*taken) == site;
        let at = from + self.taken.iter().skip(from).take(WINDOW).position(decides)?;
        match self.taken[at] {
            (taken, _) if taken == branch => Some((at, None)),
            (_, node) => Some((at, Some(Flip { node: node?, side: branch.0 - site.0 }))),
        }
    }
}

/// Which branches belong to the same site.
#[derive(Clone, Debug)]
pub(super) struct Sites {
    /// For each branch the first of its site.
    first: Vec<BranchId>,
}

impl Sites {
    pub fn new(program: &Program) -> Sites {
        let first = |branch| {
            let site = program.site_of(branch).map(|(site, _)| program.site(site));
            site.map_or(branch, |site| site.first_branch)
        };
        Sites { first: (0..program.branch_count()).map(|branch| first(BranchId(branch))).collect() }
    }

    fn first_of(&self, branch: BranchId) -> BranchId {
        self.first[branch.0 as usize]
    }
}

/// A place on a run up to which it follows a static path.
#[derive(Clone, Debug)]
struct Place {
    path: Arc<Path>,
    /// The branches of the path before this one are behind it.
    from: usize,
    /// The branches that could come next on the static path.
    towards: Vec<BranchId>,
    /// What is left of the weight.
    weight: u32,
}

/// A search along all static paths of some weight, those with a common beginning together.
#[derive(Clone, Debug)]
pub(super) struct Drive {
    aim: BranchId,
    places: Vec<Place>,
    /// Where the run goes that was asked for last: behind this branch, with this weight left.
    asked: (BranchId, u32),
    /// A run that has just come there.
    arrived: Option<Arc<Path>>,
    runs: u32,
    steps: u32,
}

impl Drive {
    /// From behind the branch that a run was made to take.
    pub fn new(path: Path, aim: BranchId, weight: u32) -> Drive {
        let (asked, arrived) = ((aim, weight), Some(Arc::new(path)));
        Drive { aim, places: Vec::new(), asked, arrived, runs: 0, steps: 0 }
    }

    /// The branch from which everything is driven.
    pub fn aim(&self) -> BranchId {
        self.aim
    }

    /// The run that was asked for went where it should.
    pub fn follow(&mut self, path: Path) {
        self.arrived = Some(Arc::new(path));
    }

    /// The next flip to force, and the run to force it on; none when the drive is over.
    pub fn next(&mut self, tree: &Tree, sites: &Sites, distances: &Distances) -> Option<(Flip, RunId)> {
        if let Some(path) = self.arrived.take() {
            self.stop_at(path, 0, self.asked, distances);
        }
        while self.steps < MAX_DRIVE_STEPS && self.runs < MAX_DRIVE_RUNS {
            let place = self.places.last_mut()?;
            let Some(branch) = place.towards.pop() else {
                self.places.pop();
                continue;
            };
            self.steps += 1;
            let behind = (branch, place.weight.saturating_sub(1));
            let (path, from) = (place.path.clone(), place.from);
            match path.find(branch, from, sites) {
                Some((at, None)) => self.stop_at(path, at + 1, behind, distances),
                Some((_, Some(flip))) if tree.state(flip) == FlipState::Untried => {
                    self.runs += 1;
                    self.asked = behind;
                    return Some((flip, path.run));
                }
                Some(_) | None => {}
            }
        }
        None
    }

    /// A run has followed the static path up to here, and taken this branch last.
    fn stop_at(
        &mut self,
        path: Arc<Path>,
        from: usize,
        (branch, weight): (BranchId, u32),
        distances: &Distances,
    ) {
        let mut towards = distances.towards(branch, weight);
        // The nearest is looked for first.
        towards.sort_by_key(|(_, distance)| std::cmp::Reverse(*distance));
        let towards = towards.into_iter().map(|(branch, _)| branch).collect();
        self.places.push(Place { path, from, towards, weight });
    }
}
