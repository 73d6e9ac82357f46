//! Straight to what is uncovered.
//!
//! Of all branches of the tree whose other side no run has covered, flip the one that was tried least often, at most
//! [`MAX_TRIES`] times; of equal ones any, and of its occurrences any. A flip that is taken covers something for certain.
//! It soon has nothing left to do, and then again whenever others come to new places: an arm, but no strategy.
//!
//! Cost: eight bytes per flip to an uncovered branch; constant time per choice.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_program::{BranchId, Program};
use cairn_tree::{Flip, FlipState, Tree};
use rustc_hash::FxHashMap;

/// How often a branch is tried in vain before it is left to others.
const MAX_TRIES: usize = 8;

/// An uncovered branch that paths have come by.
#[derive(Clone, Default, Debug)]
struct Target {
    flips: Vec<Flip>,
    tries: usize,
    /// Whether it is in one of the lists.
    waits: bool,
}

/// The search.
#[derive(Clone, Debug)]
pub struct Uncovered {
    covered: Vec<bool>,
    targets: FxHashMap<BranchId, Target>,
    /// Targets with flips, by how often they were tried; some may be covered meanwhile.
    waiting: [Vec<BranchId>; MAX_TRIES],
}

impl Uncovered {
    /// A search that has seen nothing.
    pub fn new(program: &Program) -> Uncovered {
        let is_users = |branch| program.is_counted(BranchId(branch));
        Uncovered {
            covered: (0..program.branch_count()).map(|branch| !is_users(branch)).collect(),
            targets: FxHashMap::default(),
            waiting: Default::default(),
        }
    }

    fn add(&mut self, tree: &Tree, flip: Flip) {
        let branch = tree.branch(flip).filter(|branch| !self.covered[branch.0 as usize]);
        let Some(branch) = branch else { return };
        self.targets.entry(branch).or_default().flips.push(flip);
        self.wait(branch);
    }

    /// Puts a target into the list where it belongs.
    fn wait(&mut self, branch: BranchId) {
        let Some(target) = self.targets.get_mut(&branch) else { return };
        if !target.waits && !target.flips.is_empty() && target.tries < MAX_TRIES {
            target.waits = true;
            self.waiting[target.tries].push(branch);
        }
    }

    /// An untried flip to a target that was tried least often.
    fn draw(&mut self, tree: &Tree, rng: &mut Rng) -> Option<Flip> {
        while let Some(list) = self.waiting.iter_mut().find(|list| !list.is_empty()) {
            let branch = list.swap_remove(rng.below(list.len()));
            let Some(target) = self.targets.get_mut(&branch) else { continue };
            target.waits = false;
            let flip = target.draw(tree, rng);
            self.wait(branch);
            if flip.is_some() {
                return flip;
            }
        }
        None
    }
}

impl Target {
    fn draw(&mut self, tree: &Tree, rng: &mut Rng) -> Option<Flip> {
        while !self.flips.is_empty() {
            let flip = self.flips.swap_remove(rng.below(self.flips.len()));
            if tree.state(flip) == FlipState::Untried {
                self.tries += 1;
                return Some(flip);
            }
        }
        None
    }
}

impl Strategy for Uncovered {
    fn on_run(&mut self, run: &RunView) {
        for branch in run.new_branches {
            self.covered[branch.0 as usize] = true;
            self.targets.remove(branch);
        }
        run.new_flips().for_each(|flip| self.add(run.tree, flip));
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        self.draw(tree, rng).map_or(Next::Done, |flip| Next::flip(tree, flip))
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn on_revived(&mut self, tree: &Tree, flips: &[Flip]) {
        for target in self.targets.values_mut() {
            target.flips.retain(|flip| tree.state(*flip) == FlipState::Untried);
        }
        flips.iter().for_each(|flip| self.add(tree, *flip));
    }

    fn renews_input(&self) -> bool {
        true
    }

    fn describe(&self) -> String {
        "uncovered (branches whose other side is uncovered)".to_owned()
    }
}
