//! Control-flow directed search (CFDS).
//!
//! J. Burnim, K. Sen: Heuristics for Scalable Dynamic Test Generation, ASE 2008. Force a branch of the
//! current path whose other side has the least distance to an uncovered branch, plus the number of failed
//! attempts at it since something was last covered or random input was last tried; ties are broken at random.
//! The distance is the number of branches on the way in the control-flow and call graph. When a run took the
//! flip, drive it along all static paths of at most that weight. A run that covers something new provides the
//! new current path; if none does, the attempts of that side increase by one. After [`MAX_FAILURES`] runs
//! without success from one path, not counting those of drives, or if nothing uncovered can be reached from
//! it, restart from random input.
//!
//! As in CREST, flips of the current path that runs have taken from other paths are forced again: the bytes of
//! this path's input lead to other code behind them. Once from one path, at most. With `once` as setting it
//! forces untried flips alone: as an arm of `auto` it has others beside it that come from elsewhere, and on grep
//! `auto` covered less by what it forced again.
//!
//! Deviations. A drive has a budget (`cfg/drive.rs`), because CREST's has none and takes thousands of runs. If
//! all runs since the last random input followed known paths, the search continues from a random flip of the
//! tree; it is done when there is none. Among equal scores every branch is equally likely, however often it
//! occurs.
//!
//! Cost: linear in the length of each new current path; logarithmic per choice.

use crate::refined_analyses::Refined;
use crate::rng::Rng;
use crate::strategy::cfg::drive::{Drive, FlipSuffix, SiteIndex};
use crate::strategy::cfg::groups::{Groups, may_force};
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_program::{BranchId, Distances, Program, Weight};
use cairn_tree::{Flip, RunId, Tree};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

mod drive;
mod groups;

/// Runs without success after which a path is given up; a chosen bound.
const MAX_FAILURES: u32 = 30;

/// The purpose of the last requested flip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Purpose {
    /// Take this branch, then drive along static paths of this weight.
    Branch { branch: BranchId, weight: u32 },
    /// Follow a static path.
    Drive,
    /// Leave the current path.
    RandomFlip,
}

/// Control-flow directed search.
#[derive(Clone, Debug)]
pub struct Cfg {
    /// True if it forces untried flips alone.
    is_once: bool,
    sites: SiteIndex,
    distances: Refined<Distances>,
    /// Run whose path is the current one.
    current: Option<RunId>,
    /// Flips of that path by the branch they would take.
    flips: Groups,
    /// These branches by their score, which may have grown since, and a random tie-breaker.
    queue: BinaryHeap<Reverse<(u32, usize, BranchId)>>,
    tries: BTreeMap<BranchId, u32>,
    failures: u32,
    drive: Option<Drive>,
    requested: Option<(Flip, Purpose)>,
    /// True if no run since the last random input was requested has left the known paths.
    is_stuck: bool,
}

impl Cfg {
    /// Creates a search from its settings: none, or `once`.
    pub fn parse(settings: Option<&str>, program: &Program) -> Result<Cfg, String> {
        match settings {
            None => Ok(Cfg::new(program)),
            Some("once") => Ok(Cfg { is_once: true, ..Cfg::new(program) }),
            Some(other) => Err(format!("its only setting is `once`, not `{other}`")),
        }
    }

    /// Creates a search that has seen no run.
    pub fn new(program: &Program) -> Cfg {
        let make = |program: &_, calls: &_| Distances::new(program, calls, Weight::Branches);
        Cfg {
            is_once: false,
            sites: SiteIndex::new(program),
            distances: Refined::new(program, make),
            current: None,
            flips: Groups::new(program),
            queue: BinaryHeap::new(),
            tries: BTreeMap::new(),
            failures: 0,
            drive: None,
            requested: None,
            is_stuck: false,
        }
    }

    /// Makes a run's path the current one.
    fn move_to(&mut self, run: &RunView) {
        self.current = Some(run.run);
        self.tries.clear();
        self.failures = 0;
        self.drive = None;
        self.requested = None;
        self.flips.clear();
        for (&node, &taken) in run.nodes.iter().zip(run.sides) {
            let others = run.tree.sides(node).map(|(flip, _)| flip).filter(|flip| flip.side != taken);
            for flip in others.filter(|flip| may_force(run.tree, *flip, self.is_once)) {
                if let Some(branch) = run.tree.branch(flip) {
                    self.flips.add(branch, flip);
                }
            }
        }
        self.sort_branches();
    }

