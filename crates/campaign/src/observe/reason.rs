//! Reasons why exploration stalls, as the diagnosis reports them.

use serde::{Deserialize, Serialize};

/// Kind of a reason; the most important come first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReasonKind {
    /// No part of the input is symbolic.
    NothingSymbolic,
    /// Every run was rejected by an assumption.
    #[serde(rename = "all-refused")]
    AllRejected,
    /// An input object that no decision depends on.
    UnusedInput,
    /// A function without instrumentation or model was given symbolic data.
    ForeignFunction,
    /// A symbolic value was lost in an operation that labels do not follow.
    Concretised,
    /// A symbolic address or size was concretized, to one constant after the other.
    Pinned,
    /// Uninstrumented code overwrote symbolic data.
    Overwritten,
    /// A trace was truncated for lack of room.
    Full,
    /// The solver gave up.
    Unanswered,
    /// A run diverged from its predicted path.
    Diverged,
    /// A run took another path than an earlier one after the same decisions.
    Nondeterministic,
    /// Several threads computed with the input, and runs diverged.
    Threads,
    /// A run did not end in time.
    Hang,
    /// A run ends in time, but not while it is traced.
    Slow,
    /// A run was killed from outside.
    Killed,
    /// A run overwrote its trace.
    Damaged,
    /// A run killed the fork server.
    LostRun,
    /// A condition with an uncovered side does not depend on the input.
    Independent,
}

/// A reason why exploration stalls.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reason {
    /// Kind of the reason.
    pub kind: ReasonKind,
    /// Number of times it was seen.
    pub count: u64,
    /// Source file and line, if it has a location.
    pub place: Option<String>,
    /// Object, function or operation that it concerns.
    pub about: Option<String>,
}
