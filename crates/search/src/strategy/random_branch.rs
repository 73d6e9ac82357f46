//! Random branch search.
//!
//! J. Burnim, K. Sen: Heuristics for Scalable Dynamic Test Generation, ASE 2008. Force a uniformly
//! random branch of the current path, trying without replacement, at most 1,000 of them. Move to the
//! new path if it is the predicted one or covers something new. After 10,000 runs without a new
//! branch start again from random input.
//!
//! What differs. Where the paper's walk forces what it has forced before, and pays a run to see a path again, this one
//! moves on to that path in the tree. After [`MAX_KNOWN`] such moves in a row, when the current path has nothing left to
//! force, or when 1,000 tries on it failed in a row, it goes on from a uniformly random flip of the whole tree. It is done
//! when the tree has none. What only others have taken, who search the same tree in another order, is forced again: their
//! paths have nothing of what this walk has come to; but not twice in a row if all there was to see was known. Every
//! other side of a switch is a branch of the path.
//!
//! Cost: linear in the length of each new current path.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_tree::{Flip, FlipState, NodeId, RunId, Tree};
use rustc_hash::FxHashSet;

const MAX_TRIES: u32 = 1_000;
const MAX_IDLE_RUNS: u32 = 10_000;
/// Moves in a row along known paths.
const MAX_KNOWN: u32 = 8;

/// Random branch search.
#[derive(Clone, Debug, Default)]
pub struct RandomBranch {
    /// The run whose path is the current one.
    current: Option<RunId>,
    /// That path: its nodes, and the sides taken.
    path: Vec<(NodeId, u32)>,
    /// The other sides of the path's nodes that were not drawn yet, each with the place of its node.
    candidates: Vec<(usize, Flip)>,
    /// Runs that others asked for.
    foreign: FxHashSet<RunId>,
    /// Whether the last run saw a path that was known.
    saw_nothing: bool,
    /// Tries in a row that led to no run.
    failed: u32,
    /// Runs in a row without a new branch.
    idle: u32,
}

impl RandomBranch {
    /// A search that has seen nothing.
    pub fn new() -> RandomBranch {
        RandomBranch::default()
    }

    /// A flip of the current path, drawn at random; if a known side is drawn, that path becomes the current one.
    fn draw(&mut self, tree: &Tree, rng: &mut Rng) -> Option<Next> {
        let mut moves = 0;
        while self.failed < MAX_TRIES && moves < MAX_KNOWN && !self.candidates.is_empty() {
            let (place, flip) = self.candidates.swap_remove(rng.below(self.candidates.len()));
            let is_forced = match tree.state(flip) {
                FlipState::Untried => true,
                FlipState::Sat => !self.saw_nothing && self.is_foreign(tree, flip),
                _ => continue,
            };
            if is_forced {
                return Some(Next::Flip { flip, base: self.current? });
            }
            self.follow(tree, place, flip);
            moves += 1;
        }
        None
    }

    fn is_foreign(&self, tree: &Tree, flip: Flip) -> bool {
        tree.after(flip).is_some_and(|node| self.foreign.contains(&tree.creator(node)))
    }

    /// Moves to the path of the run that took this flip first.
    fn follow(&mut self, tree: &Tree, place: usize, flip: Flip) {
        self.path.truncate(place);
        self.path.push((flip.node, flip.side));
        let mut below = tree.after(flip);
        self.current = below.map(|node| tree.creator(node)).or(self.current);
        while let Some(node) = below {
            let side = tree.first_side(node);
            self.path.push((node, side.side));
            below = tree.after(side);
        }
        self.find_candidates(tree);
    }

    fn find_candidates(&mut self, tree: &Tree) {
        self.candidates.clear();
        for (place, (node, taken)) in self.path.iter().enumerate() {
            let others = tree.sides(*node).filter(|(side, _)| side.side != *taken);
            self.candidates.extend(others.map(|(flip, _)| (place, flip)));
        }
    }
}

impl Strategy for RandomBranch {
    fn on_run(&mut self, run: &RunView) {
        if !run.own {
            self.foreign.insert(run.run);
            return;
        }
        let is_new = !run.new_branches.is_empty();
        self.idle = if is_new { 0 } else { self.idle + 1 };
        self.failed = 0;
        self.saw_nothing = run.first_new == run.nodes.len();
        if run.flip.is_none() || run.predicted || is_new {
            self.current = Some(run.run);
            self.path.clear();
            self.path.extend(run.nodes.iter().copied().zip(run.sides.iter().copied()));
            self.find_candidates(run.tree);
        }
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        if self.idle >= MAX_IDLE_RUNS {
            self.idle = 0;
            return Next::Restart;
        }
        if tree.untried() == 0 {
            return Next::Done;
        }
        let anywhere = |rng: &mut Rng| Some(Next::flip(tree, tree.pick_untried(|n| rng.below(n))?));
        self.draw(tree, rng).or_else(|| anywhere(rng)).unwrap_or(Next::Done)
    }

    fn on_outcome(&mut self, _: Flip, outcome: Outcome, _: Cost) {
        self.failed += u32::from(matches!(outcome, Outcome::Unsat | Outcome::Unknown));
    }

    fn describe(&self) -> String {
        format!("random-branch (restart after {MAX_IDLE_RUNS} runs without a new branch)")
    }
}
