//! Reasons why a run could not be made.

use crate::exit_kind::ExitKind;
use std::io;
use thiserror::Error;

/// Reason why a run could not be made.
#[derive(Debug, Error)]
pub enum RunError {
    /// The fork server has ended; [`crate::Server::restart`] starts another.
    #[error("the program's fork server ended: {0}")]
    ServerDied(ExitKind),
    /// The fork server no longer replied; it was killed.
    #[error("the program's fork server stopped answering")]
    ServerSilent,
    /// The system refused to fork.
    #[error("the program could not be forked: {0}")]
    CannotFork(io::Error),
    /// The input exceeds the input region.
    #[error("an input of {0} bytes is too large")]
    InputTooLarge(usize),
    /// The input has more objects than fit.
    #[error("an input of {0} objects has too many")]
    TooManyObjects(usize),
    /// The input has an argument beyond those that the program is started with.
    #[error("the input has an argument {index}, but the program is started with {count}")]
    NoSuchArgument {
        /// Position of the argument.
        index: u32,
        /// Number of arguments.
        count: usize,
    },
    /// An unexpected error of the system.
    #[error("cannot run the program: {0}")]
    Io(#[from] io::Error),
}
