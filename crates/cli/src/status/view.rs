//! View of a campaign: plain data, of which the screen gets a copy.

use cairn_campaign::Progress;
use cairn_exec::ExitKind;
use std::time::{Duration, Instant};

/// Time over which the recent execution rate is measured; a chosen window.
const RATE_WINDOW: Duration = Duration::from_secs(3);

/// State of a campaign at one moment.
#[derive(Clone)]
pub struct View {
    /// The program and its arguments.
    pub title: String,
    /// Its budgets.
    pub execs: Option<u64>,
    pub time: Option<Duration>,
    pub progress: Progress,
    /// Time of `progress`.
    pub at: Instant,
    /// The strategy's description of itself.
    pub strategy: String,
    /// The build that is being made beside the campaign.
    pub building: Option<String>,
    /// Time of the last test.
    pub last_test: Option<Duration>,
    /// Numbers of distinct findings by how the program ended, and headline and time of the newest.
    pub kinds: Vec<(ExitKind, u64)>,
    pub newest: Option<(String, Duration)>,
    /// Branches covered, after every change.
    pub history: Vec<(Duration, u64)>,
    /// Executions at moments of the last seconds.
    samples: Vec<(Duration, u64)>,
}

impl View {
    /// Returns the view of a campaign that has not started.
    pub fn new(title: String, execs: Option<u64>, time: Option<Duration>) -> View {
        let (progress, strategy, building, last_test, kinds, newest, history, samples) = Default::default();
        let at = Instant::now();
        View {
            title,
            execs,
            time,
            progress,
            at,
            strategy,
            building,
            last_test,
            kinds,
            newest,
            history,
            samples,
        }
    }

    /// Returns the campaign's time; its clock stands still during replay.
    pub fn elapsed(&self) -> Duration {
        match self.progress.rebuilding {
            Some(_) => self.progress.elapsed,
            None => self.progress.elapsed + self.at.elapsed(),
        }
    }

    /// Updates the progress.
    pub fn update(&mut self, progress: &Progress) {
        self.progress = *progress;
        self.at = Instant::now();
        self.samples.push((progress.elapsed, progress.executions));
        let old = |sample: &(Duration, u64)| sample.0 + RATE_WINDOW < progress.elapsed;
        let keep = self.samples.iter().take_while(|sample| old(sample)).count().saturating_sub(1);
        self.samples.drain(..keep);
    }

    /// Notes the coverage.
    pub fn cover(&mut self, progress: &Progress) {
        self.history.push((progress.elapsed, progress.branches_covered));
    }

    /// Counts a new crash or hang.
    pub fn found(&mut self, end: ExitKind, headline: &str, elapsed: Duration) {
        match self.kinds.iter_mut().find(|(kind, _)| *kind == end) {
            Some((_, count)) => *count += 1,
            None => self.kinds.push((end, 1)),
        }
        self.newest = Some((headline.to_owned(), elapsed));
    }

    /// Returns executions per second of the last few seconds.
    pub fn rate(&self) -> f64 {
        let (Some(first), Some(last)) = (self.samples.first(), self.samples.last()) else { return 0.0 };
        let time = last.0.saturating_sub(first.0).as_secs_f64();
        if time > 0.0 { last.1.saturating_sub(first.1) as f64 / time } else { 0.0 }
    }

    /// Returns the used share of the budget that is used most; none without a budget.
    pub fn share(&self) -> Option<f64> {
        if let Some(runs) = self.progress.rebuilding {
            return Some(self.progress.executions as f64 / runs.max(1) as f64);
        }
        let time = self.time.map(|time| self.elapsed().as_secs_f64() / time.as_secs_f64().max(1e-9));
        let runs = self.execs.map(|execs| self.progress.executions as f64 / execs.max(1) as f64);
        time.into_iter().chain(runs).reduce(f64::max).map(|share| share.min(1.0))
    }

    /// Returns the branches covered at `points` equidistant moments from the start to now.
    pub fn curve(&self, points: usize) -> Vec<u64> {
        let end = self.elapsed().as_secs_f64();
        let covered_by = |time: f64| {
            let behind = self.history.partition_point(|(at, _)| at.as_secs_f64() <= time);
            behind.checked_sub(1).map_or(0, |last| self.history[last].1)
        };
        (1..=points).map(|i| covered_by(end * i as f64 / points as f64)).collect()
    }
}
