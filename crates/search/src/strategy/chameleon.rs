//! Chameleon: a population of search heuristics that evolves during the search.
//!
//! S. Cha, H. Oh: Concolic Testing with Adaptively Changing Search Heuristics, ESEC/FSE 2019. A heuristic is
//! a list of weights for `parametric`. The heuristics of a pool are tried, each for a number of runs; the
//! best and the worst show what weights should be like, and most of the next pool are offspring of the best.
//! Heuristics that worked at first need not work later, so they change with the search.
//!
//! Deviations. A heuristic is judged by the branches that its runs decided on, each worth less the more
//! heuristics of the pool have seen it. Each weight of an offspring is drawn from a normal distribution
//! around the parent's, which is narrower the further apart the best and the worst are in it. The very first
//! heuristic is the built-in one. One `parametric` search switches from one list of weights to the next, so
//! that all of them share what is known of branches.
//!
//! Cost: that of `parametric`, and a bit per branch of the program for each heuristic of the pool.

mod breed;

use super::parametric::Parametric;
use crate::features::Feature;
use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use crate::weights::Weights;
use breed::{Trial, breed, random};
use cairn_program::Program;
use cairn_tree::{Flip, Tree};

/// Size of the first pool.
const POOL_SIZE: usize = 100;
/// Runs for which a heuristic is tried.
const RUNS_PER_HEURISTIC: u32 = 10;
/// Flips without a run after which a heuristic is given up as well.
const MAX_FAILURES: u32 = 100;

/// A list of weights.
pub(super) type Heuristic = [f64; Feature::COUNT];

/// Chameleon's search.
#[derive(Clone, Debug)]
pub struct Chameleon {
    search: Parametric,
    /// True after the first pool was created.
    has_pool: bool,
    /// Heuristics still to be tried, the next one last.
    waiting: Vec<Heuristic>,
    /// Heuristics tried, with the branches that their runs decided on; the last one is in use.
    tried: Vec<Trial>,
    branches: usize,
    runs: u32,
    failures: u32,
    /// True if the search has requested the current run.
    requested: bool,
}

impl Chameleon {
    /// Creates a search that has seen no run.
    pub fn new(program: &Program) -> Chameleon {
        let (shipped, branches) = (Weights::default(), program.branch_count() as usize);
        Chameleon {
            search: Parametric::new(&shipped, program),
            has_pool: false,
            waiting: Vec::new(),
            tried: vec![Trial::new(*shipped.values(), branches)],
            branches,
            runs: 0,
            failures: 0,
            requested: false,
        }
    }

    /// Switches to the next heuristic, or to the next pool if all of this one were tried.
    fn switch_heuristic(&mut self, rng: &mut Rng) {
        (self.runs, self.failures) = (0, 0);
        if !std::mem::replace(&mut self.has_pool, true) {
            self.waiting = (1..POOL_SIZE).map(|_| random(rng)).collect();
        } else if self.waiting.is_empty() {
            self.waiting = breed(&self.tried, rng);
            self.tried.clear();
        }
        let heuristic = self.waiting.pop().expect("pools are not empty");
        self.search.set_weights(&heuristic);
        self.tried.push(Trial::new(heuristic, self.branches));
    }
}

impl Strategy for Chameleon {
    fn on_run(&mut self, run: &RunView) {
        if run.own && std::mem::take(&mut self.requested) {
            self.runs += 1;
            let steps = run.nodes.iter().zip(run.sides);
            let decided = steps.filter_map(|(&node, &side)| run.tree.branch(Flip { node, side }));
            let in_use = self.tried.last_mut().expect("one is in use");
            decided.chain(run.new_branches.iter().copied()).for_each(|branch| in_use.record(branch));
        }
        self.search.on_run(run);
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        if self.runs >= RUNS_PER_HEURISTIC || self.failures >= MAX_FAILURES {
            self.switch_heuristic(rng);
        }
        let next = self.search.next(tree, rng);
        self.requested = next != Next::Done;
        next
    }

    fn on_outcome(&mut self, flip: Flip, outcome: Outcome, cost: Cost) {
        self.failures += u32::from(matches!(outcome, Outcome::Unsat | Outcome::Unknown));
        self.requested = false;
        self.search.on_outcome(flip, outcome, cost);
    }

    fn on_resumed(&mut self, tree: &Tree, flips: &[Flip]) {
        self.search.on_resumed(tree, flips);
    }

    fn describe(&self) -> String {
        format!("chameleon (parametric, with {POOL_SIZE} lists of weights that evolve)")
    }
}
