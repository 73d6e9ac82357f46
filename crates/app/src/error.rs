//! Reasons why a command cannot go on.

use cairn_campaign::{CampaignError, DirectoryError, TestError};
use cairn_exec::{RunError, StartError};
use cairn_program::{FileError, ProgramError};
use cairn_search::UnknownStrategy;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

/// Why a command cannot go on, in one sentence for the user.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A request that cannot be met.
    #[error("{0}")]
    Refused(String),
    /// A failed operation on a file or directory.
    #[error("cannot {action} {}: {source}", .path.display())]
    File {
        /// The operation, a verb.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Any other failed system call.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A campaign directory that cannot be read or written.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// A campaign that failed.
    #[error(transparent)]
    Campaign(#[from] CampaignError),
    /// A target that cannot be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A run that failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A file that is no instrumented program.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A file that cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// A file that is no test.
    #[error(transparent)]
    Test(#[from] TestError),
    /// A strategy that does not exist.
    #[error(transparent)]
    Strategy(#[from] UnknownStrategy),
    /// A value that cannot be written as JSON, or a text that is none.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
}

impl Error {
    /// A refusal with this reason, on one line.
    pub fn new(reason: impl Display) -> Error {
        Error::Refused(one_line(&reason.to_string()))
    }

    /// A failed operation on a file; `action` is a verb.
    pub fn cannot(action: &'static str, path: &Path, source: io::Error) -> Error {
        Error::File { action, path: path.to_owned(), source }
    }

    /// The reason on one line.
    pub fn reason(&self) -> String {
        one_line(&self.to_string())
    }
}

/// Joins the lines of a text, with single spaces.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
