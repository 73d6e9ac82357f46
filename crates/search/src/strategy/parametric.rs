//! Parametric search.
//!
//! S. Cha, S. Hong, J. Lee, H. Oh: Automatically Generating Search Heuristics for Concolic Testing, ICSE 2018. Forty
//! features of a branch (`features.rs`), a weight for each; of the branches of the last path negate the one with the highest
//! sum of weights, the deepest of several. A branch that failed more than 70 times is not tried any more. Without a
//! candidate, start again from random input.
//!
//! What differs. The public code has other features 16, 18, 27, 35 and 36 to 38 than the paper, by mistake. Contexts are
//! made of symbolic branches only, dominators among them. Every other side of a switch is an opposite. Candidates are what
//! nobody has tried; only a path that has none left is left by what was negated before, once, unless the
//! last run saw nothing new. If weights like uncovered opposites and the path has none left, one of another path comes first
//! (`uncovered.rs`): what is left behind on paths long gone is most of what one path at a time misses. A random input that brings no candidate either is followed by a random flip of the tree, so
//! that the search ends only with the tree.
//!
//! Cost: linear in the path per run, with a few operations per branch; a choice after one that failed is logarithmic, and
//! linear in the occurrences of a branch when that branch became another (tried for the first time, or failed too often).

mod path;
mod scorer;
mod tournament;

use super::uncovered::Uncovered;
use crate::features::{Contexts, Feature, FeatureSet, Features};
use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use crate::weights::Weights;
use cairn_program::{BranchId, Program, SiteId};
use cairn_tree::{Flip, FlipState, Tree};
use path::Path;
use rustc_hash::FxHashMap;
use scorer::Scorer;
use tournament::{NONE, Tournament};

/// A flip that was asked for.
#[derive(Clone, Copy, Debug)]
struct Asked {
    flip: Flip,
    branch: BranchId,
    site: SiteId,
    /// Whether the branch was never tried in this context before.
    is_new: bool,
}

/// The search.
#[derive(Clone, Debug)]
pub struct Parametric {
    name: String,
    scorer: Scorer,
    /// Whether a branch is the better for an uncovered opposite.
    likes_uncovered: bool,
    features: Features,
    contexts: Contexts,
    path: Path,
    /// By place on the path.
    scores: Tournament,
    /// Sides of switches on the path, the best first.
    ranks: FxHashMap<SiteId, Vec<u32>>,
    asked: Option<Asked>,
    /// Whether so much has changed that all has to be scored again.
    is_outdated: bool,
    /// A site whose branches have changed since they were scored.
    stale: Option<SiteId>,
    /// Whether the last thing asked for was a random input.
    restarted: bool,
    /// Whether the last run's path was known, or it was left by something known.
    saw_nothing: bool,
    /// What is uncovered, on whatever path.
    uncovered: Uncovered,
}

impl Parametric {
    /// A search that has seen nothing.
    pub fn new(weights: &Weights, program: &Program) -> Parametric {
        Parametric {
            name: weights.name.clone(),
            scorer: Scorer::new(weights.values()),
            likes_uncovered: likes_uncovered(weights.values()),
            features: Features::new(program),
            contexts: Contexts::default(),
            path: Path::new(program),
            scores: Tournament::default(),
            ranks: FxHashMap::default(),
            asked: None,
            is_outdated: false,
            stale: None,
            restarted: false,
            saw_nothing: false,
            uncovered: Uncovered::new(program),
        }
    }

    /// Goes on with other weights.
    pub(super) fn adopt(&mut self, weights: &[f64; Feature::COUNT]) {
        self.scorer = Scorer::new(weights);
        self.likes_uncovered = likes_uncovered(weights);
        self.is_outdated = true;
    }

    /// The untried flips of the last path that are not given up, with the features of each.
    pub fn candidates<'a>(&'a self, tree: &'a Tree) -> impl Iterator<Item = (Flip, FeatureSet)> + 'a {
        let hopeful = (0..self.path.len()).filter(|at| !self.features.is_hopeless(self.path.branch(*at)));
        hopeful.flat_map(move |at| {
            let flips = tree.untried_of(self.path.node(at));
            flips.map(move |flip| (flip, self.features_at(at, flip.side)))
        })
    }

    /// The features of a place on the path if this side were taken there.
    fn features_at(&self, at: usize, side: u32) -> FeatureSet {
        let own = self.features.own(self.path.branch(at));
        let opposite = self.features.opposite(self.path.other(at, side));
        let context = self.contexts.features(self.path.until(at));
        own.union(opposite).union(context).union(self.path.place_features(at))
    }

