//! Comparisons as CSV.

use crate::trial::Trial;
use cairn_report::csv_field as field;
use std::fmt::Write;

/// Formats a line per campaign.
pub fn trials(program: &str, trials: &[Trial]) -> String {
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

/// Formats branches covered over executions: a line for each execution that covered new ones.
pub fn curves(trials: &[Trial]) -> String {
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

/// Parses CSV into the fields of each line.
pub fn records(text: &str) -> Vec<Vec<String>> {
    let mut records = Vec::new();
    let (mut record, mut field, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            // A doubled quote inside quotes is a quote of the text.
            '"' if is_quoted && chars.next_if_eq(&'"').is_some() => field.push('"'),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => record.push(std::mem::take(&mut field)),
            '\n' if !is_quoted => {
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            '\r' if !is_quoted => {}
            c => field.push(c),
        }
    }
    if !field.is_empty() || !record.is_empty() {
        record.push(field);
        records.push(record);
    }
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let row = ["cgs:5,nodom", "we\"ird, name", "two\nlines", "\"", "", "plain"];
        let line = row.map(field).join(",");
        assert_eq!(records(&format!("a,b\r\n{line}\n")), [vec!["a", "b"], row.to_vec()]);
        assert_eq!(records("a\nb"), [["a"], ["b"]]);
    }
}
