//! A strategy that chooses among strategies while it searches.
//!
//! No strategy is best on every program, nor all the time on one: what covers much at first runs dry. This is a bandit with
//! the strategies as its arms. An arm is played for a stretch of a few runs, since many strategies follow a path; what
//! it brings is new branches, what it takes is work. Both are forgotten with time. The next stretch goes to the arm
//! that brings most per work, where each arm is given, beside what is known of it, a little work at somewhat more than the
//! mean rate of all: an arm nobody has played for long counts as a good one, and is played again unless the others
//! are better still. While nobody brings anything, that is whoever has worked least; of equal ones the first, so the one
//! that is best at the beginning of most campaigns is named first.
//!
//! All arms see every run, on one tree: nothing is tried twice, and an arm goes on where others have come to.
//!
//! Work is counted, not timed: a run and its decisions, and what the solver could not answer. Seconds would tell a little
//! more, but the same seed would no longer give the same search.

use crate::rng::Rng;
use crate::traits::{Cost, Next, Outcome, RunView, Strategy};
use cairn_tree::{Flip, Tree};
use std::mem::take;

/// Work of a stretch, about so many runs.
const STRETCH: f64 = 16.0;
/// Work that every arm is given beside its own, and its rate in terms of the mean of all.
const PRIOR: f64 = 64.0;
const OPTIMISM: f64 = 1.25;
/// Work after which what is known counts half.
const HALF_LIFE: f64 = 1_000.0;
/// Decisions that are as much work as starting a run.
const DECISIONS_PER_RUN: f64 = 1_000.0;
/// Work of finding out that there is no input, in runs.
const UNSAT: f64 = 0.2;
/// Work of not finding out.
const UNKNOWN: f64 = 50.0;

struct Arm {
    strategy: Box<dyn Strategy>,
    name: String,
    /// New branches it brought, and the work it took, as far as they still count.
    brought: f64,
    work: f64,
}

/// Chooses among strategies.
pub struct Auto {
    arms: Vec<Arm>,
    playing: usize,
    /// Work that is left of the stretch.
    left: f64,
    /// Whether it wished for what happens next: given inputs are nobody's merit.
    asked: bool,
}

impl Auto {
    /// A choice among these strategies, by their names.
    pub fn new(strategies: Vec<(String, Box<dyn Strategy>)>) -> Auto {
        let arm = |(name, strategy)| Arm { strategy, name, brought: 0.0, work: 0.0 };
        Auto { arms: strategies.into_iter().map(arm).collect(), playing: 0, left: 0.0, asked: false }
    }

    /// The arms, the most promising first.
    fn ranking(&self) -> Vec<usize> {
        let (brought, work) =
            self.arms.iter().fold((0.0, 0.0), |(b, w), arm| (b + arm.brought, w + arm.work));
        let mean = if work > 0.0 { brought / work } else { 0.0 };
        let promise = |arm: &Arm| match mean > 0.0 {
            true => (arm.brought + PRIOR * OPTIMISM * mean) / (arm.work + PRIOR),
            false => -arm.work,
        };
        let mut order: Vec<usize> = (0..self.arms.len()).collect();
        order.sort_by(|&a, &b| promise(&self.arms[b]).total_cmp(&promise(&self.arms[a])));
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
        for arm in self.ranking() {
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
    fn worked(&mut self, work: f64) {
        let kept = 0.5f64.powf(work / HALF_LIFE);
        for arm in &mut self.arms {
            arm.brought *= kept;
            arm.work *= kept;
        }
        self.arms[self.playing].work += work;
        self.left -= work;
    }
}

impl Strategy for Auto {
    fn on_run(&mut self, run: &RunView) {
        let asked = take(&mut self.asked);
        if asked {
            self.worked(1.0 + run.nodes.len() as f64 / DECISIONS_PER_RUN);
            self.arms[self.playing].brought += run.new_branches.len() as f64;
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
            Outcome::Unsat => self.worked(UNSAT),
            Outcome::Unknown => self.worked(UNKNOWN),
            // The run was work already.
            Outcome::Taken | Outcome::Diverged => {}
        }
        self.arms[self.playing].strategy.on_outcome(flip, outcome, cost);
    }

    fn on_revived(&mut self, tree: &Tree, flips: &[Flip]) {
        self.arms.iter_mut().for_each(|arm| arm.strategy.on_revived(tree, flips));
    }

    fn wants_cores(&self) -> bool {
        self.arms.iter().any(|arm| arm.strategy.wants_cores())
    }

    fn wants_trails(&self) -> bool {
        self.arms.iter().any(|arm| arm.strategy.wants_trails())
    }

    fn wants_callees(&self) -> bool {
        self.arms.iter().any(|arm| arm.strategy.wants_callees())
    }

    fn renews_input(&self) -> bool {
        self.arms[self.playing].strategy.renews_input()
    }

    fn describe(&self) -> String {
        let names: Vec<&str> = self.arms.iter().map(|arm| arm.name.as_str()).collect();
        format!("auto (whichever of {} brings most; now {})", names.join(", "), self.arms[self.playing].name)
    }
}
