//! Table of a comparison.

use super::strategy_figures::{Figures, StrategyFigure};
use crate::numbers::{clock, counted, grouped};
use crate::trial::Trial;
use std::fmt::Write;

const HEAD: [&str; 10] =
    ["strategy", "trials", "mean", "max", "std dev", "only it", "execs to target", "time", "choosing", "p"];
/// Further columns with a baseline.
const CHANGE: [&str; 3] = ["before", "change", "p of change"];

/// Table of a comparison.
pub struct ComparisonTable {
    pub head: Vec<String>,
    /// Rows, a strategy each.
    pub rows: Vec<Vec<String>>,
    /// Explanations of the columns.
    pub notes: Vec<String>,
}

impl ComparisonTable {
    pub fn of(figures: &Figures, branches: u32, trials: &[Trial], has_baseline: bool) -> ComparisonTable {
        let with_change = |mut row: Vec<String>, change: [String; 3]| {
            row.extend(change.into_iter().filter(|_| has_baseline));
            row
        };
        let covered = format!(
            "branches covered of {} after {}, {} by all together; best: {}",
            grouped(branches.into()),
            executions(trials),
            grouped(figures.together as u64),
            figures.all[figures.best].strategy,
        );
        let target = grouped(figures.target as u64);
        let means = format!(
            "target: {target} branches, the mean of the worst; p: that a strategy differs from the best by chance (Mann-Whitney)"
        );
        let before =
            "before: the mean in the baseline; p of change: that it differs from that by chance".to_owned();
        ComparisonTable {
            head: with_change(HEAD.map(str::to_owned).to_vec(), CHANGE.map(str::to_owned)),
            rows: figures.all.iter().map(|figure| with_change(row(figure), change(figure))).collect(),
            notes: [covered, means].into_iter().chain(has_baseline.then_some(before)).collect(),
        }
    }

    /// Formats the table in aligned columns.
    pub fn text(&self) -> String {
        let rows = || std::iter::once(&self.head).chain(&self.rows);
        let width = |i: usize| rows().map(|row| row[i].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let mut text = String::new();
        for row in rows() {
            // Names to the left, numbers to the right.
            let _ = write!(text, "{:<width$}", row[0], width = widths[0]);
            for (cell, width) in row.iter().zip(&widths).skip(1) {
                let _ = write!(text, "  {cell:>width$}");
            }
            text.push('\n');
        }
        text.push('\n');
        self.notes.iter().for_each(|note| text.push_str(&format!("{note}\n")));
        text
    }
}

/// Returns the columns of the change since the baseline.
fn change(figure: &StrategyFigure) -> [String; 3] {
    match &figure.change {
        Some(change) => [
            format!("{:.1}", change.before),
            format!("{:+.1}", figure.mean - change.before),
            probability(change.probability),
        ],
        None => ["-"; 3].map(str::to_owned),
    }
}

/// Formats the number of executions, or its range over campaigns.
fn executions(trials: &[Trial]) -> String {
    let made = || trials.iter().map(|trial| trial.summary.executions);
    let (least, most) = (made().min().unwrap_or(0), made().max().unwrap_or(0));
    let most = counted(most, "execution", "executions");
    if trials.iter().all(|trial| trial.summary.executions == least) {
        return most;
    }
    format!("{} to {most}", grouped(least))
}

/// Formats a p-value, which is never 0.
fn probability(p: f64) -> String {
    if p < 0.0005 { "<0.001".to_owned() } else { format!("{p:.3}") }
}

fn row(figure: &StrategyFigure) -> Vec<String> {
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
        figure.max.to_string(),
        format!("{:.1}", figure.deviation),
        figure.unique.to_string(),
        executions,
        clock(figure.seconds),
        format!("{:.1} %", 100.0 * figure.choosing),
        figure.probability.map_or("best".to_owned(), probability),
    ]
}
