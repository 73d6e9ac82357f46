//! Measures weights: a campaign for each job, several at a time.

use super::journal::Journal;
use super::progress::Progress;
use super::sample;
use crate::args::LearnArgs;
use crate::failure::Failure;
use crate::trial::{Length, Plan, jobs};
use cairn_campaign::StopReason;
use cairn_learn::{Best, Job, Measured, Objective, Stage, Stopped};
use cairn_search::Obtained;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub struct Measurer<'a> {
    plan: &'a Plan,
    journal: Journal,
    progress: Progress,
    workers: usize,
    end: Option<Instant>,
    /// Where weights are written for the campaigns that use them.
    scratch: TempDir,
    /// What went wrong.
    failure: Option<Failure>,
}

impl<'a> Measurer<'a> {
    pub fn new(
        plan: &'a Plan,
        args: &LearnArgs,
        journal: Journal,
        started: Instant,
    ) -> Result<Measurer<'a>, Failure> {
        let end = args.time().map(|time| started + time);
        let progress = Progress::start(args.quiet, end, &plan.stop)?;
        let scratch = tempfile::tempdir()?;
        Ok(Measurer { plan, journal, progress, workers: jobs(args.jobs), end, scratch, failure: None })
    }

    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Ends measuring; tells what went wrong, if anything did.
    pub fn finish(&mut self) -> Result<(), Failure> {
        self.progress.end();
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Makes those of the jobs that nobody has made.
    fn make(&mut self, stage: Stage, wanted: &[&Job]) -> Result<(), Stopped> {
        let files =
            wanted.iter().enumerate().map(|(i, job)| self.write(i, job)).collect::<Result<Vec<_>, _>>();
        let files = files.map_err(|failure| self.fail(failure))?;
        self.progress.begin(stage, wanted);
        let shared = Mutex::new((&mut self.journal, &mut self.progress));
        let (plan, end) = (self.plan, self.end);
        let made = plan.for_each(wanted, self.workers, |at, job| {
            if shared.lock().expect("nobody panics with it").1.is_late() {
                return Ok(false);
            }
            let Some(covered) = campaign(plan, &files[at], job, end)? else { return Ok(false) };
            let mut shared = shared.lock().expect("nobody panics with it");
            shared.0.note(job, covered)?;
            shared.1.done(job);
            Ok(true)
        });
        match made {
            Ok(true) => Ok(()),
            Ok(false) if self.progress.is_late() && !self.is_over() => Ok(()),
            Ok(false) => Err(Stopped),
            Err(failure) => Err(self.fail(failure)),
        }
    }

    /// Whether there is no time left, or the user has had enough.
    fn is_over(&self) -> bool {
        self.plan.stop.load(Ordering::Relaxed) || self.end.is_some_and(|end| Instant::now() >= end)
    }

    fn write(&self, number: usize, job: &Job) -> Result<PathBuf, Failure> {
        let path = self.scratch.path().join(format!("{number}.toml"));
        std::fs::write(&path, sample::weights("sample", &job.weights, Obtained::default()).to_toml())?;
        Ok(path)
    }

    fn fail(&mut self, failure: Failure) -> Stopped {
        self.failure.get_or_insert(failure);
        Stopped
    }
}

impl Objective for Measurer<'_> {
    fn measure(&mut self, stage: Stage, jobs: &[Job]) -> Result<Vec<Measured>, Stopped> {
        let wanted: Vec<&Job> = jobs.iter().filter(|job| self.journal.known(job).is_none()).collect();
        if !wanted.is_empty() {
            self.make(stage, &wanted)?;
        }
        Ok(jobs.iter().map_while(|job| self.journal.known(job)).collect())
    }

    fn improved(&mut self, best: &Best) {
        self.progress.improved(best.mean);
    }
}

/// What a campaign with these weights covers; nothing if it could not be finished.
fn campaign(
    plan: &Plan,
    weights: &std::path::Path,
    job: &Job,
    end: Option<Instant>,
) -> Result<Option<Measured>, Failure> {
    let time = end.map(|end| end.saturating_duration_since(Instant::now()));
    if time == Some(Duration::ZERO) {
        return Ok(None);
    }
    // Weights must be good wherever a search begins, and trials differ.
    let length = Length { seed: job.seed, execs: job.executions, time, random_start: true };
    let trial = plan.run(&format!("parametric:{}", weights.display()), 0, length, |_| ())?;
    let whole = trial.filter(|trial| trial.summary.notes.stop != StopReason::Time);
    Ok(whole.map(|trial| trial.summary.branches_covered as f64))
}
