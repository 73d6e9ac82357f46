//! Definition-use guidance: inputs that store what uncovered conditions depend on.
//!
//! Where a condition does not depend on the input on any path seen, there is no flip to its uncovered side. What
//! it reads was stored before: an option sets a flag, and much later the flag decides. Data-flow testing names the
//! pair of a definition and a use (S. Rapps, E. J. Weyuker: Selecting Software Test Data Using Data Flow
//! Information, TSE 1985); T. Su et al. (Combining Symbolic Execution and Model Checking for Data Flow Testing,
//! ICSE 2015) direct symbolic execution to one pair after the other.
//!
//! A use is a site with an uncovered side that runs have reached. Its definitions are the stores to the variables
//! that its condition reads. A pair is of interest until some runs have executed both. There are three ways to
//! cover the use, and all start from a run that reaches it:
//!
//! - If another run executes a definition, its input is combined with that of the first run. The strategy names
//!   the decisions that have led to either, from which the campaign sees which parts of the inputs matter.
//! - The decision of the path that is nearest to a definition is flipped. All that the run did before is kept,
//!   and so are the bytes that no constraint reads, so that the new run is likely to reach the use as well. If it
//!   does, and more branches are to be taken before the definition, the search continues from there.
//! - One of the last decisions before the use is flipped, and then one of those behind that, as long as runs reach
//!   the use: what the condition reads may be a result that these decisions compute, as those of a comparison of
//!   strings do.
//!
//! The way is drawn by what each has covered. Uses that were tried least come first. When none is left that these
//! ways lead to, any flip is as good; with the setting `only`, for `auto`, others may play instead.
//!
//! Cost: time linear in the definitions and open uses per run, in a path's length per choice; some runs per use
//! and definition.

mod pairs;
mod paths;

use crate::gamma::draw_gamma;
use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_program::Program;
use cairn_tree::{Flip, NodeId, RunId, Tree};
use pairs::{Pair, Pairs};
use paths::{deciding_node, flip_before, nearest_flip};

/// Uses that are tried before the strategy gives up; a chosen bound.
const MAX_ATTEMPTS: usize = 4;
/// Attempts at a use that are counted; a chosen bound.
const MAX_TRIES: usize = 64;
/// Flips of a pursuit; a chosen bound.
const MAX_STEPS: u32 = 32;
/// Number of runs of a way after which older ones count half; a chosen bound.
const WINDOW: f64 = 64.0;

/// Way of covering a use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// Combination with the input of a run through a definition.
    Combination,
    /// Flips towards a definition.
    Definition,
    /// Flips before the use.
    Before,
}

const WAYS: [Way; 3] = [Way::Combination, Way::Definition, Way::Before];

/// A path, and where to look for a flip on it.
#[derive(Clone, Copy, Debug)]
struct Place {
    run: RunId,
    /// Before the use: the node behind which the flip is to be.
    after: Option<NodeId>,
    /// Towards a definition: more branches than may be left to be taken after the flip.
    below: u32,
}

impl Place {
    fn anywhere(run: RunId) -> Place {
        Place { run, after: None, below: u32::MAX }
    }
}

