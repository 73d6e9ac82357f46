//! A multi-armed bandit over strategies (`auto`, the default).
//!
//! W. R. Thompson: On the Likelihood that One Unknown Probability Exceeds Another in View of the Evidence of
//! Two Samples, Biometrika 1933. No strategy is best on every program, nor all the time on one: what covers
//! much at first runs dry. Each strategy is an arm. An arm is played for several runs, since many strategies
//! follow a path; its reward is new branches, its cost is work.
//!
//! Unlike a plain bandit's, its rewards are relative: new branches become rarer as a campaign goes on,
//! whichever arm plays. So an arm's reward is compared with what all arms together gained per work at that
//! time, and playing first is no advantage. Both decay exponentially, in proportion to the age of the campaign.
//! Thompson sampling draws the value of each arm from a gamma distribution, which is wide as long as little is
//! known, and plays the arm with the highest draw.
//!
//! One more arm requests flips to uncovered branches as long as there are untried ones (`uncovered.rs`). Its
//! reward is also credited to the arm whose run reached the node of the flip: otherwise the arms that open
//! the way would look idle.
//!
//! Mutants are executed in batches without tracing. A batch is charged what it costs in ordinary runs, and its
//! reward is what the runs of the kept mutants cover. One mutant brings less than one ordinary run, so where it
//! is not cheaper either (a campaign bounded by its executions), that arm waits until no other has a request.
//!
//! All arms see every run, on one tree: nothing is tried twice, and an arm continues where others have
//! arrived.
//!
//! Work is counted, not timed: a run and its decisions, and the flips the solver could not answer. Seconds
//! would be a little more precise, but the same seed would no longer give the same search.

use super::uncovered::Uncovered;
use crate::gamma::draw_gamma;
use crate::rng::Rng;
use crate::traits::{Cost, MutantBatch, Next, Outcome, RunView, Strategy};
use cairn_program::Program;
use cairn_tree::{Flip, Tree};

/// Work for which an arm is played, in runs; a chosen bound.
const PLAY_WORK: f64 = 16.0;
/// Prior of every arm, in branches: expected and actual reward. Chosen so that a new arm looks slightly
/// better than the average.
const PRIOR_EXPECTED: f64 = 8.0;
const PRIOR_REWARD: f64 = 10.0;
/// New branches come in clusters: this many carry as much information as one that came alone.
const CLUSTER: f64 = 3.0;
/// Half-life of an arm's statistics, as a share of the work so far, and its minimum.
const ARM_HALF_LIFE: f64 = 0.5;
const MIN_ARM_HALF_LIFE: f64 = 200.0;
/// Half-life of the reward expected of any arm, and its minimum.
const TREND_HALF_LIFE: f64 = 0.25;
const MIN_TREND_HALF_LIFE: f64 = 100.0;
/// Number of decisions that cost as much work as starting a run.
const DECISIONS_PER_RUN: f64 = 1_000.0;
/// Work of proving a flip infeasible, in runs.
const UNSAT_WORK: f64 = 0.2;
/// Work of a flip that the solver gave up on, in runs.
const UNKNOWN_WORK: f64 = 50.0;

struct Arm {
    strategy: Box<dyn Strategy>,
    name: String,
    /// True if it only continues where other arms have arrived.
    follows_others: bool,
    /// True if it plays only when no other arm has a request.
    is_last_resort: bool,
    /// New branches it covered, and those that an average arm would have, after decay.
    reward: f64,
    expected: f64,
}

impl Arm {
    /// Draws its reward relative to the average arm from the posterior distribution.
    fn draw_value(&self, rng: &mut Rng) -> f64 {
        let shape = (self.reward + PRIOR_REWARD) / CLUSTER;
        draw_gamma(shape, rng) * CLUSTER / (self.expected + PRIOR_EXPECTED)
    }
}

/// The bandit.
pub struct Auto {
    arms: Vec<Arm>,
    playing: usize,
    /// Work left before another arm may be played.
    remaining: f64,
    /// Number of runs that follow the last request: given inputs are no arm's reward.
    requested: usize,
    /// Work of the whole campaign.
    total_work: f64,
    /// Its part that went into mutants.
    mutant_work: f64,
    /// Number of requested runs.
    runs: u64,
    /// New branches of all arms, and their work, after decay.
    trend: (f64, f64),
    /// By run: the arm credited with reaching its nodes; none for given inputs.
    credited_arms: Vec<Option<usize>>,
}

impl Auto {
    /// Creates a bandit over these named strategies.
    pub fn new(strategies: Vec<(String, Box<dyn Strategy>)>) -> Auto {
        let arm = |(name, strategy)| Arm {
            strategy,
            name,
            follows_others: false,
            is_last_resort: false,
            reward: 0.0,
            expected: 0.0,
        };
        let arms = strategies.into_iter().map(arm).collect();
        Auto {
            arms,
            playing: 0,
            remaining: 0.0,
            requested: 0,
            total_work: 0.0,
            mutant_work: 0.0,
            runs: 0,
            trend: (0.0, 0.0),
            credited_arms: Vec::new(),
        }
    }

    /// Creates a bandit over these strategies and the one for uncovered branches.
    pub fn for_program(strategies: Vec<(String, Box<dyn Strategy>)>, program: &Program) -> Auto {
        let uncovered: Box<dyn Strategy> = Box::new(Uncovered::new(program));
        let first = [("uncovered".to_owned(), uncovered)];
        let mut auto = Auto::new(first.into_iter().chain(strategies).collect());
        auto.arms[0].follows_others = true;
        auto
    }

