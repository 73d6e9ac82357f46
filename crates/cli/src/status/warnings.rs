//! What makes a search miss something, in words.

use crate::style::counted;
use cairn_campaign::Progress;

/// One kind of warning.
pub struct Warning {
    /// A word for programs.
    pub kind: &'static str,
    pub message: String,
}

/// All there are reasons for, the worst first.
pub fn warnings(progress: &Progress) -> Vec<Warning> {
    let Progress { doubts, divergences, .. } = progress;
    let told = [
        ("divergence", *divergences, "run", "runs", "did not go where predicted"),
        ("damage", doubts.damaged_runs, "run", "runs", "wrote over the memory Cairn records in"),
        ("restart", doubts.restarts, "time", "times", "the program's fork server was lost"),
        ("cut", doubts.cut_runs, "run", "runs", "recorded more than there is room for"),
        ("slow", doubts.slow_runs, "run", "runs", "took too long or too much, but only while traced"),
        ("lost", doubts.lost_values, "symbolic value", "symbolic values", "went where Cairn does not follow"),
        ("unknown", progress.solver.total.unknown, "question", "questions", "had no answer in time"),
        ("pin", doubts.pins, "place", "places", "used a symbolic value as a constant"),
    ];
    let happened = told.into_iter().filter(|(_, count, ..)| *count > 0);
    let warning = |(kind, count, one, many, what)| {
        let message = format!("{} {what}", counted(count, one, many));
        Warning { kind, message }
    };
    happened.map(warning).collect()
}
