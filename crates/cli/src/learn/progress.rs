//! How learning is doing.

use crate::message::tell;
use crate::style::{clock, grouped};
use cairn_learn::{Job, Phase, Stage};
use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

const LIVE_PERIOD: Duration = Duration::from_millis(200);
const PLAIN_PERIOD: Duration = Duration::from_secs(10);

/// Shows where learning stands, if it is to.
pub struct Progress {
    quiet: bool,
    live: bool,
    started: Instant,
    end: Option<Instant>,
    told: Instant,
    stage: Option<Stage>,
    /// Campaigns of the stage, made and in all.
    made: usize,
    all: usize,
    /// Executions of campaigns that were made, and of those that are left of the stage.
    executions: u64,
    left: u64,
    best: Option<f64>,
}

impl Progress {
    pub fn new(quiet: bool, end: Option<Instant>) -> Progress {
        let now = Instant::now();
        let live = stderr().is_terminal();
        let (started, told) = (now, now);
        Progress {
            quiet,
            live,
            started,
            end,
            told,
            stage: None,
            made: 0,
            all: 0,
            executions: 0,
            left: 0,
            best: None,
        }
    }

    /// These campaigns come next.
    pub fn begin(&mut self, stage: Stage, jobs: &[&Job]) {
        self.stage = Some(stage);
        (self.made, self.all) = (0, jobs.len());
        self.left = jobs.iter().map(|job| job.executions).sum();
    }

    /// A campaign was made.
    pub fn done(&mut self, job: &Job) {
        self.made += 1;
        self.executions += job.executions;
        self.left -= job.executions;
        let period = if self.live { LIVE_PERIOD } else { PLAIN_PERIOD };
        if !self.quiet && self.told.elapsed() >= period {
            self.told = Instant::now();
            match self.live {
                true => tell(format_args!("\r\x1b[K{}", self.line())),
                false => tell(format_args!("{}\n", self.line())),
            }
        }
    }

    /// The best covers so much.
    pub fn improved(&mut self, mean: f64) {
        self.best = Some(mean);
    }

    /// Makes room for other text.
    pub fn clear(&self) {
        if self.live && !self.quiet {
            tell("\r\x1b[K");
        }
    }

    fn line(&self) -> String {
        let Some(stage) = self.stage else { return String::new() };
        let phase = if stage.phase == Phase::Find { "find" } else { "check" };
        let best = self.best.map_or(String::new(), |best| format!("  best {best:.1} branches"));
        format!(
            "{}  round {} {phase}  {} of {} campaigns{best}  {}",
            clock(self.started.elapsed().as_secs_f64()),
            stage.round,
            grouped(self.made as u64),
            grouped(self.all as u64),
            self.time_left(stage)
        )
    }

    /// The rest of the round at most; there may be others, but no longer than the user allows.
    fn time_left(&self, stage: Stage) -> String {
        let speed = self.executions as f64 / self.started.elapsed().as_secs_f64();
        let round = (self.left + stage.rest) as f64 / speed;
        let allowed = self.end.map(|end| end.saturating_duration_since(Instant::now()).as_secs_f64());
        match allowed.filter(|allowed| *allowed < round) {
            Some(allowed) => format!("{} left", clock(allowed)),
            None => format!("about {} left of this round", clock(round)),
        }
    }
}
