//! Failures, which end `cairn` with exit code 2 and one sentence.

use std::fmt::Display;
use std::io;
use std::path::Path;

/// Exit code if nothing was found.
pub const NOTHING_FOUND: u8 = 0;
/// Exit code if there are crashes or hangs.
pub const FOUND: u8 = 1;
/// Exit code of bad usage or a failure of the tool itself.
pub const FAILED: u8 = 2;

/// Reason why `cairn` cannot go on.
#[derive(Debug)]
pub struct Failure(String);

impl Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Failure {
    /// A failure with this reason, on one line.
    pub fn new(reason: impl Display) -> Failure {
        let reason = reason.to_string();
        Failure(reason.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    /// A failed operation on a file; `what` is a verb.
    pub fn cannot(what: &str, path: &Path, error: &io::Error) -> Failure {
        Failure::new(format_args!("cannot {what} {}: {error}", path.display()))
    }
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::new(error)
    }
}
