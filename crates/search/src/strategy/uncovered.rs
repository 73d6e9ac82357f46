//! Flips to uncovered branches, as a part of other strategies.
//!
//! Of all branches of the tree whose other side is uncovered, flip the one that was tried least often, at
//! most [`MAX_TRIES`] times; ties, and the occurrence of the branch, are chosen at random. A flip that is
//! taken certainly covers something. The strategy soon has nothing left to do, and resumes whenever others
//! reach new branches: so it is no strategy by itself.
//!
//! Cost: eight bytes per flip to an uncovered branch; constant time per choice.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use crate::uncovered_flips::UncoveredFlips;
use cairn_program::{BranchId, Program};
use cairn_tree::{Flip, Tree};
use rustc_hash::FxHashMap;

/// Attempts at a branch before it is left to others. Eight instead of three covered about as much with `auto`
/// (bench/RESULTS.md).
const MAX_TRIES: usize = 8;

/// The state of an uncovered branch.
#[derive(Clone, Copy, Default, Debug)]
struct TargetState {
    tries: usize,
    /// True if it is in one of the lists.
    is_listed: bool,
}

/// Search for uncovered branches.
#[derive(Clone, Debug)]
pub struct Uncovered {
    uncovered_flips: UncoveredFlips,
    targets: FxHashMap<BranchId, TargetState>,
    /// Targets with flips, by number of attempts; some may have been covered since.
    waiting: [Vec<BranchId>; MAX_TRIES],
    /// TargetState of the last request.
    requested: Option<BranchId>,
}

impl Uncovered {
    /// Creates a search that has seen no run.
    pub fn new(program: &Program) -> Uncovered {
        Uncovered {
            uncovered_flips: UncoveredFlips::new(program),
            targets: FxHashMap::default(),
            waiting: Default::default(),
            requested: None,
        }
    }

    fn add(&mut self, tree: &Tree, flip: Flip) {
        if let Some(branch) = self.uncovered_flips.add(tree, flip) {
            self.enlist(branch);
        }
    }

    /// Adds a target with flips to the list of its attempts.
    fn enlist(&mut self, branch: BranchId) {
        let target = self.targets.entry(branch).or_default();
        if !target.is_listed && target.tries < MAX_TRIES && self.uncovered_flips.count(branch) > 0 {
            target.is_listed = true;
            self.waiting[target.tries].push(branch);
        }
    }

    /// Returns an untried flip to a target with the fewest attempts.
    fn draw(&mut self, tree: &Tree, rng: &mut Rng) -> Option<Flip> {
        while let Some(list) = self.waiting.iter_mut().find(|list| !list.is_empty()) {
            let branch = list.swap_remove(rng.below(list.len()));
            let Some(target) = self.targets.get_mut(&branch) else { continue };
            let flip = self.uncovered_flips.draw(tree, branch, rng);
            *target = TargetState { tries: target.tries + usize::from(flip.is_some()), is_listed: false };
            self.enlist(branch);
            if flip.is_some() {
                self.requested = Some(branch);
                return flip;
            }
        }
        None
    }

    /// Takes back an attempt at a target. If it is listed already, it stays one list too late.
    fn undo_try(&mut self, branch: BranchId) {
        if let Some(target) = self.targets.get_mut(&branch) {
            target.tries -= 1;
            self.enlist(branch);
        }
    }
}

impl Strategy for Uncovered {
    fn on_run(&mut self, run: &RunView) {
        self.uncovered_flips.cover(run);
        for branch in run.new_branches {
            self.targets.remove(branch);
        }
        run.new_flips().for_each(|flip| self.add(run.tree, flip));
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        self.draw(tree, rng).map_or(Next::Done, |flip| Next::flip(tree, flip))
    }

    fn on_outcome(&mut self, _: Flip, outcome: Outcome, _: Cost) {
        if let (Some(branch), Outcome::Suspend) = (self.requested.take(), outcome) {
            self.undo_try(branch);
        }
    }

    fn on_resumed(&mut self, tree: &Tree, flips: &[Flip]) {
        self.uncovered_flips.drop_tried(tree);
        flips.iter().for_each(|flip| self.add(tree, *flip));
    }

    fn renews_input(&self) -> bool {
        true
    }

    fn describe(&self) -> String {
        "uncovered (branches whose other side is uncovered)".to_owned()
    }
}
