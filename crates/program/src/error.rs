//! Why a file cannot be used as a target, in sentences for its user.

use crate::file::FileError;
use crate::kind::FileKind;
use std::path::PathBuf;
use thiserror::Error;

/// Why a target's executable could not be read.
#[derive(Debug, Error)]
pub enum ProgramError {
    /// There is no such file.
    #[error("no such file: {}", path.display())]
    Missing {
        /// The file asked for.
        path: PathBuf,
    },
    /// The file is there but cannot be read.
    #[error(transparent)]
    Unreadable(FileError),
    /// Some other kind of file: a script, an object file, text.
    #[error("{} is {kind}", path.display())]
    NotExecutable {
        /// The file asked for.
        path: PathBuf,
        /// What it is.
        kind: FileKind,
    },
    /// An executable that an ordinary compiler made.
    #[error("{} was not built with `cairn cc`: build it with that, or give its C files", path.display())]
    NotInstrumented {
        /// The file asked for.
        path: PathBuf,
    },
    /// There is nothing to start.
    #[error(
        "{} has neither a main function nor LLVMFuzzerTestOneInput: add one of them, or the file that has it",
        path.display()
    )]
    NoMain {
        /// The file asked for.
        path: PathBuf,
    },
    /// The runtime starts with `main`, so it cannot start here.
    #[error("the main function of {} is not instrumented: compile its file with `cairn cc` too", path.display())]
    ForeignMain {
        /// The file asked for.
        path: PathBuf,
    },
    /// An executable made by a `cairn cc` whose data this version does not understand.
    #[error(
        "{} was built by another version of `cairn cc` (ABI {found}, this one has {expected}): build it again",
        path.display()
    )]
    OtherAbi {
        /// The file asked for.
        path: PathBuf,
        /// ABI version in the file.
        found: u32,
        /// ABI version of this tool.
        expected: u32,
    },
    /// The description inside the executable contradicts itself.
    #[error("the description that `cairn cc` left in {} is damaged: {damage}", path.display())]
    Damaged {
        /// The file asked for.
        path: PathBuf,
        /// What is wrong with it.
        damage: Damage,
    },
}

/// What is wrong with a target's description of itself.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct Damage(pub String);
