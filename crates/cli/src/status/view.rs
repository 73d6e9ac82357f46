//! What there is to see of a campaign: plain data, which the screen gets a copy of.

use cairn_campaign::Progress;
use cairn_exec::ExitKind;
use std::time::{Duration, Instant};

/// How far back "lately" goes.
const LATELY: Duration = Duration::from_secs(3);

/// A campaign at a moment.
#[derive(Clone)]
pub struct View {
    /// The program and its arguments.
    pub title: String,
    /// Executions and time it may take.
    pub execs: Option<u64>,
    pub time: Option<Duration>,
    pub progress: Progress,
    /// When that was so.
    pub at: Instant,
    /// How the strategy describes itself.
    pub strategy: String,
    /// When the last test came.
    pub last_test: Option<Duration>,
    /// Different crashes and hangs, by how the program ends, and what and when the newest is.
    pub kinds: Vec<(ExitKind, u64)>,
    pub newest: Option<(String, Duration)>,
    /// Branches covered, after every change.
    pub history: Vec<(Duration, u64)>,
    /// Executions at moments of the last seconds.
    marks: Vec<(Duration, u64)>,
}

impl View {
    /// Before anything has happened.
    pub fn new(title: String, execs: Option<u64>, time: Option<Duration>) -> View {
        let (progress, strategy, last_test, kinds, newest, history, marks) = Default::default();
        let at = Instant::now();
        View { title, execs, time, progress, at, strategy, last_test, kinds, newest, history, marks }
    }

    /// The time now: the campaign's own clock stands still while it is made again.
    pub fn elapsed(&self) -> Duration {
        match self.progress.rebuilding {
            Some(_) => self.progress.elapsed,
            None => self.progress.elapsed + self.at.elapsed(),
        }
    }

    /// Takes in where the campaign stands.
    pub fn update(&mut self, progress: &Progress) {
        self.progress = *progress;
        self.at = Instant::now();
        self.marks.push((progress.elapsed, progress.executions));
        let old = |mark: &(Duration, u64)| mark.0 + LATELY < progress.elapsed;
        let keep = self.marks.iter().take_while(|mark| old(mark)).count().saturating_sub(1);
        self.marks.drain(..keep);
    }

    /// Takes in what is covered.
    pub fn cover(&mut self, progress: &Progress) {
        self.history.push((progress.elapsed, progress.branches_covered));
    }

    /// Takes in a crash or hang that is new.
    pub fn found(&mut self, end: ExitKind, headline: &str, elapsed: Duration) {
        match self.kinds.iter_mut().find(|(kind, _)| *kind == end) {
            Some((_, count)) => *count += 1,
            None => self.kinds.push((end, 1)),
        }
        self.newest = Some((headline.to_owned(), elapsed));
    }

    /// Executions per second of the last few seconds.
    pub fn rate(&self) -> f64 {
        let (Some(first), Some(last)) = (self.marks.first(), self.marks.last()) else { return 0.0 };
        let time = last.0.saturating_sub(first.0).as_secs_f64();
        if time > 0.0 { last.1.saturating_sub(first.1) as f64 / time } else { 0.0 }
    }

    /// The share of the budget that is used, whichever is used most; none if there is no end in sight.
    pub fn share(&self) -> Option<f64> {
        if let Some(runs) = self.progress.rebuilding {
            return Some(self.progress.executions as f64 / runs.max(1) as f64);
        }
        let time = self.time.map(|time| self.elapsed().as_secs_f64() / time.as_secs_f64().max(1e-9));
        let runs = self.execs.map(|execs| self.progress.executions as f64 / execs.max(1) as f64);
        time.into_iter().chain(runs).reduce(f64::max).map(|share| share.min(1.0))
    }

    /// Branches that were covered at so many moments from the start to now, equally far apart.
    pub fn curve(&self, points: usize) -> Vec<u64> {
        let end = self.elapsed().as_secs_f64();
        let covered_by = |time: f64| {
            let behind = self.history.partition_point(|(at, _)| at.as_secs_f64() <= time);
            behind.checked_sub(1).map_or(0, |last| self.history[last].1)
        };
        (1..=points).map(|i| covered_by(end * i as f64 / points as f64)).collect()
    }
}
