//! How far a comparison is.

use crate::failure::Failure;
use crate::live::Live;
use crate::message::tell;
use crate::row::Row;
use crate::style::{Ink, Style};
use crate::terminal::{self, Size};
use crate::trial::{Length, Trial};
use cairn_app::numbers::{clock, counted, percent};
use cairn_campaign::Progress;
use std::io::stderr;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// What a whole campaign counts.
const WHOLE: u32 = 1 << 20;
const LONGEST_BAR: usize = 30;

/// Shows how far it is, if it is to.
pub(super) struct Bar {
    state: Arc<State>,
    quiet: bool,
    /// Draws it, on a terminal.
    live: Option<Live>,
}

struct State {
    started: Instant,
    /// How much of each campaign is made. Campaigns write here while they run, and wait for nobody.
    made: Vec<AtomicU32>,
    /// Campaigns that are done, and what the last of them covered.
    done: Mutex<(usize, String)>,
}

impl Bar {
    pub(super) fn start(quiet: bool, campaigns: usize, stop: &Arc<AtomicBool>) -> Result<Bar, Failure> {
        let made = std::iter::repeat_with(AtomicU32::default).take(campaigns).collect();
        let state = Arc::new(State { started: Instant::now(), made, done: Mutex::default() });
        let (shown, style, unicode) = (state.clone(), Style::of(&stderr()), terminal::has_unicode());
        let live = (!quiet && terminal::can_draw())
            .then(|| Live::start(stop.clone(), move |size| shown.lines(size, style, unicode)));
        Ok(Bar { state, quiet, live: live.transpose()? })
    }

    /// A campaign is as far as that.
    pub(super) fn advance(&self, campaign: usize, length: &Length, progress: &Progress) {
        let runs = progress.executions as f64 / length.execs.max(1) as f64;
        let time = length.time.map_or(0.0, |time| progress.elapsed.as_secs_f64() / time.as_secs_f64());
        let share = runs.max(time).min(1.0);
        self.state.made[campaign].store((share * f64::from(WHOLE)) as u32, Ordering::Relaxed);
    }

    /// A campaign is done.
    pub(super) fn done(&self, campaign: usize, trial: &Trial) {
        self.state.made[campaign].store(WHOLE, Ordering::Relaxed);
        let branches = counted(trial.covered.len() as u64, "branch", "branches");
        let time = clock(trial.summary.elapsed_seconds);
        let mut done = self.state.done.lock().expect("nobody panics with it");
        *done = (done.0 + 1, format!("{} covered {branches} in {time}", trial.strategy));
        if !self.quiet && self.live.is_none() {
            let (count, all) = (done.0, self.state.made.len());
            tell(format_args!("{count} of {all}: {}; {}\n", done.1, self.state.left()));
        }
    }
}

impl State {
    fn share(&self) -> f64 {
        let made: f64 = self.made.iter().map(|made| f64::from(made.load(Ordering::Relaxed))).sum();
        made / f64::from(WHOLE) / self.made.len().max(1) as f64
    }

    fn left(&self) -> String {
        let share = self.share().max(1e-6);
        format!("about {} left", clock(self.started.elapsed().as_secs_f64() / share * (1.0 - share)))
    }

    fn lines(&self, size: Size, style: Style, unicode: bool) -> Vec<String> {
        let (count, last) = self.done.lock().expect("nobody panics with it").clone();
        let (share, all) = (self.share(), self.made.len());
        let row = || Row::new(size.width, style).add(" ");
        let told = format!(" {}  {}", percent(share, 1.0), self.left());
        let first = row().add(&format!("{count} of {all} campaigns "));
        let room = first.room().saturating_sub(told.len()).min(LONGEST_BAR);
        let first = first.bar(share, room, unicode).add(&told);
        vec![first.text(), row().ink(Ink::Label, &last).text()]
    }
}
