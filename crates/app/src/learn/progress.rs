//! State of learning, for display and for the decision to stop sampling.

use crate::numbers::{clock, grouped};
use cairn_learn::{Job, Phase, Stage};
use std::time::Instant;

/// Samples of a round that are measured however little time is left; as many as a round has at least.
const ENOUGH: usize = 24;

/// Counters of the campaigns that learning makes.
pub struct LearnProgress {
    started: Instant,
    end: Option<Instant>,
    stage: Option<Stage>,
    /// Campaigns of the stage: done, and in all.
    done: usize,
    all: usize,
    /// Executions of campaigns that are done, and of those that are left of the stage.
    executions: u64,
    left: u64,
    best: Option<f64>,
}

impl LearnProgress {
    /// Starts the clock; learning is to end at `end`.
    pub fn start(end: Option<Instant>) -> LearnProgress {
        let (stage, done, all, executions, left, best) = Default::default();
        LearnProgress { started: Instant::now(), end, stage, done, all, executions, left, best }
    }

    /// Begins a stage of these campaigns.
    pub(super) fn begin(&mut self, stage: Stage, jobs: &[&Job]) {
        self.stage = Some(stage);
        (self.done, self.all) = (0, jobs.len());
        self.left = jobs.iter().map(|job| job.executions).sum();
    }

    /// Counts a campaign that is done.
    pub(super) fn done(&mut self, job: &Job) {
        self.done += 1;
        self.executions += job.executions;
        self.left -= job.executions;
    }

    /// Notes the mean coverage of the best sample so far.
    pub(super) fn improved(&mut self, mean: f64) {
        self.best = Some(mean);
    }

    /// True if so little time is left that checking what was found is worth more than further samples. A
    /// race is mostly decided by half of its runs.
    pub(super) fn is_late(&self) -> bool {
        let (Some(stage), Some(end)) = (self.stage, self.end) else { return false };
        let allowed = end.saturating_duration_since(Instant::now()).as_secs_f64();
        let is_enough = stage.phase == Phase::Find && self.done >= ENOUGH.min(self.all);
        is_enough && allowed * self.speed() < stage.rest as f64 / 2.0
    }

    /// Executions per second so far.
    fn speed(&self) -> f64 {
        self.executions as f64 / self.started.elapsed().as_secs_f64()
    }

    /// Returns a line of text; empty before the first stage.
    pub fn line(&self) -> String {
        let Some(stage) = self.stage else { return String::new() };
        let phase = if stage.phase == Phase::Find { "find" } else { "check" };
        let best = self.best.map_or(String::new(), |best| format!("  best {best:.1} branches"));
        format!(
            "{}  round {} {phase}  {} of {} campaigns{best}  {}",
            clock(self.started.elapsed().as_secs_f64()),
            stage.round,
            grouped(self.done as u64),
            grouped(self.all as u64),
            self.time_left(stage)
        )
    }

    /// Returns the longest rest of this round, or of the user's time if that is less; further rounds may follow.
    fn time_left(&self, stage: Stage) -> String {
        if self.executions == 0 {
            return String::new();
        }
        let round = (self.left + stage.rest) as f64 / self.speed();
        let allowed = self.end.map(|end| end.saturating_duration_since(Instant::now()).as_secs_f64());
        match allowed.filter(|allowed| *allowed < round) {
            Some(allowed) => format!("{} left", clock(allowed)),
            None => format!("about {} left of this round", clock(round)),
        }
    }
}
