//! Control-flow directed search (CFDS).
//!
//! J. Burnim, K. Sen: Heuristics for Scalable Dynamic Test Generation, ASE 2008. Force a branch of the current path whose
//! other side has the least distance to an uncovered branch, plus the times that was tried in vain since something was
//! last covered or random input was last tried; of equal ones any. The distance is the number of branches on the way in the
//! control-flow and call graph.
//! When the run took the flip, drive it along all static paths of at most that weight. Whatever run covers something new
//! gives the new current path; if none does, the tries of that side go up by one. After [`MAX_FAILURES`] runs without
//! success from one path, those of drives aside, or if nothing uncovered is in reach of it, start again from random input.
//!
//! What differs. Nothing is forced twice. A drive has a budget (`cfg/drive.rs`; CREST's has none, and eats thousands of
//! runs). Where random input leads to a path without anything to force, the search goes on from a random flip of the
//! tree; it is done when there is none. Among equal scores every branch is equally likely, however often it occurs.
//!
//! Cost: linear in the length of each new current path; logarithmic per choice.

use crate::refined_analyses::Refined;
use crate::rng::Rng;
use crate::strategy::cfg::drive::{Drive, Path, Sites};
use crate::strategy::cfg::groups::Groups;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_program::{BranchId, Distances, Program, Weight};
use cairn_tree::{Flip, FlipState, RunId, Tree};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

mod drive;
mod groups;

/// Runs without success after which a path is given up.
const MAX_FAILURES: u32 = 30;

/// What the flip asked for last was for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Aim {
    /// To take this branch, and to be driven on along paths of this weight.
    Branch { branch: BranchId, weight: u32 },
    /// To be driven on along a static path.
    Drive,
    /// To get away.
    Elsewhere,
}

/// Control-flow directed search.
#[derive(Clone, Debug)]
pub struct Cfg {
    sites: Sites,
    distances: Refined<Distances>,
    /// The run whose path is the current one.
    current: Option<RunId>,
    /// That path's flips by the branch they would take.
    flips: Groups,
    /// These branches by their score, which may have grown since, and chance.
    queue: BinaryHeap<Reverse<(u32, usize, BranchId)>>,
    tries: BTreeMap<BranchId, u32>,
    failures: u32,
    drive: Option<Drive>,
    asked: Option<(Flip, Aim)>,
    /// Whether random input led to the current path, and nothing of it was forced yet.
    restarted: bool,
}

impl Cfg {
    /// A search that has seen nothing.
    pub fn new(program: &Program) -> Cfg {
        let make = |program: &_, calls: &_| Distances::new(program, calls, Weight::Branches);
        Cfg {
            sites: Sites::new(program),
            distances: Refined::new(program, make),
            current: None,
            flips: Groups::new(program),
            queue: BinaryHeap::new(),
            tries: BTreeMap::new(),
            failures: 0,
            drive: None,
            asked: None,
            restarted: false,
        }
    }

    /// Makes a run's path the current one.
    fn move_to(&mut self, run: &RunView) {
        self.current = Some(run.run);
        self.tries.clear();
        self.failures = 0;
        self.drive = None;
        self.asked = None;
        self.flips.clear();
        for flip in run.nodes.iter().flat_map(|node| run.tree.untried_of(*node)) {
            if let Some(branch) = run.tree.branch(flip) {
                self.flips.add(branch, flip);
            }
        }
        self.sort();
    }

    /// Sorts the current path's branches by their scores.
    fn sort(&mut self) {
        let scores = self.flips.branches().filter_map(|branch| Some((self.score(branch)?, 0, branch)));
        self.queue = scores.map(Reverse).collect();
    }

    fn score(&self, branch: BranchId) -> Option<u32> {
        Some(self.distances.of(branch)? + self.tries.get(&branch).copied().unwrap_or(0))
    }

    /// A flip of the current path with the least score.
    fn select(&mut self, tree: &Tree, rng: &mut Rng) -> Option<(Flip, Aim)> {
        while let Some(Reverse((score, chance, branch))) = self.queue.pop() {
            let Some(weight) = self.score(branch) else { continue };
            // The first time round, and after its score has grown, it takes its place among its equals.
            if weight > score || chance == 0 {
                self.queue.push(Reverse((weight, 1 + rng.below(usize::MAX - 1), branch)));
                continue;
            }
            let Some(flip) = self.flips.draw(branch, rng) else { continue };
            self.queue.push(Reverse((weight, 0, branch)));
            if tree.state(flip) == FlipState::Untried {
                return Some((flip, Aim::Branch { branch, weight }));
            }
        }
        None
    }

    /// The next flip of the drive that is under way.
    fn drive_on(&mut self, tree: &Tree) -> Option<(Flip, RunId)> {
        let drive = self.drive.as_mut()?;
        let flip = drive.next(tree, &self.sites, &self.distances);
        if flip.is_none() {
            let aim = drive.aim();
            self.drive = None;
            self.tried(aim);
        }
        flip
    }

    fn tried(&mut self, branch: BranchId) {
        *self.tries.entry(branch).or_default() += 1;
    }

    fn wish(&mut self, flip: Flip, aim: Aim, base: RunId) -> Next {
        self.asked = Some((flip, aim));
        self.restarted &= aim == Aim::Elsewhere;
        Next::Flip { flip, base }
    }

    /// Away from a path that has nothing left.
    fn leave(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        if !self.restarted {
            self.restarted = true;
            return Next::Restart;
        }
        let flip = tree.pick_untried(|n| rng.below(n)).expect("there are untried flips");
        self.wish(flip, Aim::Elsewhere, tree.creator(flip.node))
    }
}

impl Strategy for Cfg {
    fn on_run(&mut self, run: &RunView) {
        if self.distances.see(run) {
            self.sort();
        }
        if !run.own && run.new_branches.is_empty() {
            return;
        }
        let aim = self.asked.filter(|(flip, _)| run.flip == Some(*flip)).map(|(_, aim)| aim);
        if run.flip.is_none() || !run.new_branches.is_empty() || aim == Some(Aim::Elsewhere) {
            self.restarted &= run.flip.is_none();
            self.move_to(run);
            return;
        }
        let drive = self.drive.as_mut();
        match (aim.filter(|_| run.predicted), drive) {
            (Some(Aim::Branch { branch, weight }), _) => {
                self.drive = Some(Drive::new(Path::behind_flip(run), branch, weight));
            }
            (Some(Aim::Drive), Some(drive)) => drive.follow(Path::behind_flip(run)),
            _ => {}
        }
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        if tree.untried() == 0 {
            return Next::Done;
        }
        if let Some((flip, base)) = self.drive_on(tree) {
            return self.wish(flip, Aim::Drive, base);
        }
        let Some(base) = self.current.filter(|_| self.failures < MAX_FAILURES) else {
            return self.leave(tree, rng);
        };
        match self.select(tree, rng) {
            Some((flip, aim)) => self.wish(flip, aim, base),
            None => self.leave(tree, rng),
        }
    }

    fn on_outcome(&mut self, _: Flip, outcome: Outcome, _: Cost) {
        // If the run covered something new, nothing is asked any more.
        let Some((_, Aim::Branch { branch, .. })) = self.asked.take() else { return };
        self.failures += u32::from(matches!(outcome, Outcome::Taken | Outcome::Diverged));
        if outcome == Outcome::Diverged {
            self.tried(branch);
        }
    }

    fn wants_branch_log(&self) -> bool {
        true
    }

    fn wants_callees(&self) -> bool {
        true
    }

    fn describe(&self) -> String {
        "cfg (the branch nearest to an uncovered one)".to_owned()
    }
}
