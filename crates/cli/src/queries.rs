//! `cairn run --dump-queries`: a directory with a file per query.

use crate::failure::Failure;
use crate::message::tell;
use crate::style::counted;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that all files together may have.
const MAX_BYTES: usize = 1 << 30;

/// What has been written so far.
#[derive(Default)]
struct Written {
    files: u64,
    bytes: usize,
    failure: Option<Failure>,
}

/// A directory that queries go to.
pub struct Queries {
    directory: PathBuf,
    most: u64,
    written: Arc<Mutex<Written>>,
}

impl Queries {
    /// Makes the directory, which must have nothing in it, for at most so many files.
    pub fn create(directory: &Path, most: u64) -> Result<Queries, Failure> {
        let cannot =
            |why| Failure::new(format_args!("cannot write queries to {}: {why}", directory.display()));
        std::fs::create_dir_all(directory).map_err(|error| cannot(error.to_string()))?;
        let mut entries = std::fs::read_dir(directory).map_err(|error| cannot(error.to_string()))?;
        if entries.next().is_some() {
            return Err(cannot("there is something in it".to_owned()));
        }
        Ok(Queries { directory: directory.to_owned(), most, written: Arc::default() })
    }

    /// Somebody who writes scripts to files, until there are enough.
    pub fn keeper(&self) -> cairn_solver::QuerySink {
        let (directory, most, written) = (self.directory.clone(), self.most, self.written.clone());
        Box::new(move |script| {
            let mut written = written.lock().unwrap_or_else(PoisonError::into_inner);
            let path = directory.join(format!("{:06}.smt2", written.files + 1));
            if let Err(error) = std::fs::write(&path, script) {
                written.failure = Some(Failure::cannot("write", &path, &error));
                return false;
            }
            written.files += 1;
            written.bytes += script.len();
            written.files < most && written.bytes < MAX_BYTES
        })
    }

    /// Says what has been written; that something could not be is a failure.
    pub fn tell(self, quiet: bool) -> Result<(), Failure> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(failure) = written.failure.take() {
            return Err(failure);
        }
        if !quiet {
            tell(format_args!(
                "{} in {}\n",
                counted(written.files, "query", "queries"),
                self.directory.display()
            ));
        }
        Ok(())
    }
}
