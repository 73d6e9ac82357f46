//! Driving runs along static paths.
//!
//! A static path is a path through the control-flow and call graph that may enter callees or step over them.
//! A run follows it as long as it takes its branches in order; where it takes another side and the decision
//! was symbolic, that side is forced. Branches in a callee that is stepped over lie in between: so the next
//! branch of the static path is looked for where the run next decides at its site, within a window.

use crate::strategy::cfg::groups::may_force;
use crate::traits::RunView;
use cairn_program::{BranchId, Distances, Program};
use cairn_tree::{Flip, NodeId, RunId, Tree};
use std::sync::Arc;

/// Maximum number of runs of one drive; a chosen bound.
const MAX_DRIVE_RUNS: u32 = 10;
/// Maximum number of branches of static paths that one drive looks for; a chosen bound.
const MAX_DRIVE_STEPS: u32 = 200;
/// Number of branches of a run within which the next one of a static path is looked for; a chosen bound.
const WINDOW: usize = 512;

/// The path of a run after its flip.
#[derive(Clone, Debug)]
pub(super) struct FlipSuffix {
    run: RunId,
    /// Branches taken, in order, with the nodes of those that were symbolic.
    taken: Vec<(BranchId, Option<NodeId>)>,
}

impl FlipSuffix {
    /// Returns the path after this flip, which the run has taken.
    pub fn after(flip: Flip, run: &RunView) -> FlipSuffix {
        let mut taken = Vec::new();
        let flipped = run.nodes.iter().position(|node| *node == flip.node).expect("the run passes the flip");
        for at in flipped + 1..run.nodes.len() {
            let side = Flip { node: run.nodes[at], side: run.sides[at] };
            taken.extend(run.tree.concrete_branches(side.node).map(|branch| (branch, None)));
            taken.extend(run.tree.branch(side).map(|branch| (branch, Some(side.node))));
        }
        FlipSuffix { run: run.run, taken }
    }

    /// Returns the position where the run next decides about this branch, and the flip that would take it; no
    /// flip if the run takes it. `None` if the run does not reach the site, or the decision was concrete.
    fn find(&self, branch: BranchId, from: usize, sites: &SiteIndex) -> Option<(usize, Option<Flip>)> {
        let site = sites.first_of(branch);
        let decides = |(taken, _): &(BranchId, _)| sites.first_of(*taken) == site;
        let at = from + self.taken.iter().skip(from).take(WINDOW).position(decides)?;
        match self.taken[at] {
            (taken, _) if taken == branch => Some((at, None)),
            (_, node) => Some((at, Some(Flip { node: node?, side: branch.0 - site.0 }))),
        }
    }
}

/// The branches of each site.
#[derive(Clone, Debug)]
pub(super) struct SiteIndex {
    /// By branch: the first branch of its site.
    first: Vec<BranchId>,
}

impl SiteIndex {
    pub fn new(program: &Program) -> SiteIndex {
        let first = |branch| {
            let site = program.site_of(branch).map(|(site, _)| program.site(site));
            site.map_or(branch, |site| site.first_branch)
        };
        SiteIndex { first: (0..program.branch_count()).map(|branch| first(BranchId(branch))).collect() }
    }

    fn first_of(&self, branch: BranchId) -> BranchId {
        self.first[branch.0 as usize]
    }
}

/// A position on a run up to which it follows a static path.
#[derive(Clone, Debug)]
struct DrivePosition {
    path: Arc<FlipSuffix>,
    /// Index on the path after the branches already followed.
    from: usize,
    /// Branches that can come next on the static path.
    successors: Vec<BranchId>,
    /// Remaining weight.
    weight: u32,
}

/// A search along all static paths up to some weight; common prefixes are shared.
#[derive(Clone, Debug)]
pub(super) struct Drive {
    /// True if it forces untried flips alone.
    is_once: bool,
    start: BranchId,
    positions: Vec<DrivePosition>,
    /// Branch behind which the last requested run should be, and the weight left there.
    requested: (BranchId, u32),
    /// A run that has just arrived there.
    arrived: Option<Arc<FlipSuffix>>,
    runs: u32,
    steps: u32,
}

impl Drive {
    /// Starts a drive after the branch that a run was solved to take.
    pub fn new(path: FlipSuffix, start: BranchId, weight: u32, is_once: bool) -> Drive {
        let (requested, arrived) = ((start, weight), Some(Arc::new(path)));
        Drive { is_once, start, positions: Vec::new(), requested, arrived, runs: 0, steps: 0 }
    }

    /// Returns the branch at which the drive started.
    pub fn start(&self) -> BranchId {
        self.start
    }

    /// Records the requested run, which went as predicted.
    pub fn arrive(&mut self, path: FlipSuffix) {
        self.arrived = Some(Arc::new(path));
    }

    /// Returns the next flip to force, and the run to force it on; `None` when the drive is over.
    pub fn next(&mut self, tree: &Tree, sites: &SiteIndex, distances: &Distances) -> Option<(Flip, RunId)> {
        if let Some(path) = self.arrived.take() {
            self.push_position(path, 0, self.requested, distances);
        }
        while self.steps < MAX_DRIVE_STEPS && self.runs < MAX_DRIVE_RUNS {
            let position = self.positions.last_mut()?;
            let Some(branch) = position.successors.pop() else {
                self.positions.pop();
                continue;
            };
            self.steps += 1;
            let after = (branch, position.weight.saturating_sub(1));
            let (path, from) = (position.path.clone(), position.from);
            match path.find(branch, from, sites) {
                Some((at, None)) => self.push_position(path, at + 1, after, distances),
                Some((_, Some(flip))) if may_force(tree, flip, self.is_once) => {
                    self.runs += 1;
                    self.requested = after;
                    return Some((flip, path.run));
                }
                Some(_) | None => {}
            }
        }
        None
    }

    /// Adds the position of a run that has followed the static path up to here, and taken this branch last.
    fn push_position(
        &mut self,
        path: Arc<FlipSuffix>,
        from: usize,
        (branch, weight): (BranchId, u32),
        distances: &Distances,
    ) {
        let mut successors = distances.towards(branch, weight);
        // The nearest comes first.
        successors.sort_by_key(|(_, distance)| std::cmp::Reverse(*distance));
        let successors = successors.into_iter().map(|(branch, _)| branch).collect();
        self.positions.push(DrivePosition { path, from, successors, weight });
    }
}
