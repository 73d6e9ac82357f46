//! Measures weights: a campaign for each job, several at a time.

use super::journal::Journal;
use super::progress::LearnProgress;
use super::sample_weights;
use super::{LearnObserver, LearnSettings};
use crate::error::Error;
use crate::trial::{Length, Plan, jobs};
use cairn_campaign::StopReason;
use cairn_learn::{Best, Job, Measured, Objective, Stage, Stopped};
use cairn_search::Obtained;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The objective that learning maximises: branches covered by campaigns with given weights.
pub struct Measurer<'a> {
    plan: &'a Plan,
    journal: Journal,
    progress: &'a Mutex<LearnProgress>,
    observer: &'a dyn LearnObserver,
    workers: usize,
    end: Option<Instant>,
    /// Holds the weights of samples, for the campaigns that use them.
    scratch: TempDir,
    /// The first error.
    failure: Option<Error>,
}

impl<'a> Measurer<'a> {
    /// Measures with campaigns of `plan`, until the time since `started` is up.
    pub fn new(
        plan: &'a Plan,
        settings: &LearnSettings,
        journal: Journal,
        started: Instant,
        observer: &'a dyn LearnObserver,
    ) -> Result<Measurer<'a>, Error> {
        let end = settings.time.map(|time| started + time);
        let progress = observer.start(end)?;
        let scratch = tempfile::tempdir()?;
        let workers = jobs(settings.jobs);
        Ok(Measurer { plan, journal, progress, observer, workers, end, scratch, failure: None })
    }

    /// The journal of all measurements.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Ends measuring; returns the first error, if there was one.
    pub fn finish(&mut self) -> Result<(), Error> {
        self.observer.end();
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Runs the campaigns of jobs that the journal does not know.
    fn run(&mut self, stage: Stage, wanted: &[&Job]) -> Result<(), Stopped> {
        let files =
            wanted.iter().enumerate().map(|(i, job)| self.write(i, job)).collect::<Result<Vec<_>, _>>();
        let files = files.map_err(|failure| self.fail(failure))?;
        self.progress().begin(stage, wanted);
        let journal = Mutex::new(&mut self.journal);
        let (plan, end, progress, observer) = (self.plan, self.end, self.progress, self.observer);
        let is_late = || progress.lock().expect("no holder panics").is_late();
        let made = plan.for_each(wanted, self.workers, |at, job| {
            if is_late() {
                return Ok(false);
            }
            let Some(covered) = campaign(plan, &files[at], job, end)? else { return Ok(false) };
            journal.lock().expect("no holder panics").record(job, covered)?;
            let mut progress = progress.lock().expect("no holder panics");
            progress.done(job);
            observer.done(&progress);
            Ok(true)
        });
        match made {
            Ok(true) => Ok(()),
            Ok(false) if is_late() && !self.is_over() => Ok(()),
            Ok(false) => Err(Stopped),
            Err(failure) => Err(self.fail(failure)),
        }
    }

    /// Locks the counters.
    fn progress(&self) -> MutexGuard<'a, LearnProgress> {
        self.progress.lock().expect("no holder panics")
    }

    /// True if no time is left, or the user asked for an end.
    fn is_over(&self) -> bool {
        self.plan.stop.load(Ordering::Relaxed) || self.end.is_some_and(|end| Instant::now() >= end)
    }

    fn write(&self, number: usize, job: &Job) -> Result<PathBuf, Error> {
        let path = self.scratch.path().join(format!("{number}.toml"));
        std::fs::write(
            &path,
            sample_weights::weights("sample", &job.weights, Obtained::default()).to_toml(),
        )?;
        Ok(path)
    }

    fn fail(&mut self, failure: Error) -> Stopped {
        self.failure.get_or_insert(failure);
        Stopped
    }
}

impl Objective for Measurer<'_> {
    fn measure(&mut self, stage: Stage, jobs: &[Job]) -> Result<Vec<Measured>, Stopped> {
        let wanted: Vec<&Job> = jobs.iter().filter(|job| self.journal.known(job).is_none()).collect();
        if !wanted.is_empty() {
            self.run(stage, &wanted)?;
        }
        Ok(jobs.iter().map_while(|job| self.journal.known(job)).collect())
    }

    fn improved(&mut self, best: &Best) {
        self.progress().improved(best.mean);
    }
}

/// Returns the coverage of a campaign with these weights; none if it could not be finished.
fn campaign(
    plan: &Plan,
    weights: &std::path::Path,
    job: &Job,
    end: Option<Instant>,
) -> Result<Option<Measured>, Error> {
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
