//! What ends `cairn` with exit code 2: one sentence.

use crate::message;
use std::fmt::Display;
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// Nothing was found.
pub const NOTHING_FOUND: u8 = 0;
/// There are crashes or hangs.
pub const FOUND: u8 = 1;
/// Bad usage, or the tool itself failed.
pub const FAILED: u8 = 2;

/// Why `cairn` cannot go on.
#[derive(Debug)]
pub struct Failure(String);

impl Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Failure {
    /// A failure with this reason, made one line.
    pub fn new(reason: impl Display) -> Failure {
        let reason = reason.to_string();
        Failure(reason.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// Something cannot be done with a file.
    pub fn cannot(what: &str, path: &Path, error: &io::Error) -> Failure {
        Failure::new(format_args!("cannot {what} {}: {error}", path.display()))
    }

    /// Says why, and gives the exit code.
    pub fn report(&self) -> ExitCode {
        message::fail(&self.0);
        ExitCode::from(FAILED)
    }
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::new(error)
    }
}
