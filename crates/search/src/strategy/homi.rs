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
//! What differs. A state is an untried flip, a test a run, and a run stands for a second. Pruned states are set aside in the
//! tree, and a round does not begin anew: it begins with all states there are, and prunes at once. When the base has
//! nothing left, the round ends. KLEE makes a test of each pruned state. That would be a run each: here only those are
//! tried whose own branch nobody has covered, for each branch the one that scored most. How a round draws is decided
//! once for the round. Of tests that cover the same only the first counts (`homi/tests.rs`).
//!
//! Cost: per run what is new of its path, and one step for every run it hangs below; per cycle linear in the states and in
//! the core conditions on their paths (`homi/paths.rs`).

use crate::rng::Rng;
use crate::strategy::homi::learner::Learner;
use crate::strategy::homi::settings::Settings;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_program::{BranchId, Program};
use cairn_tree::{Flip, FlipState, Tree};
use rustc_hash::FxHashMap;
use std::cmp::Ordering;

mod cover;
mod learner;
mod learning;
mod paths;
mod settings;
mod tests;

/// A state that may be pruned.
#[derive(Clone, Copy, Debug)]
struct State {
    score: f32,
    /// Decides among equal scores.
    chance: u32,
    flip: Flip,
}

impl State {
    /// The lowest score first.
    fn order(&self, other: &State) -> Ordering {
        self.score.total_cmp(&other.score).then(self.chance.cmp(&other.chance))
    }
}

/// Prunes states of a strategy.
pub struct Homi {
    name: &'static str,
    base: Box<dyn Strategy>,
    settings: Settings,
    /// None if chance is to decide.
    learner: Option<Learner>,
    covered: Vec<bool>,
    /// The budget of the round, as an index of its steps.
    budget: usize,
    /// Runs of this round, and those since it last pruned; none if it has not.
    runs: u64,
    since: Option<u64>,
    is_first_round: bool,
    /// Pruned states whose branches nobody has covered.
    last_chances: Vec<Flip>,
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
            covered: vec![false; program.branch_count() as usize],
            budget: settings.rounds.last(),
            runs: 0,
            since: None,
            is_first_round: true,
            last_chances: Vec::new(),
            base_asked: false,
            settings,
        })
    }

    fn next_round(&mut self, tree: &Tree, rng: &mut Rng) {
        self.budget = match &mut self.learner {
            Some(learner) => learner.next_round(tree, &self.settings, rng),
            None => self.settings.rounds.any(rng),
        };
        (self.runs, self.since, self.is_first_round) = (0, None, false);
        self.last_chances.clear();
    }

    fn is_time_to_prune(&self, tree: &Tree) -> bool {
        let is_due = self.since.is_none_or(|runs| runs >= self.settings.cycle);
        !self.is_first_round && is_due && tree.untried() >= self.settings.least.max(1)
    }

    /// Chooses what to set aside.
    fn prune(&mut self, tree: &Tree, rng: &mut Rng) -> Vec<Flip> {
        self.since = Some(0);
        let ratio = match &mut self.learner {
            Some(learner) => learner.draw(&self.settings, rng),
            None => Some(self.settings.ratio.any(rng)),
        };
        let Some(ratio) = ratio else { return Vec::new() };
        let lowest = self.lowest(tree, self.settings.ratio.get(ratio), rng);
        self.last_chances = self.most_promising(tree, &lowest);
        let mut pruned: Vec<Flip> = lowest.into_iter().map(|state| state.flip).collect();
        pruned.sort_unstable();
        pruned.retain(|flip| self.last_chances.binary_search(flip).is_err());
        pruned
    }

    /// So many percents of all states, those with the lowest scores.
    fn lowest(&mut self, tree: &Tree, percent: u64, rng: &mut Rng) -> Vec<State> {
        let mut score = |flip| self.learner.as_mut().map_or(0.0, |learner| learner.score(tree, flip));
        let mut state = |flip| State { score: score(flip), chance: rng.below(1 << 32) as u32, flip };
        let mut states: Vec<State> = tree.frontier().map(&mut state).collect();
        let count = states.len() * percent as usize / 100;
        if count > 0 {
            states.select_nth_unstable_by(count - 1, State::order);
        }
        states.truncate(count);
        states
    }

    /// Of some states the most promising one for each branch that is uncovered and would be taken at once, in order.
    fn most_promising(&self, tree: &Tree, states: &[State]) -> Vec<Flip> {
        let mut best: FxHashMap<BranchId, &State> = FxHashMap::default();
        for state in states {
            if let Some(branch) = self.uncovered(tree, state.flip) {
                let best = best.entry(branch).or_insert(state);
                *best = std::cmp::max_by(*best, state, |a, b| a.order(b));
            }
        }
        let mut flips: Vec<Flip> = best.into_values().map(|state| state.flip).collect();
        flips.sort_unstable();
        flips
    }

    fn uncovered(&self, tree: &Tree, flip: Flip) -> Option<BranchId> {
        tree.branch(flip).filter(|branch| !self.covered[branch.0 as usize])
    }

    /// The next pruned state that is to be run, and those before it for which that is no longer so.
    fn last_chance(&mut self, tree: &Tree) -> (Option<Flip>, Vec<Flip>) {
        let mut pruned = Vec::new();
        while let Some(flip) = self.last_chances.pop() {
            match tree.state(flip) {
                FlipState::Untried if self.uncovered(tree, flip).is_some() => return (Some(flip), pruned),
                FlipState::Untried => pruned.push(flip),
                _ => {}
            }
        }
        (None, pruned)
    }
}

impl Strategy for Homi {
    fn on_run(&mut self, run: &RunView) {
        self.runs += 1;
        self.since = self.since.map(|runs| runs + 1);
        run.new_branches.iter().for_each(|branch| self.covered[branch.0 as usize] = true);
        if let Some(learner) = &mut self.learner {
            learner.add(run, self.budget);
        }
        let own = run.own && (run.flip.is_none() || self.base_asked);
        self.base.on_run(&RunView { own, ..*run });
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        if self.runs >= self.settings.rounds.get(self.budget) {
            self.next_round(tree, rng);
            if tree.aside() > 0 {
                return Next::Revive(tree.flips_aside().collect());
            }
        }
        if self.is_time_to_prune(tree) {
            let pruned = self.prune(tree, rng);
            if !pruned.is_empty() {
                return Next::SetAside(pruned);
            }
        }
        let (chance, pruned) = self.last_chance(tree);
        self.base_asked = chance.is_none();
        if !pruned.is_empty() {
            self.last_chances.extend(chance);
            return Next::SetAside(pruned);
        }
        if let Some(flip) = chance {
            return Next::flip(tree, flip);
        }
        match self.base.next(tree, rng) {
            Next::Done if tree.aside() > 0 => {
                self.next_round(tree, rng);
                // Otherwise a base that leaves states untried would never be done.
                self.since = Some(0);
                Next::Revive(tree.flips_aside().collect())
            }
            next => next,
        }
    }

    fn on_outcome(&mut self, flip: Flip, outcome: Outcome, cost: Cost) {
        if self.base_asked {
            self.base.on_outcome(flip, outcome, cost);
        }
    }

    fn on_revived(&mut self, tree: &Tree, flips: &[Flip]) {
        self.base.on_revived(tree, flips);
    }

    fn wants_trails(&self) -> bool {
        self.base.wants_trails()
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
