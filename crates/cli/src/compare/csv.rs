//! Comparisons for other programs.

use crate::trial::Trial;
use std::fmt::Write;

/// A line per campaign.
pub(super) fn trials(program: &str, trials: &[Trial]) -> String {
    let mut text =
        "strategy,trial,seed,executions,seconds,branches_covered,branches_total,tests,crashes,hangs,\
                    divergences,queries,solver_seconds,choosing_seconds,exhausted,program\n"
            .to_owned();
    for trial in trials {
        let s = &trial.summary;
        let _ = writeln!(
            text,
            "{},{},{},{},{:.3},{},{},{},{},{},{},{},{:.3},{:.3},{},{}",
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
            s.exhausted,
            field(program)
        );
    }
    text
}

/// Branches covered after each execution that covered new ones.
pub(super) fn curves(trials: &[Trial]) -> String {
    let mut text = "strategy,trial,executions,branches_covered,seconds\n".to_owned();
    for trial in trials {
        let mut covered = 0;
        for steps in trial.covered.chunk_by(|a, b| a.execution == b.execution) {
            covered += steps.len();
            let (execution, seconds) = (steps[0].execution, steps[0].seconds);
            let name = field(&trial.strategy);
            let _ = writeln!(text, "{name},{},{execution},{covered},{seconds:.3}", trial.number);
        }
    }
    text
}

/// The fields of a line that was written so.
pub(super) fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_quoted = false;
    for c in line.chars() {
        match c {
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => fields.push(String::new()),
            c => fields.last_mut().expect("there is one").push(c),
        }
    }
    fields
}

/// Quoted if it has commas.
fn field(text: &str) -> String {
    if text.contains(',') { format!("\"{text}\"") } else { text.to_owned() }
}
