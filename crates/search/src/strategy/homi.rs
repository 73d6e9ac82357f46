//! HOMI: keeps only promising states, for any strategy to choose from.
//!
//! S. Cha, H. Oh: Making Symbolic Execution Promising by Learning Aggressive State-Pruning Strategy, FSE 2020. Every cycle
//! weights and a ratio r are drawn. A state scores the sum of the weights of the features its path condition contains; of
//! all states the ⌊r·|S|⌋ lowest are pruned. Features are the core conditions (`cairn_tree::CoreId`) on the paths of good
//! tests: a greedy set cover of the tests of all rounds. What good tests were made with is learnt from (`homi/learning.rs`):
//! a truncated normal distribution for each weight, and how often each ratio and each budget of a round occurred. The first
//! round prunes nothing, some more only explore; then a round draws from what was learnt, or what is farthest from that, or
//! uniformly.
//!
//! `randomprune` is the paper's naive baseline: all states score alike, so chance decides which are pruned.
//!
//! What differs. A state is an untried flip, a test a run. Unlike a state of KLEE's a flip may turn out to be impossible: a
//! flip that is tried, whether or not a run comes of it, stands for a second. (With runs as the clock, rounds on ptx came to
//! a halt in thousands of impossible flips.) A round does not begin anew, but with all states there are, and prunes at
//! once; it then prunes so seldom that it ends before few states are left, for on sed long rounds of many prunings covered
//! less than the base alone. When the base has nothing left, the round ends. How a round draws is decided once for the
//! round. Of tests that cover the same only the first counts (`homi/tests.rs`).
//!
//! Published weights are learnt from weights: a feature's distribution has the mean and deviation of what it weighed when
//! good tests were made (`learn=weights`). With a hundred features and a few dozen prunings that is noise: on sed, pr and dd
//! means were 0.18 from 0 and deviations 0.61, uniform weights have 0.58. So weights are learnt from runs: from how many of
//! those with the feature were good tests, where so many were to be expected. Every round after the first draws from this:
//! it is wide where little is known.
//!
//! Pruning all states at once takes time for each, every round anew. So where a pruning draws the line is found from a sample,
//! and a state is set aside when the base names it (`homi/pruning.rs`): the base is told so. States that come later in the
//! round are held to the same line. A strategy that draws by weights chooses from what is kept just as if the rest were gone.
//!
//! KLEE makes a test of each pruned state. That would be a run each: here only those are tried whose own branch, one of the
//! user's, nobody has covered, for each branch the one that scored most, of a few.
//!
//! Cost: per run what is new of its path, and one step for every run it hangs below; per pruning the scores of a sample,
//! per flip that is named its score in every pruning of the round: each takes as long as the path has core conditions.

use crate::rng::Rng;
use crate::strategy::homi::learner::Learner;
use crate::strategy::homi::pruning::{Pruning, SAMPLE};
use crate::strategy::homi::settings::Settings;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use crate::uncovered_flips::Openings;
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

/// Of the pruned states of an uncovered branch so many, at most, are looked at for the most promising.
const LOOKED_AT: usize = 16;

/// Prunes states of a strategy.
pub struct Homi {
    name: &'static str,
    base: Box<dyn Strategy>,
    settings: Settings,
    /// None if chance is to decide.
    learner: Option<Learner>,
    /// States whose own branch nobody has covered.
    openings: Openings,
    /// The budget of the round, as an index of its steps.
    budget: usize,
    /// Flips tried in this round, and since it last pruned; none if it has not.
    tried: u64,
    since: Option<u64>,
    is_first_round: bool,
    /// What was pruned in this round.
    prunings: Vec<Pruning>,
    /// Branches of which pruned states are to be tried.
    last_chances: Vec<BranchId>,
    /// Whether the base named the last flip.
    base_asked: bool,
}

impl Homi {
    /// Pruning as the paper has it.
    pub(crate) fn learning(
        base: Box<dyn Strategy>,
        settings: &str,
        program: &Program,
    ) -> Result<Homi, String> {
        Homi::new("homi", base, settings, program, Some(Learner::new(program)))
    }

