//! Random branch search.
//!
//! J. Burnim, K. Sen: Heuristics for Scalable Dynamic Test Generation, ASE 2008. Force a uniformly
//! random branch of the current path, trying without replacement, at most 1,000 of them. Move to the
//! new path if it is the predicted one or covers something new. After 10,000 runs without a new
//! branch start again from random input.
//!
//! What differs. The paper's walk may force what it has forced before, and pays a run to see a path
//! again; here only untried flips are forced. So the walk can come to an end: when the current path has
//! no untried flip left, or 1,000 tries on it failed in a row, it goes on from a uniformly random flip
//! of the whole tree. It is done when the tree has none. Every other side of a switch is a branch of
//! the path.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_tree::{Flip, FlipState, RunId, Tree};

const MAX_TRIES: u32 = 1_000;
const MAX_IDLE_RUNS: u32 = 10_000;

/// Random branch search.
#[derive(Clone, Debug, Default)]
pub struct RandomBranch {
    /// The run whose path is the current one.
    current: Option<RunId>,
    /// Flips of that path that were not drawn yet.
    candidates: Vec<Flip>,
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

    fn draw(&mut self, tree: &Tree, rng: &mut Rng) -> Option<Next> {
        let base = self.current?;
        while self.failed < MAX_TRIES && !self.candidates.is_empty() {
            let flip = self.candidates.swap_remove(rng.below(self.candidates.len()));
            if tree.state(flip) == FlipState::Untried {
                return Some(Next::Flip { flip, base });
            }
        }
        None
    }
}

impl Strategy for RandomBranch {
    fn on_run(&mut self, run: &RunView) {
        if !run.own {
            return;
        }
        let is_new = !run.new_branches.is_empty();
        self.idle = if is_new { 0 } else { self.idle + 1 };
        self.failed = 0;
        if run.flip.is_none() || run.predicted || is_new {
            self.current = Some(run.run);
            self.candidates.clear();
            self.candidates.extend(run.nodes.iter().flat_map(|node| run.tree.untried_of(*node)));
        }
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        if self.idle >= MAX_IDLE_RUNS {
            self.idle = 0;
            return Next::Restart;
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
