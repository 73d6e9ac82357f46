//! HOMI: prunes unpromising states, for any strategy to choose from the rest.
//!
//! S. Cha, H. Oh: Making Symbolic Execution Promising by Learning Aggressive State-Pruning Strategy, FSE
//! 2020. Every cycle draws weights and a ratio r. A state's score is the sum of the weights of the features
//! that its path condition contains; of all states the ⌊r·|S|⌋ lowest are pruned. Features are the core
//! conditions (`cairn_tree::CoreId`) on the paths of good tests: a greedy set cover of the tests of all
//! rounds. The parameters with which good tests were found are learnt from (`homi/learning.rs`): a truncated
//! normal distribution for each weight, and the frequency of each ratio and of each budget of a round. The
//! first round prunes nothing, some more only explore; then a round draws from the learnt distributions, or
//! values farthest from them, or uniformly.
//!
//! `randomprune` is the paper's naive baseline: all states have the same score, so chance decides which are
//! pruned.
//!
//! Deviations. A state is an untried flip, a test a run. Unlike a state of KLEE's, a flip may turn out
//! infeasible: so a flip that is tried, whether or not it leads to a run, stands for a second. (With runs as
//! the clock, rounds on ptx stalled in thousands of infeasible flips.) A round does not start from scratch,
//! but with all existing states, and prunes at once; it then prunes so seldom that it ends before few states
//! are left, because on sed long rounds of many prunings covered less than the base alone. When the base has
//! nothing left, the round ends. The mode of drawing is decided once per round. Of tests with equal coverage
//! only the first counts (`homi/tests.rs`).
//!
//! The paper learns weights from weights: a feature's distribution has the mean and deviation of its weights
//! when good tests were found (`learn=weights`). With a hundred features and a few dozen prunings that is
//! noise: on sed, pr and dd means were 0.18 from 0 and deviations 0.61, where uniform weights have 0.58. So
//! weights are learnt from runs by default: from the number of runs with the feature that were good tests,
//! compared with the expected number. Every round after the first draws from this distribution: it is wide
//! where little is known.
//!
//! Pruning all states at once would take time for each state in every round. So the threshold of a pruning is
//! found from a sample, and a state is suspended when the base names it (`homi/pruning.rs`): the base is
//! notified. States that are added later in the round are subject to the same threshold. A strategy that
//! draws by weights chooses from the kept states just as if the rest were gone.
//!
//! KLEE makes a test of each pruned state. That would be a run each: here only those are tried whose own
//! branch, one of user code, is uncovered, for each branch the best of a few.
//!
//! Cost: per run the new part of its path, and one step for every run above it; per pruning the scores of a
//! sample, per named flip its score in every pruning of the round, each linear in the core conditions of the
//! path.

use crate::rng::Rng;
use crate::strategy::homi::learner::Learner;
use crate::strategy::homi::pruning::{Pruning, SAMPLE};
use crate::strategy::homi::settings::HomiSettings;
use crate::traits::{Cost, MutantBatch, Next, Outcome, RunView, Strategy};
use crate::uncovered_flips::UncoveredFlips;
use cairn_program::{BranchId, Program};
use cairn_tree::{Flip, FlipState, Tree};
use std::iter::from_fn;

mod cover;
mod learner;
mod learning;
mod paths;
mod pruning;
mod settings;
mod tests;

/// Maximum number of pruned states of an uncovered branch from which the best is chosen; a chosen bound.
const MAX_EXAMINED: usize = 16;

/// A wrapper that prunes the states of a strategy.
pub struct Homi {
    name: &'static str,
    base: Box<dyn Strategy>,
    settings: HomiSettings,
    /// None if states are pruned at random.
    learner: Option<Learner>,
    /// States whose own branch is uncovered.
    uncovered_flips: UncoveredFlips,
    /// Budget of the round, as an index of its steps.
    budget: usize,
    /// Flips tried in this round, and since its last pruning; none before its first.
    tried: u64,
    since: Option<u64>,
    is_first_round: bool,
    /// Prunings of this round.
    prunings: Vec<Pruning>,
    /// Branches whose best pruned state is to be tried.
    last_chances: Vec<BranchId>,
    /// True if the base requested the last flip.
    base_requested: bool,
}

