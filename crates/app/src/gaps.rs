//! Gaps in words: why a campaign is not exhausted.

use crate::numbers::counted;
use cairn_campaign::{Gap, Gaps};

/// Sentence of an exhausted campaign.
pub const EXHAUSTED: &str = "exhausted: every feasible path was executed";

/// Joins all reasons in one line, the most serious first.
pub fn reasons(gaps: &Gaps) -> String {
    let all: Vec<String> = gaps.iter().map(|(gap, count)| reason(*gap, *count)).collect();
    all.join(", ")
}

/// Describes one reason and its count.
pub fn reason(gap: Gap, count: u64) -> String {
    let (one, many) = match gap {
        Gap::NoRun => return "no run was seen".to_owned(),
        Gap::AllRejected => return "every run was rejected by cairn_assume".to_owned(),
        Gap::UnusedInput => ("input that no branch depends on", "inputs that no branch depends on"),
        Gap::Limit => ("run stopped at a limit", "runs stopped at a limit"),
        Gap::Slow => ("run too slow while traced", "runs too slow while traced"),
        Gap::Killed => ("run killed", "runs killed"),
        Gap::LostRun => ("run lost", "runs lost"),
        Gap::Cut => ("truncated trace", "truncated traces"),
        Gap::Damaged => ("damaged trace", "damaged traces"),
        Gap::LostValue => ("lost value", "lost values"),
        Gap::Overwritten => {
            ("value overwritten by uninstrumented code", "values overwritten by uninstrumented code")
        }
        Gap::ChildProcess => ("run with child processes", "runs with child processes"),
        Gap::Threads => ("run with several threads", "runs with several threads"),
        Gap::Nondeterministic => ("nondeterministic run", "nondeterministic runs"),
        Gap::Diverged => ("path divergence", "path divergences"),
        Gap::Mismatch => ("oracle mismatch", "oracle mismatches"),
        Gap::Unanswered => ("unanswered flip", "unanswered flips"),
        Gap::Concretized => {
            ("concretized value with untried alternatives", "concretized values with untried alternatives")
        }
        Gap::Suspended => ("suspended flip", "suspended flips"),
        Gap::Forgotten => ("forgotten flip", "forgotten flips"),
        Gap::Untried => ("untried flip", "untried flips"),
        Gap::Unchecked => {
            ("path not checked with sanitizers in time", "paths not checked with sanitizers in time")
        }
    };
    counted(count, one, many)
}
