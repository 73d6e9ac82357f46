//! `cairn compare`: measures strategies side by side on one program.
//!
//! Every strategy makes the same number of campaigns from the same inputs, the first of each with the first
//! seed and so on, several at a time. A campaign writes no tests: what counts is which branches it covered,
//! and when.

mod baseline;
mod csv;
mod mann_whitney;
mod mean;
mod page;
mod strategy_figures;
mod table;

use crate::error::Error;
use crate::trial::{Length, Plan, Trial, jobs};
pub use baseline::Baseline;
use cairn_campaign::Progress;
use std::sync::Mutex;
use std::time::Duration;
use strategy_figures::Figures;
use table::ComparisonTable;

/// Campaigns of a comparison.
#[derive(Clone, Debug)]
pub struct CompareSettings {
    /// The strategies.
    pub strategies: Vec<String>,
    /// Campaigns of each.
    pub trials: u64,
    /// Seed of the first campaign of each; the next has the next.
    pub seed: u64,
    /// Executions of a campaign.
    pub execs: u64,
    /// Longest time of a campaign.
    pub time: Option<Duration>,
    /// Campaigns at a time, if not one per core.
    pub jobs: Option<u64>,
}

/// Observer of the campaigns, each known by its index; called from several threads.
pub trait CompareObserver: Sync {
    /// A campaign has come this far.
    fn advanced(&self, campaign: usize, length: &Length, progress: &Progress);

    /// A campaign is done.
    fn done(&self, campaign: usize, trial: &Trial);
}

/// Parses a list of strategies, each of which must exist and occur once.
pub fn parse_strategies(list: &str) -> Result<Vec<String>, Error> {
    let strategies = match list.contains(';') {
        true => list.split(';').map(|strategy| strategy.trim().to_owned()).collect(),
        false => cairn_search::split_list(list),
    };
    for (i, strategy) in strategies.iter().enumerate() {
        cairn_search::check(strategy).map_err(|error| match list.contains(';') {
            true => Error::from(error),
            false => {
                Error::new(format_args!("{error} (with semicolons in the list, commas belong to a strategy)"))
            }
        })?;
        if strategies[..i].contains(strategy) {
            return Err(Error::new(format_args!("--strategies has {strategy} twice")));
        }
    }
    Ok(strategies)
}

impl CompareSettings {
    /// Returns the number of campaigns.
    pub fn campaigns(&self) -> usize {
        self.strategies.len() * self.trials as usize
    }

    /// Runs all campaigns and returns them strategy by strategy; after an interrupt or an error, those that
    /// were done. The first trials of all strategies come first, so that an early end leaves something to
    /// compare.
    pub fn run(&self, plan: &Plan, observer: &dyn CompareObserver) -> (Vec<Trial>, Result<(), Error>) {
        let of = |trial: u64| self.strategies.iter().map(move |strategy| (strategy.as_str(), trial));
        let wanted: Vec<(&str, u64)> = (0..self.trials).flat_map(of).collect();
        let done: Mutex<Vec<Trial>> = Mutex::default();
        let outcome = plan.for_each(&wanted, jobs(self.jobs), |at, &(strategy, trial)| {
            let length = Length {
                seed: self.seed.wrapping_add(trial),
                execs: self.execs,
                time: self.time,
                random_start: false,
            };
            let watch = |progress: &Progress| observer.advanced(at, &length, progress);
            let Some(trial) = plan.run(strategy, trial, length, watch)? else {
                let is_late =
                    || Error::new("the program was not ready to run in the time of a campaign (--time)");
                return if plan.is_interrupted() { Ok(false) } else { Err(is_late()) };
            };
            observer.done(at, &trial);
            done.lock().expect("no holder panics").push(trial);
            Ok(true)
        });
        let mut done = done.into_inner().expect("no holder panics");
        done.sort_by_key(|trial| (self.strategies.iter().position(|s| *s == trial.strategy), trial.number));
        (done, outcome.map(|_| ()))
    }
}

/// The campaigns of a comparison and their figures.
pub struct Comparison<'a> {
    program: &'a str,
    branches: u32,
    strategies: &'a [String],
    trials: &'a [Trial],
    table: ComparisonTable,
}

impl<'a> Comparison<'a> {
    /// Computes the figures of campaigns on a program with so many branches.
    pub fn new(
        program: &'a str,
        branches: u32,
        strategies: &'a [String],
        trials: &'a [Trial],
        baseline: Option<&Baseline>,
    ) -> Comparison<'a> {
        let figures = Figures::of(strategies, trials, baseline);
        let table = ComparisonTable::of(&figures, branches, trials, baseline.is_some());
        Comparison { program, branches, strategies, trials, table }
    }

    /// Returns the table as text.
    pub fn text(&self) -> String {
        self.table.text()
    }

    /// Returns an HTML page with the curves of all campaigns and the table.
    pub fn html(&self) -> String {
        page::html(self.program, self.branches, self.strategies, self.trials, &self.table)
    }

    /// Returns a CSV line per campaign.
    pub fn csv(&self) -> String {
        csv::trials(self.program, self.trials)
    }

    /// Returns branches covered over executions as CSV.
    pub fn curves_csv(&self) -> String {
        csv::curves(self.trials)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_strategies_has_each_once() {
        assert_eq!(parse_strategies("dfs,bfs").unwrap(), ["dfs", "bfs"]);
        assert_eq!(parse_strategies("dfs; bfs").unwrap(), ["dfs", "bfs"]);
        assert!(parse_strategies("dfs,dfs").unwrap_err().to_string().contains("dfs twice"));
        assert!(parse_strategies("nosuch").unwrap_err().to_string().contains("semicolons"));
    }
}
