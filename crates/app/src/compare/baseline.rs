//! Earlier comparison that serves as a baseline.

use super::csv;
use super::mann_whitney;
use super::mean::mean;
use crate::error::Error;
use crate::trial::Trial;
use cairn_program::read_text;
use std::path::Path;

/// Most bytes of a baseline file; a chosen bound.
const MAX_BYTES: u64 = 64 << 20;

/// Campaigns of an earlier comparison.
pub struct Baseline {
    rows: Vec<BaselineCampaign>,
}

struct BaselineCampaign {
    strategy: String,
    executions: u64,
    covered: f64,
    total: u32,
    /// The program's name; files of earlier versions do not have it.
    program: Option<String>,
}

/// Change of a strategy since the baseline.
pub struct Change {
    /// Mean of branches covered in the baseline.
    pub before: f64,
    /// Probability that the difference is chance.
    pub probability: f64,
}

impl Baseline {
    /// Reads a file that `--csv` wrote.
    pub fn read(file: &Path) -> Result<Baseline, Error> {
        let text = read_text(file, MAX_BYTES)?;
        let rows = rows(&text).filter(|rows| !rows.is_empty());
        let no_baseline = || {
            Error::new(format_args!("{} is no file that `cairn compare --csv` has written", file.display()))
        };
        Ok(Baseline { rows: rows.ok_or_else(no_baseline)? })
    }

    /// Compares a strategy's coverage with the baseline's; none if the baseline does not have the strategy.
    pub fn change(&self, strategy: &str, now: &[f64]) -> Option<Change> {
        let same = self.rows.iter().filter(|row| row.strategy == strategy);
        let before: Vec<f64> = same.map(|row| row.covered).collect();
        let change =
            || Change { before: mean(&before), probability: mann_whitney::probability(now, &before) };
        (!before.is_empty() && !now.is_empty()).then(change)
    }

    /// Returns what differs from the baseline's set-up and makes the figures incomparable.
    pub fn mismatches(&self, program: &str, total: u32, trials: &[Trial]) -> Vec<String> {
        let mut found = Vec::new();
        let other = self.rows.iter().filter_map(|row| row.program.as_deref()).find(|name| *name != program);
        if let Some(other) = other {
            found.push(format!("the baseline is of another program, {other}, not {program}"));
        }
        if let Some(row) = self.rows.iter().find(|row| row.total != total) {
            found.push(format!("the baseline's program has {} branches, this one {total}", row.total));
        }
        // Only strategies that are in both count: another may have been exhausted early.
        let shared = |row: &&BaselineCampaign| trials.iter().any(|trial| trial.strategy == row.strategy);
        let was_there = |trial: &&Trial| self.rows.iter().any(|row| row.strategy == trial.strategy);
        let then = self.rows.iter().filter(shared).map(|row| row.executions).max();
        let now = trials.iter().filter(was_there).map(|trial| trial.summary.executions).max();
        if let (Some(then), Some(now)) = (then, now)
            && then != now
        {
            found.push(format!("campaigns of the baseline made up to {then} executions, these up to {now}"));
        }
        found
    }
}

/// Parses the campaigns of a file; none if a column is missing.
fn rows(text: &str) -> Option<Vec<BaselineCampaign>> {
    let mut lines = csv::records(text).into_iter();
    let head = lines.next()?;
    let column = |name: &str| head.iter().position(|field| field == name);
    let (strategy, executions) = (column("strategy")?, column("executions")?);
    let (covered, total) = (column("branches_covered")?, column("branches_total")?);
    let program = column("program");
    let row = |fields: Vec<String>| {
        Some(BaselineCampaign {
            strategy: fields.get(strategy)?.clone(),
            executions: fields.get(executions)?.parse().ok()?,
            covered: fields.get(covered)?.parse().ok()?,
            total: fields.get(total)?.parse().ok()?,
            program: program.and_then(|column| fields.get(column).cloned()),
        })
    };
    lines.map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "strategy,executions,branches_covered,branches_total,program\n\
                        dfs,40,9,10,word\n\"cgs:5,nodom\",40,7,10,word\n\"cgs:5,nodom\",40,8,10,word\n";

    #[test]
    fn a_strategy_is_compared_with_itself() {
        let baseline = Baseline { rows: rows(FILE).unwrap() };
        let change = baseline.change("cgs:5,nodom", &[9.0, 9.0]).unwrap();
        assert_eq!(change.before, 7.5);
        assert!((change.probability - 1.0 / 3.0).abs() < 1e-9, "{}", change.probability);
        assert!(baseline.change("bfs", &[9.0]).is_none());
    }

    #[test]
    fn differences_are_reported() {
        let baseline = Baseline { rows: rows(FILE).unwrap() };
        let found = baseline.mismatches("wort", 12, &[]);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("another program, word, not wort"), "{found:?}");
        assert_eq!(found[1], "the baseline's program has 10 branches, this one 12");
        assert!(rows("strategy,trial\ndfs,0\n").is_none() && rows(&FILE.replace(",9,", ",nine,")).is_none());
    }
}
