//! Comparison as an HTML page.

use super::table::ComparisonTable;
use crate::trial::Trial;
use cairn_report::{Compared, Comparison, Curve, comparison_html};

/// Renders the page, with the curves of all campaigns and the table.
pub fn html(
    program: &str,
    branches: u32,
    strategies: &[String],
    trials: &[Trial],
    table: &ComparisonTable,
) -> String {
    let compared = |name: &String| {
        let runs = trials.iter().filter(|trial| trial.strategy == *name).map(curve).collect();
        Compared { name: name.clone(), runs }
    };
    let made = |compared: &Compared| !compared.runs.is_empty();
    comparison_html(&Comparison {
        program: program.to_owned(),
        branches,
        strategies: strategies.iter().map(compared).filter(made).collect(),
        head: table.head.clone(),
        rows: table.rows.clone(),
        notes: table.notes.clone(),
    })
}

fn curve(trial: &Trial) -> Curve {
    let step =
        |(i, covered): (usize, &crate::trial::Covered)| (covered.execution, covered.seconds, i as u64 + 1);
    let end = (trial.summary.executions, trial.summary.elapsed_seconds);
    Curve { steps: trial.covered.iter().enumerate().map(step).collect(), end }
}
