//! A strategy that chooses among strategies while it searches.
//!
//! No strategy is best on every program, nor all the time on one: what covers much at first runs dry. This is a bandit with
//! the strategies as its arms. An arm is played for a stretch of a few runs, since many strategies follow a path; what
//! it brings is new branches, what it takes is work.
//!
//! New branches become rarer as a campaign goes on, whoever plays. So an arm is judged by what it brought in relation to
//! what all arms together brought per work at that time, and who happened to play first has no advantage. Both are
//! forgotten as the campaign goes on, in proportion to its age. An arm's true worth is drawn from what is known of it
//! (Thompson's sampling: a gamma distribution, wide as long as little is known), and the next stretch goes to the arm whose
//! draw is the highest.
//!
//! One more arm gleans: it goes straight to uncovered branches, as long as there are any that nobody has tried
//! (`uncovered.rs`). What it brings is also the merit of the arm whose run came there, or else the arms that open the
//! way would look idle.
//!
//! All arms see every run, on one tree: nothing is tried twice, and an arm goes on where others have come to.
//!
//! Work is counted, not timed: a run and its decisions, and what the solver could not answer. Seconds would tell a little
//! more, but the same seed would no longer give the same search.

use super::uncovered::Uncovered;
use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_program::Program;
use cairn_tree::{Flip, Tree};
use std::mem::take;

/// Work of a stretch, about so many runs.
const STRETCH: f64 = 16.0;
/// What every arm is credited with beside its own, in branches: expected of it, and brought.
const EXPECTED: f64 = 8.0;
const BROUGHT: f64 = 10.0;
/// New branches come in lumps: so many tell no more than one that came alone.
const LUMP: f64 = 3.0;
/// What is known of an arm counts half after this share of the work so far, but not before so much work.
const MEMORY: f64 = 0.5;
const LEAST_MEMORY: f64 = 200.0;
/// The same for what is to be expected of any.
const TREND: f64 = 0.25;
const LEAST_TREND: f64 = 100.0;
/// Decisions that are as much work as starting a run.
const DECISIONS_PER_RUN: f64 = 1_000.0;
/// Work of finding out that there is no input, in runs.
const UNSAT: f64 = 0.2;
/// Work of not finding out.
const UNKNOWN: f64 = 50.0;

struct Arm {
    strategy: Box<dyn Strategy>,
    name: String,
    /// Whether it only goes where others have come to.
    gleans: bool,
    /// New branches it brought, and those that any arm would have brought, as far as they still count.
    brought: f64,
    expected: f64,
}

impl Arm {
    /// What it brings in relation to any arm, drawn from what is known.
    fn draw_worth(&self, rng: &mut Rng) -> f64 {
        let shape = (self.brought + BROUGHT) / LUMP;
        // Wilson and Hilferty: the cube root of what has a gamma distribution is nearly normal.
        let root = 1.0 - 1.0 / (9.0 * shape) + rng.truncated_normal(0.0, 1.0, 9.0) / (3.0 * shape.sqrt());
        shape * root.powi(3) * LUMP / (self.expected + EXPECTED)
    }
}

/// Chooses among strategies.
pub struct Auto {
    arms: Vec<Arm>,
    playing: usize,
    /// Work that is left of the stretch.
    left: f64,
    /// Whether it wished for what happens next: given inputs are nobody's merit.
    asked: bool,
    /// Work of the whole campaign.
    worked: f64,
    /// What all arms have brought, and the work they took, as far as they still count.
    trend: (f64, f64),
    /// The arm that has the merit of where each run came to; none of given inputs.
    sponsors: Vec<Option<usize>>,
}

impl Auto {
    /// A choice among these strategies, by their names.
    pub fn new(strategies: Vec<(String, Box<dyn Strategy>)>) -> Auto {
        let arm = |(name, strategy)| Arm { strategy, name, gleans: false, brought: 0.0, expected: 0.0 };
        let arms = strategies.into_iter().map(arm).collect();
        Auto {
            arms,
            playing: 0,
            left: 0.0,
            asked: false,
            worked: 0.0,
            trend: (0.0, 0.0),
            sponsors: Vec::new(),
        }
    }

