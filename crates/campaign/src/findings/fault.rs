//! Faults and their identity: what makes two findings the same.

use super::fault_kind::{FaultClass, FaultKind};
use cairn_program::SourceFrame;
use serde::{Deserialize, Serialize};

/// Location of a fault, as exactly as it is known.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) enum FaultLocation {
    /// A line of the source: compilers duplicate code, and one fault must not count twice.
    Line(String, u32),
    /// An address of the program's code.
    Code(u64),
    /// After this site and side, the last symbolic decision.
    After(u32, u32),
}

/// Deduplication key: two findings with the same key are one.
pub(crate) type FaultKey = (FaultClass, Option<FaultLocation>);

/// A fault that a run shows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Fault {
    pub kind: FaultKind,
    pub location: Option<FaultLocation>,
    /// Function it is in, if there is no stack.
    pub function: Option<String>,
    /// True if the program continues after it.
    pub is_silent: bool,
}

impl Fault {
    /// Returns the deduplication key.
    pub fn key(&self) -> FaultKey {
        (self.kind.class(), self.location.clone())
    }

    /// Returns the only known frame of a fault without a stack.
    pub fn frame(&self) -> Option<SourceFrame> {
        let function = self.function.clone()?;
        let line = match &self.location {
            Some(FaultLocation::Line(file, line)) => Some((file.clone(), *line)),
            _ => None,
        };
        Some(SourceFrame { function, line })
    }
}