impl Homi {
    /// Creates a wrapper that prunes as in the paper.
    pub(crate) fn learning(
        base: Box<dyn Strategy>,
        settings: &str,
        program: &Program,
    ) -> Result<Homi, String> {
        Homi::new("homi", base, settings, program, Some(Learner::new(program)))
    }

    /// Creates a wrapper that prunes at random.
    pub(crate) fn random(base: Box<dyn Strategy>, settings: &str, program: &Program) -> Result<Homi, String> {
        Homi::new("randomprune", base, settings, program, None)
    }

    fn new(
        name: &'static str,
        base: Box<dyn Strategy>,
        settings: &str,
        program: &Program,
        learner: Option<Learner>,
    ) -> Result<Homi, String> {
        let settings = HomiSettings::parse(settings)?;
        Ok(Homi {
            name,
            base,
            learner,
            uncovered_flips: UncoveredFlips::new(program),
            budget: settings.rounds.last(),
            tried: 0,
            since: None,
            is_first_round: true,
            prunings: Vec::new(),
            last_chances: Vec::new(),
            base_requested: false,
            settings,
        })
    }

    fn add_uncovered_flips(&mut self, tree: &Tree, flips: impl Iterator<Item = Flip>) {
        for flip in flips {
            self.uncovered_flips.add(tree, flip);
        }
    }

    fn count_try(&mut self) {
        self.tried += 1;
        self.since = self.since.map(|tried| tried + 1);
    }

    fn next_round(&mut self, tree: &Tree, rng: &mut Rng) {
        self.budget = match &mut self.learner {
            Some(learner) => learner.next_round(tree, &self.settings, rng),
            None => self.settings.rounds.any(rng),
        };
        (self.tried, self.since, self.is_first_round) = (0, None, false);
        self.prunings.clear();
        self.last_chances.clear();
    }

    fn is_time_to_prune(&self) -> bool {
        !self.is_first_round && self.since.is_none_or(|tried| tried >= self.settings.cycle)
    }

    /// Draws a pruning that is in force from now on.
    fn prune(&mut self, tree: &Tree, rng: &mut Rng) {
        self.since = Some(0);
        let states = self.kept(tree, rng);
        let examined = tree.untried().clamp(1, SAMPLE);
        if tree.untried() * states.len() / examined < self.settings.min_states.max(1) {
            return;
        }
        let drawn = match &mut self.learner {
            Some(learner) => learner.draw(&self.settings, rng),
            None => Some((Vec::new(), self.settings.ratio.any(rng))),
        };
        let Some((weights, ratio)) = drawn else { return };
        let seen = (tree, self.learner.as_ref());
        let pruning = Pruning::new(seen, weights, (&states, self.settings.ratio.get(ratio)), rng);
        self.prunings.extend(pruning);
        self.last_chances = self.uncovered_flips.branches().collect();
    }

    /// Returns the states that are not pruned: of all, or of a sample if there are many.
    fn kept(&self, tree: &Tree, rng: &mut Rng) -> Vec<Flip> {
        let mut states: Vec<Flip> = if tree.untried() <= SAMPLE {
            tree.frontier().collect()
        } else {
            (0..SAMPLE).filter_map(|_| tree.pick_untried(|count| rng.below(count))).collect()
        };
        states.retain(|flip| !self.is_pruned(tree, *flip));
        states
    }

    fn is_pruned(&self, tree: &Tree, flip: Flip) -> bool {
        self.prunings.iter().any(|pruning| pruning.contains(tree, self.learner.as_ref(), flip))
    }