    /// Sorts the current path's branches by their scores.
    fn sort_branches(&mut self) {
        let scores = self.flips.branches().filter_map(|branch| Some((self.score(branch)?, 0, branch)));
        self.queue = scores.map(Reverse).collect();
    }

    fn score(&self, branch: BranchId) -> Option<u32> {
        Some(self.distances.of(branch)? + self.tries.get(&branch).copied().unwrap_or(0))
    }

    /// Returns a flip of the current path with the least score.
    fn select(&mut self, tree: &Tree, rng: &mut Rng) -> Option<(Flip, Purpose)> {
        while let Some(Reverse((score, chance, branch))) = self.queue.pop() {
            let Some(weight) = self.score(branch) else { continue };
            // Draw its tie-breaker, the first time and whenever its score has grown.
            if weight > score || chance == 0 {
                self.queue.push(Reverse((weight, 1 + rng.below(usize::MAX - 1), branch)));
                continue;
            }
            let Some(flip) = self.flips.draw(branch, rng) else { continue };
            self.queue.push(Reverse((weight, 0, branch)));
            if may_force(tree, flip, self.is_once) {
                return Some((flip, Purpose::Branch { branch, weight }));
            }
        }
        None
    }

    /// Returns the next flip of the drive in progress.
    fn next_of_drive(&mut self, tree: &Tree) -> Option<(Flip, RunId)> {
        let drive = self.drive.as_mut()?;
        let flip = drive.next(tree, &self.sites, &self.distances);
        if flip.is_none() {
            let start = drive.start();
            self.drive = None;
            self.count_try(start);
        }
        flip
    }

    fn count_try(&mut self, branch: BranchId) {
        *self.tries.entry(branch).or_default() += 1;
    }

    fn request(&mut self, flip: Flip, purpose: Purpose, base: RunId) -> Next {
        self.requested = Some((flip, purpose));
        Next::Flip { flip, base }
    }

    /// Leaves a path on which nothing is left to force.
    fn leave_path(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        if !std::mem::replace(&mut self.is_stuck, true) {
            return Next::Restart;
        }
        let flip = tree.pick_untried(|n| rng.below(n)).expect("there are untried flips");
        self.request(flip, Purpose::RandomFlip, tree.creator(flip.node))
    }
}

impl Strategy for Cfg {
    fn on_run(&mut self, run: &RunView) {
        if self.distances.update(run) {
            self.sort_branches();
        }
        if !run.own && run.new_branches.is_empty() {
            return;
        }
        self.is_stuck &= run.first_new == run.nodes.len();
        let requested = self.requested.filter(|(flip, _)| run.flip == Some(*flip));
        let is_random = matches!(requested, Some((_, Purpose::RandomFlip)));
        if run.flip.is_none() || !run.new_branches.is_empty() || is_random {
            self.move_to(run);
            return;
        }
        let drive = self.drive.as_mut();
        match (requested.filter(|_| run.predicted), drive) {
            (Some((flip, Purpose::Branch { branch, weight })), _) => {
                self.drive = Some(Drive::new(FlipSuffix::after(flip, run), branch, weight, self.is_once));
            }
            (Some((flip, Purpose::Drive)), Some(drive)) => drive.arrive(FlipSuffix::after(flip, run)),
            _ => {}
        }
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        if tree.untried() == 0 {
            return Next::Done;
        }
        if let Some((flip, base)) = self.next_of_drive(tree) {
            return self.request(flip, Purpose::Drive, base);
        }
        let Some(base) = self.current.filter(|_| self.failures < MAX_FAILURES) else {
            return self.leave_path(tree, rng);
        };
        match self.select(tree, rng) {
            Some((flip, purpose)) => self.request(flip, purpose, base),
            None => self.leave_path(tree, rng),
        }
    }

    fn on_outcome(&mut self, _: Flip, outcome: Outcome, _: Cost) {
        // If the run covered something new, no request is pending any more.
        let Some((_, Purpose::Branch { branch, .. })) = self.requested.take() else { return };
        self.failures += u32::from(matches!(outcome, Outcome::Taken | Outcome::Diverged));
        if outcome == Outcome::Diverged {
            self.count_try(branch);
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
