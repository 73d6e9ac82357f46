//! `cairn run --dump-queries`: a directory with a file per query.

use crate::error::Error;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Most bytes of all files together; a chosen bound.
const MAX_BYTES: usize = 1 << 30;

/// Files written so far.
#[derive(Default)]
struct Written {
    files: u64,
    bytes: usize,
    failure: Option<Error>,
}

/// A directory that queries are written to.
pub struct QueryDump {
    directory: PathBuf,
    max_files: u64,
    written: Arc<Mutex<Written>>,
}

impl QueryDump {
    /// Creates the directory, which must be empty if it exists, for at max_files `max_files` files.
    pub fn create(directory: &Path, max_files: u64) -> Result<QueryDump, Error> {
        let cannot = |why| Error::new(format_args!("cannot write queries to {}: {why}", directory.display()));
        std::fs::create_dir_all(directory).map_err(|error| cannot(error.to_string()))?;
        let mut entries = std::fs::read_dir(directory).map_err(|error| cannot(error.to_string()))?;
        if entries.next().is_some() {
            return Err(cannot("there is something in it".to_owned()));
        }
        Ok(QueryDump { directory: directory.to_owned(), max_files, written: Arc::default() })
    }

    /// Returns a sink that writes scripts to files until there are enough, and replaces files already written.
    pub fn sink(&self) -> cairn_solver::QuerySink {
        let (directory, max_files, written) = (self.directory.clone(), self.max_files, self.written.clone());
        Box::new(move |replaced, script| {
            let mut written = written.lock().unwrap_or_else(PoisonError::into_inner);
            let number = replaced.unwrap_or(written.files + 1);
            // Other workers may have written the last one.
            if number > max_files || written.bytes >= MAX_BYTES {
                return None;
            }
            let path = directory.join(format!("{number:06}.smt2"));
            if let Err(error) = std::fs::write(&path, script) {
                written.failure = Some(Error::cannot("write", &path, error));
                return None;
            }
            written.files = written.files.max(number);
            written.bytes += script.len();
            Some(number)
        })
    }

    /// Returns the number of files written, or the error that ended the writing.
    pub fn finish(self) -> Result<u64, Error> {
        let mut written = self.written.lock().unwrap_or_else(PoisonError::into_inner);
        written.failure.take().map_or(Ok(written.files), Err)
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }
}
