//! Search with a population of heuristics that evolves while it searches.
//!
//! S. Cha, H. Oh: Concolic Testing with Adaptively Changing Search Heuristics, ESEC/FSE 2019. A heuristic is a list of weights
//! for `parametric`. A pool of them is tried, each for a stretch of runs; the best and the worst tell what weights should be
//! like, and most of the next pool are offspring of the best. What worked while everything was new need not work
//! later: the heuristics change with the search.
//!
//! What differs. A heuristic is judged by the branches that its runs decided on, each worth the less the more heuristics of
//! the pool have seen it. Offspring have each weight from a normal distribution around the parent's, the narrower the
//! further apart the best and the worst are in it. The first heuristic of all is that which ships with Cairn. One
//! `parametric` search goes from one list of weights to the next, so that all of them share what is known of branches.
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

/// Heuristics of the first pool.
const POOL: usize = 100;
/// Runs for which a heuristic is tried.
const STRETCH: u32 = 10;
/// Flips that may lead to no run before its time is up as well.
const MAX_FAILURES: u32 = 100;

/// A list of weights.
pub(super) type Heuristic = [f64; Feature::COUNT];

/// The search.
#[derive(Clone, Debug)]
pub struct Chameleon {
    search: Parametric,
    /// Whether there was a first pool.
    has_pool: bool,
    /// Heuristics that are still to be tried, the next one last.
    waiting: Vec<Heuristic>,
    /// Those that were, with what their runs decided on; the last is at work.
    tried: Vec<Trial>,
    branches: usize,
    runs: u32,
    failures: u32,
    /// Whether the search has asked for the run that is made now.
    asked: bool,
}

impl Chameleon {
    /// A search that has seen nothing.
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
            asked: false,
        }
    }

    /// Goes over to the next heuristic; to the next pool if all of this one were tried.
    fn change(&mut self, rng: &mut Rng) {
        (self.runs, self.failures) = (0, 0);
        if !std::mem::replace(&mut self.has_pool, true) {
            self.waiting = (1..POOL).map(|_| random(rng)).collect();
        } else if self.waiting.is_empty() {
            self.waiting = breed(&self.tried, rng);
            self.tried.clear();
        }
        let heuristic = self.waiting.pop().expect("pools are not empty");
        self.search.adopt(&heuristic);
        self.tried.push(Trial::new(heuristic, self.branches));
    }
}

impl Strategy for Chameleon {
    fn on_run(&mut self, run: &RunView) {
        if run.own && std::mem::take(&mut self.asked) {
            self.runs += 1;
            let steps = run.nodes.iter().zip(run.sides);
            let decided = steps.filter_map(|(&node, &side)| run.tree.branch(Flip { node, side }));
            let at_work = self.tried.last_mut().expect("one is at work");
            decided.chain(run.new_branches.iter().copied()).for_each(|branch| at_work.see(branch));
        }
        self.search.on_run(run);
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        if self.runs >= STRETCH || self.failures >= MAX_FAILURES {
            self.change(rng);
        }
        let next = self.search.next(tree, rng);
        self.asked = next != Next::Done;
        next
    }

    fn on_outcome(&mut self, flip: Flip, outcome: Outcome, cost: Cost) {
        self.failures += u32::from(matches!(outcome, Outcome::Unsat | Outcome::Unknown));
        self.asked = false;
        self.search.on_outcome(flip, outcome, cost);
    }

    fn on_resumed(&mut self, tree: &Tree, flips: &[Flip]) {
        self.search.on_resumed(tree, flips);
    }

    fn describe(&self) -> String {
        format!("chameleon (parametric, with {POOL} lists of weights that evolve)")
    }
}
