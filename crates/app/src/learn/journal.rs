//! Journal of measurements, on disk before they are used.
//!
//! The first line is the task, every other line one measurement. A line truncated by a kill is ignored: its
//! campaign is repeated.

use crate::digest::Fingerprint;
use crate::digest::fingerprint;
use crate::error::Error;
use cairn_learn::{Job, Size};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// The task of learning.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Task {
    /// Version of Cairn: another one may search differently.
    pub version: String,
    /// Fingerprint of the program's file.
    pub target: u64,
    /// Fingerprint of input, arguments and time limit.
    pub input: u64,
    /// True if learning is as published.
    pub published: bool,
    /// Number of samples, campaigns and rounds.
    pub size: Size,
}

#[derive(Serialize, Deserialize)]
struct Measurement {
    job: u64,
    covered: f64,
}

/// An open journal.
pub struct Journal {
    path: PathBuf,
    file: File,
    task: Task,
    known: HashMap<u64, f64>,
}

impl Journal {
    /// Returns the path of the journal of these weights.
    pub fn path(weights: &Path) -> PathBuf {
        let mut name = OsString::from(weights);
        name.push(".journal");
        PathBuf::from(name)
    }

    /// Refuses to replace an old journal or old weights unless `force`.
    pub fn may_create(weights: &Path, force: bool) -> Result<(), Error> {
        let path = Journal::path(weights);
        match [weights, &path].into_iter().find(|file| file.exists()).filter(|_| !force) {
            None => Ok(()),
            Some(there) => Err(Error::new(format_args!(
                "{} exists: --resume continues it, --force replaces it, --out FILE writes elsewhere",
                there.display()
            ))),
        }
    }

    /// Creates a journal.
    pub fn create(weights: &Path, task: Task) -> Result<Journal, Error> {
        let path = Journal::path(weights);
        let mut file = open_locked(&path, OpenOptions::new().append(true).create(true))?;
        let first = format!("{}\n", serde_json::to_string(&task)?);
        let written = file.set_len(0).and_then(|()| file.write_all(first.as_bytes()));
        written.map_err(|error| Error::cannot("write", &path, error))?;
        Ok(Journal { path, file, task, known: HashMap::new() })
    }

    /// Opens the journal of an interrupted learning on this program and input.
    pub fn open(weights: &Path, program: &Path, input: u64) -> Result<Journal, Error> {
        let path = Journal::path(weights);
        let mut file = open_locked(&path, OpenOptions::new().read(true).append(true))?;
        let mut text = String::new();
        let read = file.read_to_string(&mut text);
        read.map_err(|error| Error::cannot("resume", &path, error))?;
        // Text after the last line break is a truncated line.
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        let mut lines = whole.lines();
        let damaged = || Error::new(format_args!("{} is no journal of `cairn learn`", path.display()));
        let task: Task = lines.next().and_then(|line| serde_json::from_str(line).ok()).ok_or_else(damaged)?;
        if task.target != fingerprint(program)? {
            return Err(Error::new("the journal is about another program: --force starts over"));
        }
        if task.input != input {
            return Err(Error::new(
                "the journal is about other input, arguments or another --timeout: use those it was started with, or start over with --force",
            ));
        }
        let known =
            lines.map(|line| serde_json::from_str(line).map(|Measurement { job, covered }| (job, covered)));
        let known = known.collect::<Result<_, _>>().map_err(|_| damaged())?;
        file.set_len(whole.len() as u64)?;
        Ok(Journal { path, file, task, known })
    }

    /// The task.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Returns the result of a job, if it is known.
    pub fn known(&self, job: &Job) -> Option<f64> {
        self.known.get(&key(job)).copied()
    }

    /// Records the result of a job.
    pub fn record(&mut self, job: &Job, covered: f64) -> Result<(), Error> {
        let line = Measurement { job: key(job), covered };
        self.known.insert(line.job, covered);
        let text = format!("{}\n", serde_json::to_string(&line)?);
        self.file.write_all(text.as_bytes()).map_err(|error| Error::cannot("write", &self.path, error))
    }
}

/// Opens a journal and locks it against other processes.
fn open_locked(path: &Path, options: &OpenOptions) -> Result<File, Error> {
    let file = options.open(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Error::cannot("resume", path, error),
        _ => Error::cannot("write", path, error),
    })?;
    match crate::lock::lock(&file) {
        Err(TryLockError::WouldBlock) => {
            Err(Error::new(format_args!("another `cairn learn` is at work on {}", path.display())))
        }
        Err(TryLockError::Error(error)) => Err(Error::cannot("write", path, error)),
        Ok(()) => Ok(file),
    }
}

/// Returns a key of a job that is the same in every process.
fn key(job: &Job) -> u64 {
    let mut print = Fingerprint::default();
    for weight in job.weights.iter() {
        print.number(weight.to_bits());
    }
    print.number(job.seed).number(job.executions).finish()
}