    /// A choice among these strategies and what is uncovered.
    pub fn for_program(strategies: Vec<(String, Box<dyn Strategy>)>, program: &Program) -> Auto {
        let uncovered: Box<dyn Strategy> = Box::new(Uncovered::new(program));
        let first = [("uncovered".to_owned(), uncovered)];
        let mut auto = Auto::new(first.into_iter().chain(strategies).collect());
        auto.arms[0].gleans = true;
        auto
    }

    /// The arms, the most promising first.
    fn ranking(&self, rng: &mut Rng) -> Vec<usize> {
        let worths: Vec<f64> = self.arms.iter().map(|arm| arm.draw_worth(rng)).collect();
        let mut order: Vec<usize> = (0..self.arms.len()).collect();
        order.sort_by(|&a, &b| worths[b].total_cmp(&worths[a]));
        order
    }

    /// What the arm that plays wishes for; another one's wish if it has played enough, or has none.
    fn choose(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        if self.left > 0.0 {
            match self.arms[self.playing].strategy.next(tree, rng) {
                Next::Done => {}
                next => return next,
            }
        }
        for arm in self.ranking(rng) {
            match self.arms[arm].strategy.next(tree, rng) {
                Next::Done => {}
                next => {
                    (self.playing, self.left) = (arm, STRETCH);
                    return next;
                }
            }
        }
        Next::Done
    }

    /// The arm that plays has worked.
    fn work(&mut self, work: f64) {
        self.worked += work;
        let kept = |share: f64, least: f64| 0.5f64.powf(work / (share * self.worked).max(least));
        let (known, trend) = (kept(MEMORY, LEAST_MEMORY), kept(TREND, LEAST_TREND));
        for arm in &mut self.arms {
            arm.brought *= known;
            arm.expected *= known;
        }
        let rate = (self.trend.0 + 1.0) / (self.trend.1 + 1.0);
        self.arms[self.playing].expected += work * rate;
        self.trend = (self.trend.0 * trend, self.trend.1 * trend + work);
        self.left -= work;
    }

    /// The arm that plays has made a run.
    fn credit(&mut self, run: &RunView) {
        self.work(1.0 + run.nodes.len() as f64 / DECISIONS_PER_RUN);
        let brought = run.new_branches.len() as f64;
        self.trend.0 += brought;
        self.arms[self.playing].brought += brought;
        let mut sponsor = Some(self.playing);
        if self.arms[self.playing].gleans {
            sponsor = run.flip.and_then(|flip| self.sponsors[run.tree.creator(flip.node).index()]);
            if let Some(arm) = sponsor {
                self.arms[arm].brought += brought;
            }
        }
        self.sponsors.push(sponsor);
    }
}

impl Strategy for Auto {
    fn on_run(&mut self, run: &RunView) {
        let asked = run.own && take(&mut self.asked);
        self.sponsors.resize(run.run.index(), None);
        if asked {
            self.credit(run);
        }
        for (index, arm) in self.arms.iter_mut().enumerate() {
            let own = run.own && (!asked || index == self.playing);
            arm.strategy.on_run(&RunView { own, ..*run });
        }
    }

    fn next(&mut self, tree: &Tree, rng: &mut Rng) -> Next {
        let next = self.choose(tree, rng);
        self.asked = next != Next::Done;
        next
    }

    fn on_outcome(&mut self, flip: Flip, outcome: Outcome, cost: Cost) {
        match outcome {
            Outcome::Unsat => self.work(UNSAT),
            Outcome::Unknown => self.work(UNKNOWN),
            // The run was work already; or there was none.
            Outcome::Taken | Outcome::Diverged | Outcome::Suspend => {}
        }
        self.arms[self.playing].strategy.on_outcome(flip, outcome, cost);
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

    fn wants_callees(&self) -> bool {
        self.arms.iter().any(|arm| arm.strategy.wants_callees())
    }

    fn renews_input(&self) -> bool {
        self.arms[self.playing].strategy.renews_input()
    }

    fn describe(&self) -> String {
        let names: Vec<&str> = self.arms.iter().map(|arm| arm.name.as_str()).collect();
        let now = &self.arms[self.playing].name;
        format!("auto, now {now} (whichever of {} brings most)", names.join(", "))
    }
}
