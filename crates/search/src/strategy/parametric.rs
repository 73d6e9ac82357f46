//! Parametric search (ParaDySE).
//!
//! S. Cha, S. Hong, J. Lee, H. Oh: Automatically Generating Search Heuristics for Concolic Testing, ICSE
//! 2018. Forty features of a branch (`features.rs`), a weight for each; of the branches of the last path
//! negate the one with the highest sum of weights, the deepest of equal ones. A branch that failed more than
//! 70 times is not tried any more. Without a candidate, restart from random input.
//!
//! Deviations. Features 16, 18, 27, 35 and 36 to 38 follow the paper; its public code differs there, by
//! mistake. BranchContexts consist of symbolic branches only, including dominators. Every other side of a switch is
//! an opposite. Candidates are untried flips; only a path without candidates is left by a flip that was taken
//! before, once, unless the last run brought nothing new. If the weight of uncovered opposites is positive
//! and the path has none left, one of another path comes first (`uncovered.rs`), since most of what one path
//! at a time misses was left behind on earlier paths. A random input without a candidate is followed by a
//! random flip of the tree, so that the search ends only with the tree.
//!
//! Cost: linear in the path per run, with a few operations per branch; a choice after a failed one is
//! logarithmic, and linear in the occurrences of a branch when the features of that branch changed (tried for
//! the first time, or failed too often).

mod path;
mod scorer;
mod tournament;

use super::uncovered::Uncovered;
use crate::features::{BranchContexts, Feature, FeatureSet, Features};
use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use crate::weights::Weights;
use cairn_program::{BranchId, Program, SiteId};
use cairn_tree::{Flip, FlipState, Tree};
use path::Path;
use rustc_hash::FxHashMap;
use scorer::Scorer;
use tournament::{NONE, Tournament};

/// A requested flip.
#[derive(Clone, Copy, Debug)]
struct RequestedFlip {
    flip: Flip,
    branch: BranchId,
    site: SiteId,
    /// True if the branch was never tried in this context before.
    is_new: bool,
}

/// Parametric search.
#[derive(Clone, Debug)]
pub struct Parametric {
    name: String,
    scorer: Scorer,
    /// True if an uncovered opposite raises the score of a branch.
    prefers_uncovered: bool,
    features: Features,
    contexts: BranchContexts,
    path: Path,
    /// Scores, by position on the path.
    scores: Tournament,
    /// Sides of switches on the path, the best first.
    ranks: FxHashMap<SiteId, Vec<u32>>,
    requested: Option<RequestedFlip>,
    /// True if all positions have to be scored again.
    is_outdated: bool,
    /// Site whose branches have changed since they were scored.
    stale: Option<SiteId>,
    /// True if the last request was a random input.
    restarted: bool,
    /// True if the last run's path was known, or was left by a flip that was taken before.
    path_was_known: bool,
    /// Flips to uncovered branches, on any path.
    uncovered: Uncovered,
}

impl Parametric {
    /// Creates a search that has seen no run.
    pub fn new(weights: &Weights, program: &Program) -> Parametric {
        Parametric {
            name: weights.name.clone(),
            scorer: Scorer::new(weights.values()),
            prefers_uncovered: prefers_uncovered(weights.values()),
            features: Features::new(program),
            contexts: BranchContexts::default(),
            path: Path::new(program),
            scores: Tournament::default(),
            ranks: FxHashMap::default(),
            requested: None,
            is_outdated: false,
            stale: None,
            restarted: false,
            path_was_known: false,
            uncovered: Uncovered::new(program),
        }
    }

    /// Replaces the weights.
    pub(super) fn set_weights(&mut self, weights: &[f64; Feature::COUNT]) {
        self.scorer = Scorer::new(weights);
        self.prefers_uncovered = prefers_uncovered(weights);
        self.is_outdated = true;
    }

    /// Returns the untried flips of the last path that are not given up, with the features of each.
    pub fn candidates<'a>(&'a self, tree: &'a Tree) -> impl Iterator<Item = (Flip, FeatureSet)> + 'a {
        let hopeful = (0..self.path.len()).filter(|at| !self.features.is_hopeless(self.path.branch(*at)));
        hopeful.flat_map(move |at| {
            let flips = tree.untried_of(self.path.node(at));
            flips.map(move |flip| (flip, self.features_at(at, flip.side)))
        })
    }

    /// Returns the features of a position on the path if this side were taken there.
    fn features_at(&self, at: usize, side: u32) -> FeatureSet {
        let own = self.features.own(self.path.branch(at));
        let opposite = self.features.opposite(self.path.other(at, side));
        let context = self.contexts.features(self.path.until(at));
        own.union(opposite).union(context).union(self.path.position_features(at))
    }

    /// Scores a position on the path by the best of its untried sides.
    fn score_position(&mut self, tree: &Tree, at: usize) -> f64 {
        if self.features.is_hopeless(self.path.branch(at)) {
            return NONE;
        }
        match self.best_side(tree, at) {
            Some(side) => {
                self.path.aim(at, side);
                self.scorer.score(self.features_at(at, side))
            }
            None => NONE,
        }
    }

    fn best_side(&mut self, tree: &Tree, at: usize) -> Option<u32> {
        let node = self.path.node(at);
        let is_untried = |side: &u32| tree.state(Flip { node, side: *side }) == FlipState::Untried;
        if let Some(other) = self.path.only_other(at) {
            return Some(other).filter(is_untried);
        }
        let (features, scorer, path) = (&self.features, &self.scorer, &self.path);
        let ranked = self.ranks.entry(path.site(at)).or_insert_with(|| {
            let score = |side: &u32| scorer.score(features.opposite(path.other(at, *side)));
            let mut sides: Vec<u32> = path.sides(at).collect();
            sides.sort_by(|a, b| score(b).total_cmp(&score(a)));
            sides
        });
        ranked.iter().copied().find(is_untried)
    }

