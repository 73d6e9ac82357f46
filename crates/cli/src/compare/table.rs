//! The table.

use super::figures::{Figure, Figures};
use crate::style::{clock, counted, grouped};
use crate::trial::Trial;
use std::fmt::Write;

const HEAD: [&str; 10] =
    ["strategy", "trials", "mean", "max", "std dev", "only it", "execs to target", "time", "choosing", "p"];

/// The table and what its columns mean.
pub(super) fn text(figures: &Figures, branches: u32, trials: &[Trial]) -> String {
    let mut rows: Vec<Vec<String>> = vec![HEAD.map(str::to_owned).to_vec()];
    rows.extend(figures.all.iter().map(row));
    let widths: Vec<usize> =
        (0..HEAD.len()).map(|i| rows.iter().map(|row| row[i].chars().count()).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        // Names to the left, numbers to the right.
        let _ = write!(text, "{:<width$}", row[0], width = widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            let _ = write!(text, "  {cell:>width$}");
        }
        text.push('\n');
    }
    let _ = writeln!(
        text,
        "\nbranches covered of {} after {}, {} by all together; best: {}\n\
         target: {} branches, the mean of the worst; p: that a strategy differs from the best by chance (Mann-Whitney)",
        grouped(branches.into()),
        executions(trials),
        grouped(figures.together as u64),
        figures.all[figures.best].strategy,
        grouped(figures.target as u64),
    );
    text
}

/// As many as all campaigns made, or from so many to so many.
fn executions(trials: &[Trial]) -> String {
    let made = || trials.iter().map(|trial| trial.summary.executions);
    let (least, most) = (made().min().unwrap_or(0), made().max().unwrap_or(0));
    let most = counted(most, "execution", "executions");
    if trials.iter().all(|trial| trial.summary.executions == least) {
        return most;
    }
    format!("{} to {most}", grouped(least))
}

/// Never as 0, which it never is.
fn probability(p: f64) -> String {
    if p < 0.0005 { "<0.001".to_owned() } else { format!("{p:.3}") }
}

fn row(figure: &Figure) -> Vec<String> {
    if figure.trials == 0 {
        let mut row = vec![figure.strategy.clone(), "0".to_owned()];
        row.resize(HEAD.len(), "-".to_owned());
        return row;
    }
    let executions = figure.executions.map_or("-".to_owned(), |n| {
        let some =
            if figure.arrived < figure.trials { format!(" ({})", figure.arrived) } else { String::new() };
        format!("{}{some}", grouped(n.round() as u64))
    });
    vec![
        figure.strategy.clone(),
        figure.trials.to_string(),
        format!("{:.1}", figure.mean),
        figure.most.to_string(),
        format!("{:.1}", figure.deviation),
        figure.alone.to_string(),
        executions,
        clock(figure.seconds),
        format!("{:.1} %", 100.0 * figure.choosing),
        figure.probability.map_or("best".to_owned(), probability),
    ]
}
