//! Definition-use guidance: inputs that store what uncovered conditions depend on.
//!
//! Where a condition does not depend on the input on any path seen, there is no flip to its uncovered side. What
//! it reads was stored before: an option sets a flag, and much later the flag decides. Data-flow testing names the
//! pair of a definition and a use (S. Rapps, E. J. Weyuker: Selecting Software Test Data Using Data Flow
//! Information, TSE 1985); T. Su et al. (Combining Symbolic Execution and Model Checking for Data Flow Testing,
//! ICSE 2015) direct symbolic execution to one pair after the other.
//!
//! A use is a site with an uncovered side that runs have reached. Its definitions are the stores to the variables
//! that its condition reads. A pair is of interest until some runs have executed both. There are two ways to such
//! a run, and both start from one that reaches the use:
//!
//! - If another run executes the definition, its input is combined with that of the first run. The strategy names
//!   the decisions that have led to either, from which the campaign sees which parts of the inputs matter.
//! - The decision of the path that is nearest to the definition is flipped. All that the run did before is kept,
//!   and so are the bytes that no constraint reads, so that the new run is likely to reach the use as well. If it
//!   does, and more branches are to be taken before the definition, the search continues from there.
//!
//! The way that has covered more takes precedence. Uses that were tried least come first. When no pair is left,
//! or none that these ways lead to, the strategy is done: it is an arm of `auto`.
//!
//! Cost: time linear in the definitions and open uses per run, in a path's length per choice; some runs per use
//! and definition.

mod pairs;
mod paths;

use crate::gamma::draw_gamma;
use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_program::Program;
use cairn_tree::{Flip, RunId, Tree};
use pairs::{Pair, Pairs};
use paths::{deciding_node, nearest_flip};

/// Uses that are tried before the strategy gives up; a chosen bound.
const MAX_ATTEMPTS: usize = 16;
/// Attempts at a use; a chosen bound.
const MAX_TRIES: usize = 64;
/// Number of runs of a way after which older ones count half; a chosen bound.
const WINDOW: f64 = 64.0;

/// A definition that is being approached by flips, from run to run.
#[derive(Clone, Copy, Debug)]
struct Pursuit {
    pair: Pair,
    /// Number of branches to be taken after the last flip.
    left: u32,
    /// The run that has taken it, if it reached the use.
    run: Option<RunId>,
}

/// Way of making an input.
#[derive(Clone, Copy, Debug)]
enum Way {
    Flip,
    Combination,
}

/// Number of runs that a way has led to, and of branches that these were the first to cover.
#[derive(Clone, Copy, Debug, Default)]
struct WayYield {
    runs: f64,
    branches: f64,
}

impl WayYield {
    fn count(&mut self, branches: usize) {
        self.runs += 1.0;
        self.branches += branches as f64;
        if self.runs >= WINDOW {
            self.runs /= 2.0;
            self.branches /= 2.0;
        }
    }

    fn draw(&self, rng: &mut Rng) -> f64 {
        draw_gamma(self.branches + 1.0, rng) / (self.runs + 1.0)
    }
}

/// Definition-use guidance.
#[derive(Clone, Debug)]
pub struct DefUse {
    pairs: Pairs,
    /// Uses by number of attempts.
    waiting: Vec<Vec<usize>>,
    pursuit: Option<Pursuit>,
    /// By [`Way`].
    yields: [WayYield; 2],
    /// The way of the last request.
    requested: Option<Way>,
}

impl DefUse {
    /// Creates a search that has seen no run.
    pub fn new(program: &Program) -> DefUse {
        DefUse {
            pairs: Pairs::new(program),
            waiting: vec![Vec::new(); MAX_TRIES],
            pursuit: None,
            yields: Default::default(),
            requested: None,
        }
    }

    /// Draws a pair of one of the open uses that were tried least.
    fn draw_pair(&mut self, rng: &mut Rng) -> Option<Pair> {
        loop {
            let tries = self.waiting.iter().position(|list| !list.is_empty())?;
            let list = &mut self.waiting[tries];
            let of = list.swap_remove(rng.below(list.len()));
            if self.pairs.is_open(of) {
                self.waiting.get_mut(tries + 1).into_iter().for_each(|list| list.push(of));
                return Some(self.pairs.draw(of, rng));
            }
        }
    }

    /// Continues the last pursuit, if its run has reached the use.
    fn pursue(&mut self, tree: &Tree, rng: &mut Rng) -> Option<Next> {
        let Pursuit { pair, left, run } = self.pursuit.take()?;
        let run = run.filter(|_| self.pairs.is_open(pair.of))?;
        self.flip(tree, pair, run, left, rng)
    }

    /// Returns a request for one of the pairs.
    fn begin(&mut self, tree: &Tree, rng: &mut Rng) -> Option<Next> {
        let values = self.yields.map(|way| way.draw(rng));
        let combines = values[Way::Combination as usize] > values[Way::Flip as usize];
        for _ in 0..MAX_ATTEMPTS {
            let pair = self.draw_pair(rng)?;
            let Some(user) = self.pairs.draw_user(pair, rng) else { continue };
            let definer = self.pairs.draw_definer(pair, rng);
            let combination = definer.map(|definer| self.combination(tree, pair, user, definer));
            let next = match combination {
                Some(next) if combines => Some(next),
                other => self.flip(tree, pair, user, u32::MAX, rng).or(other),
            };
            if next.is_some() {
                return next;
            }
        }
        None
    }

    /// Requests the flip on a run's path that is nearest to the definition.
    fn flip(&mut self, tree: &Tree, pair: Pair, run: RunId, below: u32, rng: &mut Rng) -> Option<Next> {
        let (left, flip) = nearest_flip(tree, run, self.pairs.to_definition(pair), below, rng)?;
        self.pursuit = Some(Pursuit { pair, left, run: None });
        Some(Next::Flip { flip, base: run })
    }

    fn combination(&self, tree: &Tree, pair: Pair, user: RunId, definer: RunId) -> Next {
        let keep = deciding_node(tree, user, self.pairs.to_use(pair));
        let take = deciding_node(tree, definer, self.pairs.to_definition(pair));
        Next::Combine { base: user, keep, donor: definer, take }
    }
}

impl Strategy for DefUse {
    fn on_run(&mut self, run: &RunView) {
        self.waiting[0].extend(self.pairs.add_run(run));
        if let Some(way) = self.requested.take_if(|_| run.own) {
            self.yields[way as usize].count(run.new_branches.len());
        }
        if let Some(pursuit) = self.pursuit.as_mut().filter(|_| run.own) {
            let reaches_use = run.predicted && self.pairs.is_reached(pursuit.pair.of, run);
            pursuit.run = reaches_use.then_some(run.run);
        }
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        let next = self.pursue(tree, rng).or_else(|| self.begin(tree, rng)).unwrap_or(Next::Done);
        self.requested = match next {
            Next::Flip { .. } => Some(Way::Flip),
            Next::Combine { .. } => Some(Way::Combination),
            _ => None,
        };
        if !matches!(next, Next::Flip { .. }) {
            self.pursuit = None;
        }
        next
    }

    fn on_outcome(&mut self, _: Flip, _: Outcome, _: Cost) {}

    fn describe(&self) -> String {
        "def-use (stores to what uncovered branches read)".to_owned()
    }
}