    fn score_all(&mut self, tree: &Tree) {
        self.ranks.clear();
        let mut scores = std::mem::take(&mut self.scores);
        scores.fill(self.path.len(), |at| self.score_position(tree, at));
        self.scores = scores;
    }

    fn score_again(&mut self, tree: &Tree, at: usize) {
        let score = self.score_position(tree, at);
        self.scores.set(at, score);
    }

    /// Scores the positions of a site again.
    fn score_site(&mut self, tree: &Tree, site: SiteId) {
        self.ranks.remove(&site);
        let mut position = self.path.last_of(site);
        while let Some(at) = position {
            self.score_again(tree, at);
            position = self.path.before(at);
        }
    }

    /// Returns the best candidate of the path.
    fn select(&mut self, tree: &Tree, rng: &mut Rng) -> Option<Next> {
        let stale = self.stale.take();
        if std::mem::take(&mut self.is_outdated) {
            self.score_all(tree);
        } else if let Some(site) = stale {
            self.score_site(tree, site);
        }
        loop {
            let at = self.scores.best()?;
            let flip = self.path.aimed_at(at);
            if tree.state(flip) == FlipState::Untried {
                return self.better_uncovered(tree, at, flip, rng).or_else(|| self.request(at, flip));
            }
            self.score_again(tree, at);
        }
    }

    /// Returns a flip to an uncovered branch on another path, if that is better than the best candidate of
    /// this one.
    fn better_uncovered(&mut self, tree: &Tree, at: usize, best: Flip, rng: &mut Rng) -> Option<Next> {
        let is_better =
            self.prefers_uncovered && !self.features_at(at, best.side).contains(Feature::OppositeUncovered);
        let next = is_better.then(|| self.uncovered.next(tree, rng))?;
        (next != Next::Done).then_some(next)
    }

    fn request(&mut self, at: usize, flip: Flip) -> Option<Next> {
        let (branch, site) = (self.path.branch(at), self.path.site(at));
        let is_new = self.contexts.add(self.path.until(at));
        self.requested = Some(RequestedFlip { flip, branch, site, is_new });
        Some(Next::Flip { flip, base: self.path.run()? })
    }

    /// Returns the best flip of the path that runs have already taken: with the other bytes of this path's
    /// input it may lead to new paths.
    fn negate_again(&mut self, tree: &Tree) -> Option<Next> {
        if std::mem::replace(&mut self.path_was_known, true) {
            return None;
        }
        let hopeful = (0..self.path.len()).filter(|at| !self.features.is_hopeless(self.path.branch(*at)));
        let taken = hopeful.flat_map(|at| self.negated_sides(tree, at).map(move |flip| (at, flip)));
        let scored = taken.map(|(at, flip)| (self.scorer.score(self.features_at(at, flip.side)), at, flip));
        let (_, at, flip) = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
        self.request(at, flip)
    }

    /// Returns the other sides of a position that runs have taken.
    fn negated_sides<'a>(&'a self, tree: &'a Tree, at: usize) -> impl Iterator<Item = Flip> + 'a {
        let is_other = move |flip: &Flip| self.path.other(at, flip.side) != self.path.branch(at);
        let sides = tree.sides(self.path.node(at)).filter(|(_, state)| *state == FlipState::Sat);
        sides.map(|(flip, _)| flip).filter(is_other)
    }

    /// Leaves a path that has no candidates.
    fn leave_path(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        if !self.restarted {
            self.restarted = true;
            return Next::Restart;
        }
        let flip = tree.pick_untried(|n| rng.below(n));
        flip.map_or(Next::Done, |flip| Next::flip(tree, flip))
    }

    /// Returns the branch that a run has negated.
    fn negated(&self, run: &RunView) -> Option<BranchId> {
        let flip = run.flip.filter(|_| run.predicted)?;
        match self.requested.filter(|requested| requested.flip == flip) {
            Some(requested) => Some(requested.branch),
            None => run.tree.branch(run.tree.first_side(flip.node)),
        }
    }
}

fn prefers_uncovered(weights: &[f64; Feature::COUNT]) -> bool {
    weights[Feature::OppositeUncovered as usize] > 0.0
}

impl Strategy for Parametric {
    fn on_run(&mut self, run: &RunView) {
        self.features.add_run(run.new_branches, self.negated(run));
        self.uncovered.on_run(run);
        if run.own {
            self.restarted &= run.flip.is_none();
            self.path_was_known = run.first_new == run.nodes.len();
            self.path.follow(run);
        }
        self.is_outdated = true;
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        if tree.untried() == 0 {
            return Next::Done;
        }
        let next = self.select(tree, rng).or_else(|| self.negate_again(tree));
        next.unwrap_or_else(|| self.leave_path(tree, rng))
    }

    fn on_outcome(&mut self, flip: Flip, outcome: Outcome, cost: Cost) {
        self.uncovered.on_outcome(flip, outcome, cost);
        let Some(requested) = self.requested.take().filter(|requested| requested.flip == flip) else {
            return;
        };
        if outcome != Outcome::Taken {
            let is_other = outcome != Outcome::Suspend && self.features.fail(requested.branch);
            self.stale = (is_other || requested.is_new).then_some(requested.site);
        }
    }

    fn on_resumed(&mut self, tree: &Tree, flips: &[Flip]) {
        self.uncovered.on_resumed(tree, flips);
        self.is_outdated = true;
    }

    fn describe(&self) -> String {
        format!("weights (the branch of the last path that those of {} like best)", self.name)
    }
}