/// Flips that are made one after the other, as long as their runs reach the use.
#[derive(Clone, Copy, Debug)]
struct Pursuit {
    of: usize,
    /// The definition that is approached; none if the flips are before the use.
    pair: Option<Pair>,
    /// Number of flips that remain.
    steps: u32,
    place: Place,
    /// The last flip, and the branches to be taken after it.
    flip: Flip,
    left: u32,
    /// Where to continue: from the run that has taken the flip if it reached the use, from the same place if there
    /// was no run.
    next: Option<Place>,
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
    yields: [WayYield; WAYS.len()],
    /// The way of the last request.
    requested: Option<Way>,
    /// True if no other flips are requested.
    is_only: bool,
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
            is_only: false,
        }
    }

    /// Creates a search from its settings: none, or `only`.
    pub fn parse(settings: Option<&str>, program: &Program) -> Result<DefUse, String> {
        match settings {
            None => Ok(DefUse::new(program)),
            Some("only") => Ok(DefUse { is_only: true, ..DefUse::new(program) }),
            Some(other) => Err(format!("its only setting is `only`, not `{other}`")),
        }
    }

    /// Draws one of the open uses that were tried least.
    fn draw_use(&mut self, rng: &mut Rng) -> Option<usize> {
        loop {
            let tries = self.waiting.iter().position(|list| !list.is_empty())?;
            let list = &mut self.waiting[tries];
            let of = list.swap_remove(rng.below(list.len()));
            if self.pairs.is_open(of) {
                self.waiting[(tries + 1).min(MAX_TRIES - 1)].push(of);
                return Some(of);
            }
        }
    }

    /// Returns the ways by their draws, the best first.
    fn ranking(&self, rng: &mut Rng) -> [Way; WAYS.len()] {
        let values = self.yields.map(|way| way.draw(rng));
        let mut ways = WAYS;
        ways.sort_by(|a, b| values[*b as usize].total_cmp(&values[*a as usize]));
        ways
    }

    /// Continues the last pursuit.
    fn pursue(&mut self, tree: &Tree, rng: &mut Rng) -> Option<Next> {
        let Pursuit { of, pair, steps, next, .. } = self.pursuit.take()?;
        let place = next.filter(|_| steps > 0 && self.pairs.is_open(of))?;
        self.flip(tree, of, pair, place, steps - 1, rng)
    }

    /// Returns a request for one of the uses.
    fn begin(&mut self, tree: &Tree, rng: &mut Rng) -> Option<Next> {
        for _ in 0..MAX_ATTEMPTS {
            let of = self.draw_use(rng)?;
            let Some(run) = self.pairs.draw_user(of, rng) else { continue };
            let pair = self.pairs.draw(of, rng);
            for way in self.ranking(rng) {
                let next = match (way, pair) {
                    (Way::Combination, Some(pair)) => self.combination(tree, pair, run, rng),
                    (Way::Definition, Some(_)) => {
                        self.flip(tree, of, pair, Place::anywhere(run), MAX_STEPS, rng)
                    }
                    (Way::Before, _) => self.flip(tree, of, None, Place::anywhere(run), MAX_STEPS, rng),
                    _ => None,
                };
                if next.is_some() {
                    return next;
                }
            }
        }
        None
    }

    /// Requests a flip towards a definition, or before the use if none is given.
    fn flip(
        &mut self,
        tree: &Tree,
        of: usize,
        pair: Option<Pair>,
        place: Place,
        steps: u32,
        rng: &mut Rng,
    ) -> Option<Next> {
        let Place { run, after, below } = place;
        let (left, flip) = match pair {
            Some(pair) => nearest_flip(tree, run, self.pairs.to_definition(pair), below, rng)?,
            None => (0, flip_before(tree, run, self.pairs.branches(of), after, rng)?),
        };
        self.pursuit = Some(Pursuit { of, pair, steps, place, flip, left, next: None });
        self.requested = Some(if pair.is_some() { Way::Definition } else { Way::Before });
        Some(Next::Flip { flip, base: run })
    }

    /// Requests the input of a run that reaches the use with a part of that of one which executes the definition.
    fn combination(&mut self, tree: &Tree, pair: Pair, run: RunId, rng: &mut Rng) -> Option<Next> {
        let donor = self.pairs.draw_definer(pair, rng)?;
        let keep = deciding_node(tree, run, self.pairs.to_use(pair));
        let take = deciding_node(tree, donor, self.pairs.to_definition(pair));
        self.requested = Some(Way::Combination);
        Some(Next::Combine { base: run, keep, donor, take })
    }
}

impl Strategy for DefUse {
    fn on_run(&mut self, run: &RunView) {
        self.waiting[0].extend(self.pairs.add_run(run));
        if let Some(way) = self.requested.take_if(|_| run.own) {
            self.yields[way as usize].count(run.new_branches.len());
        }
        if let Some(pursuit) = self.pursuit.as_mut().filter(|_| run.own) {
            let is_taken = run.flip == Some(pursuit.flip) && run.predicted;
            if is_taken && self.pairs.is_reached(pursuit.of, run) {
                pursuit.next =
                    Some(Place { run: run.run, after: Some(pursuit.flip.node), below: pursuit.left });
            }
        }
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        self.requested = None;
        let next = self.pursue(tree, rng).or_else(|| self.begin(tree, rng));
        if next.is_some() || self.is_only {
            return next.unwrap_or(Next::Done);
        }
        tree.pick_untried(|n| rng.below(n)).map_or(Next::Done, |flip| Next::flip(tree, flip))
    }

    fn on_outcome(&mut self, flip: Flip, outcome: Outcome, _: Cost) {
        if let Some(pursuit) = self.pursuit.as_mut().filter(|pursuit| pursuit.flip == flip)
            && pursuit.place.after.is_some()
            && matches!(outcome, Outcome::Unsat | Outcome::Unknown)
        {
            pursuit.next = Some(pursuit.place);
        }
    }

    fn describe(&self) -> String {
        "def-use (stores to what uncovered branches read)".to_owned()
    }
}
