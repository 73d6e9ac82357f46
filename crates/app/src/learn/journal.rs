//! What was measured, on disk before it is used.
//!
//! The first line says what is being learnt, every other line is one measurement. A line that was cut short by a kill is no
//! line: its campaign is made again.

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

/// What is learnt.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Task {
    /// Of Cairn: another one may search otherwise.
    pub version: String,
    /// Of the program's file.
    pub target: u64,
    /// Of the input, the arguments and the limit of time.
    pub input: u64,
    /// Whether as published.
    pub published: bool,
    /// How much is measured for it.
    pub size: Size,
}

#[derive(Serialize, Deserialize)]
struct Line {
    job: u64,
    covered: f64,
}

/// A journal that is being written.
pub struct Journal {
    path: PathBuf,
    file: File,
    task: Task,
    known: HashMap<u64, f64>,
}

impl Journal {
    /// Where the journal of these weights is.
    pub fn path(weights: &Path) -> PathBuf {
        let mut name = OsString::from(weights);
        name.push(".journal");
        PathBuf::from(name)
    }

    /// Neither an old journal nor old weights are replaced unless the user says so.
    pub fn may_create(weights: &Path, force: bool) -> Result<(), Error> {
        let path = Journal::path(weights);
        match [weights, &path].into_iter().find(|file| file.exists()).filter(|_| !force) {
            None => Ok(()),
            Some(there) => Err(Error::new(format_args!(
                "{} exists: --resume goes on with it, --force replaces it, --out FILE writes elsewhere",
                there.display()
            ))),
        }
    }

    /// A new journal.
    pub fn create(weights: &Path, task: Task) -> Result<Journal, Error> {
        let path = Journal::path(weights);
        let mut file = claim(&path, OpenOptions::new().append(true).create(true))?;
        let first = format!("{}\n", serde_json::to_string(&task)?);
        let written = file.set_len(0).and_then(|()| file.write_all(first.as_bytes()));
        written.map_err(|error| Error::cannot("write", &path, error))?;
        Ok(Journal { path, file, task, known: HashMap::new() })
    }

    /// The journal of a learning on this program and input that was cut short.
    pub fn open(weights: &Path, program: &Path, input: u64) -> Result<Journal, Error> {
        let path = Journal::path(weights);
        let mut file = claim(&path, OpenOptions::new().read(true).append(true))?;
        let mut text = String::new();
        let read = file.read_to_string(&mut text);
        read.map_err(|error| Error::cannot("go on with", &path, error))?;
        // What follows the last line break was cut short.
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        let mut lines = whole.lines();
        let damaged = || Error::new(format_args!("{} is no journal of `cairn learn`", path.display()));
        let task: Task = lines.next().and_then(|line| serde_json::from_str(line).ok()).ok_or_else(damaged)?;
        if task.target != fingerprint(program)? {
            return Err(Error::new("the journal is about another program: --force begins anew"));
        }
        if task.input != input {
            return Err(Error::new(
                "the journal is about other input, arguments or another --timeout: go on with what it was begun with, or --force begins anew",
            ));
        }
        let known = lines.map(|line| serde_json::from_str(line).map(|Line { job, covered }| (job, covered)));
        let known = known.collect::<Result<_, _>>().map_err(|_| damaged())?;
        file.set_len(whole.len() as u64)?;
        Ok(Journal { path, file, task, known })
    }

    /// What is being learnt.
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// What a job gave, if it was made.
    pub fn known(&self, job: &Job) -> Option<f64> {
        self.known.get(&key(job)).copied()
    }

    /// Notes what a job gave.
    pub fn note(&mut self, job: &Job, covered: f64) -> Result<(), Error> {
        let line = Line { job: key(job), covered };
        self.known.insert(line.job, covered);
        let text = format!("{}\n", serde_json::to_string(&line)?);
        self.file.write_all(text.as_bytes()).map_err(|error| Error::cannot("write", &self.path, error))
    }
}

/// Opens a journal that nobody else is writing.
fn claim(path: &Path, options: &OpenOptions) -> Result<File, Error> {
    let file = options.open(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Error::cannot("go on with", path, error),
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

/// A name for a job, the same in every process.
fn key(job: &Job) -> u64 {
    let mut print = Fingerprint::default();
    for weight in job.weights.iter() {
        print.number(weight.to_bits());
    }
    print.number(job.seed).number(job.executions).finish()
}