    /// The score of a place on the path, by the best of its untried sides.
    fn assess(&mut self, tree: &Tree, at: usize) -> f64 {
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
        scores.fill(self.path.len(), |at| self.assess(tree, at));
        self.scores = scores;
    }

    fn score_again(&mut self, tree: &Tree, at: usize) {
        let score = self.assess(tree, at);
        self.scores.set(at, score);
    }

    /// Scores the places of a site again.
    fn score_site(&mut self, tree: &Tree, site: SiteId) {
        self.ranks.remove(&site);
        let mut place = self.path.last_of(site);
        while let Some(at) = place {
            self.score_again(tree, at);
            place = self.path.before(at);
        }
    }

    /// The best candidate of the path.
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
                return self.elsewhere(tree, at, flip, rng).or_else(|| self.ask(at, flip));
            }
            self.score_again(tree, at);
        }
    }

    /// Something uncovered on another path, if that is better than the best candidate of this one.
    fn elsewhere(&mut self, tree: &Tree, at: usize, best: Flip, rng: &mut Rng) -> Option<Next> {
        let is_better =
            self.likes_uncovered && !self.features_at(at, best.side).contains(Feature::OppositeUncovered);
        let next = is_better.then(|| self.uncovered.next(tree, rng))?;
        (next != Next::Done).then_some(next)
    }

    fn ask(&mut self, at: usize, flip: Flip) -> Option<Next> {
        let (branch, site) = (self.path.branch(at), self.path.site(at));
        let is_new = self.contexts.add(self.path.until(at));
        self.asked = Some(Asked { flip, branch, site, is_new });
        Some(Next::Flip { flip, base: self.path.run()? })
    }

    /// The best of what runs have negated already: with the rest of this path's input there may be other things behind it.
    fn negate_again(&mut self, tree: &Tree) -> Option<Next> {
        if std::mem::replace(&mut self.saw_nothing, true) {
            return None;
        }
        let hopeful = (0..self.path.len()).filter(|at| !self.features.is_hopeless(self.path.branch(*at)));
        let taken = hopeful.flat_map(|at| self.negated_sides(tree, at).map(move |flip| (at, flip)));
        let scored = taken.map(|(at, flip)| (self.scorer.score(self.features_at(at, flip.side)), at, flip));
        let (_, at, flip) = scored.max_by(|a, b| a.0.total_cmp(&b.0))?;
        self.ask(at, flip)
    }

    /// The other sides of a place on the path that runs have taken.
    fn negated_sides<'a>(&'a self, tree: &'a Tree, at: usize) -> impl Iterator<Item = Flip> + 'a {
        let is_other = move |flip: &Flip| self.path.other(at, flip.side) != self.path.branch(at);
        let sides = tree.sides(self.path.node(at)).filter(|(_, state)| *state == FlipState::Sat);
        sides.map(|(flip, _)| flip).filter(is_other)
    }

    /// Away from a path that has nothing left.
    fn leave(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        if !self.restarted {
            self.restarted = true;
            return Next::Restart;
        }
        let flip = tree.pick_untried(|n| rng.below(n));
        flip.map_or(Next::Done, |flip| Next::flip(tree, flip))
    }

    /// The branch that a run has negated.
    fn negated(&self, run: &RunView) -> Option<BranchId> {
        let flip = run.flip.filter(|_| run.predicted)?;
        match self.asked.filter(|asked| asked.flip == flip) {
            Some(asked) => Some(asked.branch),
            None => run.tree.branch(run.tree.first_side(flip.node)),
        }
    }
}

fn likes_uncovered(weights: &[f64; Feature::COUNT]) -> bool {
    weights[Feature::OppositeUncovered as usize] > 0.0
}

impl Strategy for Parametric {
    fn on_run(&mut self, run: &RunView) {
        self.features.add_run(run.new_branches, self.negated(run));
        self.uncovered.on_run(run);
        if run.own {
            self.restarted &= run.flip.is_none();
            self.saw_nothing = run.first_new == run.nodes.len();
            self.path.follow(run);
        }
        self.is_outdated = true;
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        if tree.untried() == 0 {
            return Next::Done;
        }
        let next = self.select(tree, rng).or_else(|| self.negate_again(tree));
        next.unwrap_or_else(|| self.leave(tree, rng))
    }

    fn on_outcome(&mut self, flip: Flip, outcome: Outcome, cost: Cost) {
        self.uncovered.on_outcome(flip, outcome, cost);
        let Some(asked) = self.asked.take().filter(|asked| asked.flip == flip) else { return };
        if outcome != Outcome::Taken {
            let is_other = outcome != Outcome::Suspend && self.features.fail(asked.branch);
            self.stale = (is_other || asked.is_new).then_some(asked.site);
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
