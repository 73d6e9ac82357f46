//! Random branch search.
//!
//! J. Burnim, K. Sen: Heuristics for Scalable Dynamic Test Generation, ASE 2008. Force a uniformly random
//! branch of the current path, trying without replacement, at most 1,000 of them. Move to the new path if it
//! is the predicted one or covers something new. After 10,000 runs without a new branch restart from random
//! input.
//!
//! Deviations. Where the paper's walk forces a flip again and pays a run to see the same path, this one
//! moves to that path in the tree. After [`MAX_KNOWN`] such moves in a row, when the current path has nothing
//! left to force, or when 1,000 attempts on it failed in a row, it continues from a uniformly random flip of
//! the whole tree. It is done when the tree has none. Flips that only other strategies on the same tree have
//! taken are forced again, since their paths contain nothing of what this walk has reached; but not twice in
//! a row if the path was known. Every other side of a switch is a branch of the path.
//!
//! Cost: linear in the length of each new current path.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_tree::{Flip, FlipState, NodeId, RunId, Tree};
use rustc_hash::FxHashSet;

const MAX_TRIES: u32 = 1_000;
const MAX_IDLE_RUNS: u32 = 10_000;
/// Maximum number of moves in a row along known paths; a chosen bound.
const MAX_KNOWN: u32 = 8;

/// Random branch search.
#[derive(Clone, Debug, Default)]
pub struct RandomBranch {
    /// Run whose path is the current one.
    current: Option<RunId>,
    /// That path: its nodes, and the sides taken.
    path: Vec<(NodeId, u32)>,
    /// Other sides of the path's nodes that were not drawn yet, with the position of each node.
    candidates: Vec<(usize, Flip)>,
    /// Runs that other strategies requested.
    runs_of_others: FxHashSet<RunId>,
    /// True if the path of the last run was known.
    path_was_known: bool,
    /// Attempts in a row that led to no run.
    failed: u32,
    /// Runs in a row without a new branch.
    idle: u32,
}

impl RandomBranch {
    /// Creates a search that has seen no run.
    pub fn new() -> RandomBranch {
        RandomBranch::default()
    }

    /// Returns a random flip of the current path; if a known side is drawn, moves to that path instead.
    fn draw(&mut self, tree: &Tree, rng: &mut Rng) -> Option<Next> {
        let mut moves = 0;
        while self.failed < MAX_TRIES && moves < MAX_KNOWN && !self.candidates.is_empty() {
            let (position, flip) = self.candidates.swap_remove(rng.below(self.candidates.len()));
            let is_forced = match tree.state(flip) {
                FlipState::Untried => true,
                FlipState::Sat => !self.path_was_known && self.is_taken_by_others(tree, flip),
                _ => continue,
            };
            if is_forced {
                return Some(Next::Flip { flip, base: self.current? });
            }
            self.follow(tree, position, flip);
            moves += 1;
        }
        None
    }

    fn is_taken_by_others(&self, tree: &Tree, flip: Flip) -> bool {
        tree.after(flip).is_some_and(|node| self.runs_of_others.contains(&tree.creator(node)))
    }

    /// Moves to the path of the run that took this flip first.
    fn follow(&mut self, tree: &Tree, position: usize, flip: Flip) {
        self.path.truncate(position);
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
        for (position, (node, taken)) in self.path.iter().enumerate() {
            let others = tree.sides(*node).filter(|(side, _)| side.side != *taken);
            self.candidates.extend(others.map(|(flip, _)| (position, flip)));
        }
    }
}

impl Strategy for RandomBranch {
    fn on_run(&mut self, run: &RunView) {
        if !run.own {
            self.runs_of_others.insert(run.run);
            return;
        }
        let is_new = !run.new_branches.is_empty();
        self.idle = if is_new { 0 } else { self.idle + 1 };
        self.failed = 0;
        self.path_was_known = run.first_new == run.nodes.len();
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
