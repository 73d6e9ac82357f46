//! Comparisons for other programs.

use crate::trial::Trial;
use std::fmt::Write;

/// A line per campaign.
pub(super) fn trials(trials: &[Trial]) -> String {
    let mut text =
        "strategy,trial,seed,executions,seconds,branches_covered,branches_total,tests,crashes,hangs,\
                    divergences,queries,solver_seconds,choosing_seconds,exhausted\n"
            .to_owned();
    for trial in trials {
        let s = &trial.summary;
        let _ = writeln!(
            text,
            "{},{},{},{},{:.3},{},{},{},{},{},{},{},{:.3},{:.3},{}",
            field(&trial.strategy),
            trial.number,
            s.seed,
            s.executions,
            s.elapsed_seconds,
            s.branches_covered,
            s.branches_total,
            s.tests,
            s.crashes,
            s.hangs,
            s.divergences,
            s.solver.queries,
            s.solver.seconds,
            s.choosing_seconds,
            s.exhausted
        );
    }
    text
}

/// Branches covered after each execution that covered new ones.
pub(super) fn curves(trials: &[Trial]) -> String {
    let mut text = "strategy,trial,executions,branches_covered\n".to_owned();
    for trial in trials {
        let mut covered = 0;
        for steps in trial.covered.chunk_by(|a, b| a.0 == b.0) {
            covered += steps.len();
            let _ = writeln!(text, "{},{},{},{covered}", field(&trial.strategy), trial.number, steps[0].0);
        }
    }
    text
}

/// Quoted if it has commas.
fn field(text: &str) -> String {
    if text.contains(',') { format!("\"{text}\"") } else { text.to_owned() }
}
