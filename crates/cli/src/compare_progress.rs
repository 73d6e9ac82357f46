//! Progress bar of a comparison.

use crate::failure::Failure;
use crate::live::Live;
use crate::message::log;
use crate::row::Row;
use crate::style::{Ink, Style};
use crate::terminal::{self, Size};
use cairn_app::compare::CompareObserver;
use cairn_app::numbers::{clock, counted, percent};
use cairn_app::trial::{Length, Trial};
use cairn_campaign::Progress;
use std::io::stderr;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Count of a whole campaign: shares are stored as integers.
const WHOLE: u32 = 1 << 20;
const LONGEST_BAR: usize = 30;

/// Shows the progress of all campaigns, unless quiet.
pub struct CompareProgress {
    state: Arc<State>,
    quiet: bool,
    /// The redrawn region, on a terminal.
    live: Option<Live>,
}

struct State {
    started: Instant,
    /// Share of each campaign that is done. Atomics, so that campaigns do not wait for each other.
    shares: Vec<AtomicU32>,
    /// Number of campaigns that are done, and a sentence on the last of them.
    done: Mutex<(usize, String)>,
}

impl CompareProgress {
    /// Starts the clock for so many campaigns.
    pub fn start(quiet: bool, campaigns: usize, stop: &Arc<AtomicBool>) -> Result<CompareProgress, Failure> {
        let shares = std::iter::repeat_with(AtomicU32::default).take(campaigns).collect();
        let state = Arc::new(State { started: Instant::now(), shares, done: Mutex::default() });
        let (shown, style, unicode) = (state.clone(), Style::of(&stderr()), terminal::has_unicode());
        let live = (!quiet && terminal::can_draw())
            .then(|| Live::start(stop.clone(), move |size| shown.lines(size, style, unicode)));
        Ok(CompareProgress { state, quiet, live: live.transpose()? })
    }
}

impl CompareObserver for CompareProgress {
    fn advanced(&self, campaign: usize, length: &Length, progress: &Progress) {
        let runs = progress.executions as f64 / length.execs.max(1) as f64;
        let time = length.time.map_or(0.0, |time| progress.elapsed.as_secs_f64() / time.as_secs_f64());
        let share = runs.max(time).min(1.0);
        self.state.shares[campaign].store((share * f64::from(WHOLE)) as u32, Ordering::Relaxed);
    }

    fn done(&self, campaign: usize, trial: &Trial) {
        self.state.shares[campaign].store(WHOLE, Ordering::Relaxed);
        let branches = counted(trial.covered.len() as u64, "branch", "branches");
        let time = clock(trial.summary.elapsed_seconds);
        let mut done = self.state.done.lock().expect("no holder panics");
        *done = (done.0 + 1, format!("{} covered {branches} in {time}", trial.strategy));
        if !self.quiet && self.live.is_none() {
            let (count, all) = (done.0, self.state.shares.len());
            log(format_args!("{count} of {all}: {}; {}\n", done.1, self.state.left()));
        }
    }
}

impl State {
    fn share(&self) -> f64 {
        let done: f64 = self.shares.iter().map(|share| f64::from(share.load(Ordering::Relaxed))).sum();
        done / f64::from(WHOLE) / self.shares.len().max(1) as f64
    }

    fn left(&self) -> String {
        let share = self.share().max(1e-6);
        format!("about {} left", clock(self.started.elapsed().as_secs_f64() / share * (1.0 - share)))
    }

    fn lines(&self, size: Size, style: Style, unicode: bool) -> Vec<String> {
        let (count, last) = self.done.lock().expect("no holder panics").clone();
        let (share, all) = (self.share(), self.shares.len());
        let row = || Row::new(size.width, style).add(" ");
        let told = format!(" {}  {}", percent(share, 1.0), self.left());
        let first = row().add(&format!("{count} of {all} campaigns "));
        let room = first.room().saturating_sub(told.len()).min(LONGEST_BAR);
        let first = first.bar(share, room, unicode).add(&told);
        vec![first.text(), row().ink(Ink::Label, &last).text()]
    }
}