    /// Pruning by chance.
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
        let settings = Settings::parse(settings)?;
        Ok(Homi {
            name,
            base,
            learner,
            openings: Openings::new(program),
            budget: settings.rounds.last(),
            tried: 0,
            since: None,
            is_first_round: true,
            prunings: Vec::new(),
            last_chances: Vec::new(),
            base_asked: false,
            settings,
        })
    }

    fn add_openings(&mut self, tree: &Tree, flips: impl Iterator<Item = Flip>) {
        for flip in flips {
            self.openings.add(tree, flip);
        }
    }

    fn tick(&mut self) {
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

    /// Draws which states are left out from now on.
    fn prune(&mut self, tree: &Tree, rng: &mut Rng) {
        self.since = Some(0);
        let states = self.kept(tree, rng);
        let looked_at = tree.untried().clamp(1, SAMPLE);
        if tree.untried() * states.len() / looked_at < self.settings.least.max(1) {
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
        self.last_chances = self.openings.branches().collect();
    }

    /// The states that are not pruned: of all, or of a sample if there are many.
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
        self.prunings.iter().any(|pruning| pruning.is_out(tree, self.learner.as_ref(), flip))
    }

    /// The next pruned state that is to be run.
    fn last_chance(&mut self, tree: &Tree, rng: &mut Rng) -> Option<Flip> {
        while let Some(branch) = self.last_chances.pop() {
            let best = self.best_pruned(tree, branch, rng);
            if best.is_some() {
                return best;
            }
        }
        None
    }

    /// Of a few states of an uncovered branch the most promising that is pruned.
    fn best_pruned(&mut self, tree: &Tree, branch: BranchId, rng: &mut Rng) -> Option<Flip> {
        let drawn = from_fn(|| self.openings.draw(tree, branch, rng));
        let drawn: Vec<Flip> = drawn.take(LOOKED_AT).collect();
        let best = self.best_of(tree, drawn.iter().copied().filter(|flip| self.is_pruned(tree, *flip)));
        self.add_openings(tree, drawn.into_iter().filter(|flip| Some(*flip) != best));
        best
    }

    /// The state that scored most when states were last pruned.
    fn best_of(&self, tree: &Tree, states: impl Iterator<Item = Flip>) -> Option<Flip> {
        let pruning = self.prunings.last()?;
        let standing = |flip: &Flip| pruning.standing(tree, self.learner.as_ref(), *flip);
        states.max_by(|a, b| standing(a).order(&standing(b)))
    }
}

impl Strategy for Homi {
    fn on_run(&mut self, run: &RunView) {
        self.tick();
        self.openings.cover(run);
        self.add_openings(run.tree, run.new_flips());
        if let Some(learner) = &mut self.learner {
            learner.add(run, self.budget);
        }
        let own = run.own && (run.flip.is_none() || self.base_asked);
        self.base.on_run(&RunView { own, ..*run });
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        if self.tried >= self.settings.rounds.get(self.budget) {
            self.next_round(tree, rng);
            if tree.aside() > 0 {
                return Next::Resume(tree.suspended_flips().collect());
            }
        }
        if self.is_time_to_prune() {
            self.prune(tree, rng);
        }
        let chance = self.last_chance(tree, rng);
        self.base_asked = chance.is_none();
        if let Some(flip) = chance {
            return Next::flip(tree, flip);
        }
        match self.base.next(tree, rng) {
            // One that was taken before is no state: the base wants it over other bytes.
            Next::Flip { flip, .. }
                if tree.state(flip) == FlipState::Untried && self.is_pruned(tree, flip) =>
            {
                self.base.on_outcome(flip, Outcome::Suspend, Cost::default());
                Next::Suspend(vec![flip])
            }
            Next::Done if tree.aside() > 0 => {
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
            self.tick();
        }
        if self.base_asked {
            self.base.on_outcome(flip, outcome, cost);
        }
    }

    fn on_resumed(&mut self, tree: &Tree, flips: &[Flip]) {
        self.openings.drop_tried(tree);
        self.add_openings(tree, flips.iter().copied());
        self.base.on_resumed(tree, flips);
    }

    fn wants_branch_log(&self) -> bool {
        self.base.wants_branch_log()
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
