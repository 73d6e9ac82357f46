//! How learning is doing.

use crate::failure::Failure;
use crate::live::Live;
use crate::message::tell;
use crate::row::Row;
use crate::style::Style;
use crate::terminal;
use cairn_app::numbers::{clock, grouped};
use cairn_learn::{Job, Phase, Stage};
use std::io::stderr;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Time between two lines where there is no terminal.
const PERIOD: Duration = Duration::from_secs(10);

/// Samples that are measured however late it is.
const ENOUGH: usize = 24;

/// Shows where learning stands, if it is to.
pub struct Progress {
    state: Arc<Mutex<State>>,
    /// Draws it, on a terminal.
    live: Option<Live>,
    quiet: bool,
    told: Instant,
}

/// Where learning stands.
struct State {
    started: Instant,
    end: Option<Instant>,
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
    pub fn start(quiet: bool, end: Option<Instant>, stop: &Arc<AtomicBool>) -> Result<Progress, Failure> {
        let now = Instant::now();
        let (stage, made, all, executions, left, best) = Default::default();
        let state = State { started: now, end, stage, made, all, executions, left, best };
        let state = Arc::new(Mutex::new(state));
        let (shown, style) = (state.clone(), Style::of(&stderr()));
        let live = (!quiet && terminal::can_draw()).then(|| {
            Live::start(stop.clone(), move |size| {
                let line = shown.lock().expect("nobody panics with it").line();
                vec![Row::new(size.width, style).add(" ").add(&line).text()]
            })
        });
        Ok(Progress { state, live: live.transpose()?, quiet, told: now })
    }

    /// These campaigns come next.
    pub fn begin(&mut self, stage: Stage, jobs: &[&Job]) {
        let mut state = self.state.lock().expect("nobody panics with it");
        state.stage = Some(stage);
        (state.made, state.all) = (0, jobs.len());
        state.left = jobs.iter().map(|job| job.executions).sum();
    }

    /// A campaign was made.
    pub fn done(&mut self, job: &Job) {
        let mut state = self.state.lock().expect("nobody panics with it");
        state.made += 1;
        state.executions += job.executions;
        state.left -= job.executions;
        if !self.quiet && self.live.is_none() && self.told.elapsed() >= PERIOD {
            self.told = Instant::now();
            tell(format_args!("{}\n", state.line()));
        }
    }

    /// Whether so little time is left that it is better to check what has been found.
    pub fn is_late(&self) -> bool {
        self.state.lock().expect("nobody panics with it").is_late()
    }

    /// The best covers so much.
    pub fn improved(&mut self, mean: f64) {
        self.state.lock().expect("nobody panics with it").best = Some(mean);
    }

    /// Makes room for other text.
    pub fn end(&mut self) {
        self.live = None;
    }
}

impl State {
    /// A race is mostly decided by half of its runs.
    fn is_late(&self) -> bool {
        let (Some(stage), Some(end)) = (self.stage, self.end) else { return false };
        let allowed = end.saturating_duration_since(Instant::now()).as_secs_f64();
        let is_enough = stage.phase == Phase::Find && self.made >= ENOUGH.min(self.all);
        is_enough && allowed * self.speed() < stage.rest as f64 / 2.0
    }

    /// Executions in a second so far.
    fn speed(&self) -> f64 {
        self.executions as f64 / self.started.elapsed().as_secs_f64()
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
