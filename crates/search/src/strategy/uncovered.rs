//! Straight to what is uncovered.
//!
//! Of all branches of the tree whose other side no run has covered, flip the one that was tried least often, at most
//! [`MAX_TRIES`] times; of equal ones any, and of its occurrences any. A flip that is taken covers something for certain.
//! It soon has nothing left to do, and then again whenever others come to new places: a part of strategies, and none by
//! itself.
//!
//! Cost: eight bytes per flip to an uncovered branch; constant time per choice.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use crate::uncovered_flips::Openings;
use cairn_program::{BranchId, Program};
use cairn_tree::{Flip, Tree};
use rustc_hash::FxHashMap;

/// How often a branch is tried in vain before it is left to others.
const MAX_TRIES: usize = 8;

/// How an uncovered branch stands.
#[derive(Clone, Copy, Default, Debug)]
struct Target {
    tries: usize,
    /// Whether it is in one of the lists.
    waits: bool,
}

/// The search.
#[derive(Clone, Debug)]
pub struct Uncovered {
    openings: Openings,
    targets: FxHashMap<BranchId, Target>,
    /// Targets with flips, by how often they were tried; some may be covered meanwhile.
    waiting: [Vec<BranchId>; MAX_TRIES],
    /// The target that was named last.
    asked: Option<BranchId>,
}

impl Uncovered {
    /// A search that has seen nothing.
    pub fn new(program: &Program) -> Uncovered {
        Uncovered {
            openings: Openings::new(program),
            targets: FxHashMap::default(),
            waiting: Default::default(),
            asked: None,
        }
    }

    fn add(&mut self, tree: &Tree, flip: Flip) {
        if let Some(branch) = self.openings.add(tree, flip) {
            self.wait(branch);
        }
    }

    /// Puts a target with flips into the list where it belongs.
    fn wait(&mut self, branch: BranchId) {
        let target = self.targets.entry(branch).or_default();
        if !target.waits && target.tries < MAX_TRIES && self.openings.count(branch) > 0 {
            target.waits = true;
            self.waiting[target.tries].push(branch);
        }
    }

    /// An untried flip to a target that was tried least often.
    fn draw(&mut self, tree: &Tree, rng: &mut Rng) -> Option<Flip> {
        while let Some(list) = self.waiting.iter_mut().find(|list| !list.is_empty()) {
            let branch = list.swap_remove(rng.below(list.len()));
            let Some(target) = self.targets.get_mut(&branch) else { continue };
            let flip = self.openings.draw(tree, branch, rng);
            *target = Target { tries: target.tries + usize::from(flip.is_some()), waits: false };
            self.wait(branch);
            if flip.is_some() {
                self.asked = Some(branch);
                return flip;
            }
        }
        None
    }

    /// Takes back that a target was tried. If it waits already, it does so one list too late.
    fn give_back(&mut self, branch: BranchId) {
        if let Some(target) = self.targets.get_mut(&branch) {
            target.tries -= 1;
            self.wait(branch);
        }
    }
}

impl Strategy for Uncovered {
    fn on_run(&mut self, run: &RunView) {
        self.openings.cover(run);
        for branch in run.new_branches {
            self.targets.remove(branch);
        }
        run.new_flips().for_each(|flip| self.add(run.tree, flip));
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        self.draw(tree, rng).map_or(Next::Done, |flip| Next::flip(tree, flip))
    }

    fn on_outcome(&mut self, _: Flip, outcome: Outcome, _: Cost) {
        if let (Some(branch), Outcome::Suspend) = (self.asked.take(), outcome) {
            self.give_back(branch);
        }
    }

    fn on_resumed(&mut self, tree: &Tree, flips: &[Flip]) {
        self.openings.drop_tried(tree);
        flips.iter().for_each(|flip| self.add(tree, *flip));
    }

    fn renews_input(&self) -> bool {
        true
    }

    fn describe(&self) -> String {
        "uncovered (branches whose other side is uncovered)".to_owned()
    }
}
