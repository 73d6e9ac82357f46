//! Errors about files that cannot be used as a target, as sentences for the user.

use crate::file::FileError;
use crate::kind::FileKind;
use std::path::PathBuf;
use thiserror::Error;

/// The reason a target's executable could not be read.
#[derive(Debug, Error)]
pub enum ProgramError {
    /// There is no such file.
    #[error("no such file: {}", path.display())]
    Missing {
        /// Requested file.
        path: PathBuf,
    },
    /// The file exists but cannot be read.
    #[error(transparent)]
    Unreadable(FileError),
    /// Another kind of file: a script, an object file, text.
    #[error("{} is {kind}", path.display())]
    NotExecutable {
        /// Requested file.
        path: PathBuf,
        /// Its kind.
        kind: FileKind,
    },
    /// An executable built by an ordinary compiler.
    #[error("{} was not built with `cairn cc`: build it with that, or give its C files", path.display())]
    NotInstrumented {
        /// Requested file.
        path: PathBuf,
    },
    /// A program without an entry point.
    #[error(
        "{} has neither a main function nor LLVMFuzzerTestOneInput: add one of them, or the file that has it",
        path.display()
    )]
    NoMain {
        /// Requested file.
        path: PathBuf,
    },
    /// A program whose `main` is uninstrumented, so that the runtime cannot start.
    #[error("the main function of {} is not instrumented: compile its file with `cairn cc` too", path.display())]
    ForeignMain {
        /// Requested file.
        path: PathBuf,
    },
    /// An executable built by a `cairn cc` whose metadata this version does not understand.
    #[error(
        "{} was built by another version of `cairn cc` (ABI {found}, this one has {expected}): build it again",
        path.display()
    )]
    OtherAbi {
        /// Requested file.
        path: PathBuf,
        /// ABI version in the file.
        found: u32,
        /// ABI version of this tool.
        expected: u32,
    },
    /// An executable whose metadata is inconsistent.
    #[error("the description that `cairn cc` left in {} is damaged: {damage}", path.display())]
    Damaged {
        /// Requested file.
        path: PathBuf,
        /// The inconsistency.
        damage: Damage,
    },
}

/// An inconsistency in a target's metadata.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct Damage(pub String);