    /// Returns the arms by their draws, the highest first, and last resorts behind all others.
    fn ranking(&self, rng: &mut Rng) -> Vec<usize> {
        let values: Vec<f64> = self.arms.iter().map(|arm| arm.draw_value(rng)).collect();
        let mut order: Vec<usize> = (0..self.arms.len()).collect();
        let resort = |arm: usize| self.arms[arm].is_last_resort;
        order.sort_by(|&a, &b| resort(a).cmp(&resort(b)).then(values[b].total_cmp(&values[a])));
        order
    }

    /// Returns the request of the arm that plays, or of another one if it has played enough or has none.
    fn choose(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        if self.remaining > 0.0 {
            match self.arms[self.playing].strategy.next(tree, rng) {
                Next::Done => {}
                next => return next,
            }
        }
        for arm in self.ranking(rng) {
            match self.arms[arm].strategy.next(tree, rng) {
                Next::Done => {}
                next => {
                    (self.playing, self.remaining) = (arm, PLAY_WORK);
                    log::debug!(target: "search", "auto plays {}", self.arms[arm].strategy.describe());
                    return next;
                }
            }
        }
        Next::Done
    }

    /// Adds work of the arm that plays.
    fn add_work(&mut self, work: f64) {
        self.total_work += work;
        let kept = |share: f64, least: f64| 0.5f64.powf(work / (share * self.total_work).max(least));
        let (known, trend) =
            (kept(ARM_HALF_LIFE, MIN_ARM_HALF_LIFE), kept(TREND_HALF_LIFE, MIN_TREND_HALF_LIFE));
        for arm in &mut self.arms {
            arm.reward *= known;
            arm.expected *= known;
        }
        let rate = (self.trend.0 + 1.0) / (self.trend.1 + 1.0);
        self.arms[self.playing].expected += work * rate;
        self.trend = (self.trend.0 * trend, self.trend.1 * trend + work);
        self.remaining -= work;
    }

    /// Credits a run to the arm that plays.
    fn credit(&mut self, run: &RunView) {
        self.runs += 1;
        self.add_work(1.0 + run.nodes.len() as f64 / DECISIONS_PER_RUN);
        let reward = run.new_branches.len() as f64;
        self.trend.0 += reward;
        self.arms[self.playing].reward += reward;
        let mut credited = Some(self.playing);
        if self.arms[self.playing].follows_others {
            credited = run.flip.and_then(|flip| self.credited_arms[run.tree.creator(flip.node).index()]);
            if let Some(arm) = credited {
                self.arms[arm].reward += reward;
            }
        }
        self.credited_arms.push(credited);
    }
}

impl Strategy for Auto {
    fn on_run(&mut self, run: &RunView) {
        let requested = run.own && self.requested > 0;
        self.requested -= usize::from(requested);
        self.credited_arms.resize(run.run.index(), None);
        if requested {
            self.credit(run);
        }
        for (index, arm) in self.arms.iter_mut().enumerate() {
            let own = run.own && (!requested || index == self.playing);
            arm.strategy.on_run(&RunView { own, ..*run });
        }
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        let next = self.choose(tree, rng);
        self.requested = usize::from(!matches!(next, Next::Done | Next::Mutate { .. }));
        next
    }

    fn on_outcome(&mut self, flip: Flip, outcome: Outcome, cost: Cost) {
        match outcome {
            Outcome::Unsat => self.add_work(UNSAT_WORK),
            Outcome::Unknown => self.add_work(UNKNOWN_WORK),
            // The work was counted with the run; or there was no run.
            Outcome::Taken | Outcome::Diverged | Outcome::Suspend => {}
        }
        self.arms[self.playing].strategy.on_outcome(flip, outcome, cost);
    }

    fn on_mutants(&mut self, batch: &MutantBatch) {
        let mean_run = (self.total_work - self.mutant_work).max(1.0) / self.runs.max(1) as f64;
        self.mutant_work += batch.cost * mean_run;
        self.add_work(batch.cost * mean_run);
        self.requested = batch.kept;
        // Mutants pay because they are cheap: if each costs a run, as where executions are counted, they wait.
        let is_expensive = batch.cost >= batch.executions as f64;
        self.arms[self.playing].is_last_resort = is_expensive && batch.executions > 0;
        self.arms[self.playing].strategy.on_mutants(batch);
    }

    fn on_resumed(&mut self, tree: &Tree, flips: &[Flip]) {
        self.arms.iter_mut().for_each(|arm| arm.strategy.on_resumed(tree, flips));
    }

    fn wants_cores(&self) -> bool {
        self.arms.iter().any(|arm| arm.strategy.wants_cores())
    }

    fn wants_branch_log(&self) -> bool {
        self.arms.iter().any(|arm| arm.strategy.wants_branch_log())
    }

    fn wants_pieces(&self) -> bool {
        self.arms.iter().any(|arm| arm.strategy.wants_pieces())
    }

    fn wants_callees(&self) -> bool {
        self.arms.iter().any(|arm| arm.strategy.wants_callees())
    }

    fn renews_input(&self) -> bool {
        self.arms[self.playing].strategy.renews_input()
    }

    fn uses_dictionary(&self) -> bool {
        true
    }

    fn describe(&self) -> String {
        let names: Vec<&str> = self.arms.iter().map(|arm| arm.name.as_str()).collect();
        let now = &self.arms[self.playing].name;
        format!("auto, now {now} (whichever of {} brings most)", names.join(", "))
    }
}