    /// Returns the next pruned state to be tried.
    fn last_chance(&mut self, tree: &Tree, rng: &mut Rng) -> Option<Flip> {
        while let Some(branch) = self.last_chances.pop() {
            let best = self.best_pruned(tree, branch, rng);
            if best.is_some() {
                return best;
            }
        }
        None
    }

    /// Returns the best pruned state among a few of an uncovered branch.
    fn best_pruned(&mut self, tree: &Tree, branch: BranchId, rng: &mut Rng) -> Option<Flip> {
        let drawn = from_fn(|| self.uncovered_flips.draw(tree, branch, rng));
        let drawn: Vec<Flip> = drawn.take(MAX_EXAMINED).collect();
        let best = self.best_of(tree, drawn.iter().copied().filter(|flip| self.is_pruned(tree, *flip)));
        self.add_uncovered_flips(tree, drawn.into_iter().filter(|flip| Some(*flip) != best));
        best
    }

    /// Returns the state with the highest score in the last pruning.
    fn best_of(&self, tree: &Tree, states: impl Iterator<Item = Flip>) -> Option<Flip> {
        let pruning = self.prunings.last()?;
        let rank = |flip: &Flip| pruning.rank(tree, self.learner.as_ref(), *flip);
        states.max_by(|a, b| rank(a).order(&rank(b)))
    }
}

impl Strategy for Homi {
    fn on_run(&mut self, run: &RunView) {
        self.count_try();
        self.uncovered_flips.cover(run);
        self.add_uncovered_flips(run.tree, run.new_flips());
        if let Some(learner) = &mut self.learner {
            learner.add(run, self.budget);
        }
        let own = run.own && (run.flip.is_none() || self.base_requested);
        self.base.on_run(&RunView { own, ..*run });
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        if self.tried >= self.settings.rounds.get(self.budget) {
            self.next_round(tree, rng);
            if tree.suspended() > 0 {
                return Next::Resume(tree.suspended_flips().collect());
            }
        }
        if self.is_time_to_prune() {
            self.prune(tree, rng);
        }
        let chance = self.last_chance(tree, rng);
        self.base_requested = chance.is_none();
        if let Some(flip) = chance {
            return Next::flip(tree, flip);
        }
        match self.base.next(tree, rng) {
            // A flip that was taken before is no state: the base wants it on other bytes.
            Next::Flip { flip, .. }
                if tree.state(flip) == FlipState::Untried && self.is_pruned(tree, flip) =>
            {
                self.base.on_outcome(flip, Outcome::Suspend, Cost::default());
                Next::Suspend(vec![flip])
            }
            Next::Done if tree.suspended() > 0 => {
                self.next_round(tree, rng);
                // Otherwise a base that leaves states untried would never be done.
                self.since = Some(0);
                Next::Resume(tree.suspended_flips().collect())
            }
            next => next,
        }
    }

    fn on_outcome(&mut self, flip: Flip, outcome: Outcome, cost: Cost) {
        if matches!(outcome, Outcome::Unsat | Outcome::Unknown) {
            self.count_try();
        }
        if self.base_requested {
            self.base.on_outcome(flip, outcome, cost);
        }
    }

    fn on_mutants(&mut self, batch: &MutantBatch) {
        self.base.on_mutants(batch);
    }

    fn on_resumed(&mut self, tree: &Tree, flips: &[Flip]) {
        self.uncovered_flips.drop_tried(tree);
        self.add_uncovered_flips(tree, flips.iter().copied());
        self.base.on_resumed(tree, flips);
    }

    fn wants_branch_log(&self) -> bool {
        self.base.wants_branch_log()
    }

    fn wants_pieces(&self) -> bool {
        self.base.wants_pieces()
    }

    fn wants_callees(&self) -> bool {
        self.base.wants_callees()
    }

    fn wants_cores(&self) -> bool {
        self.learner.is_some() || self.base.wants_cores()
    }

    fn renews_input(&self) -> bool {
        self.base.renews_input()
    }

    fn describe(&self) -> String {
        format!("{} (keeps promising states only): {}", self.name, self.base.describe())
    }
}
