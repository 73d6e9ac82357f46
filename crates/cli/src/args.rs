//! The command line, defined once: help, completions, manual pages and parsing all come from here.

mod measure;
mod run;
mod solve;
mod strategy;
mod suite;
mod target;
pub mod values;

use crate::row::wrapped;
use clap::{Args, Parser, Subcommand};
pub use measure::{CompareArgs, DoctorArgs, LearnArgs};
pub use run::{LogKind, RunArgs};
pub use solve::{CompletionsArgs, ExplainArgs, ManArgs, SolveArgs};
use std::ffi::OsString;
pub use suite::{CminArgs, ExportArgs, ReplayArgs, ReportArgs};

/// Concolic execution for C: finds inputs that cover every branch of a program, and those that crash it.
#[derive(Parser, Debug)]
#[command(name = "cairn", version, about, disable_help_subcommand = true)]
#[command(
    after_help = "Exit codes: 0 nothing was found, 1 crashes or hangs were found, 2 something went wrong."
)]
pub struct Cli {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands of `cairn`.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Compile C: takes clang's options (CC="cairn cc" ./configure && make)
    #[command(name = "cc", disable_help_flag = true)]
    Cc(CompilerArgs),
    /// Compile C++: takes clang++'s options
    #[command(name = "c++", disable_help_flag = true)]
    Cxx(CompilerArgs),
    /// Explore a program and write tests
    #[command(after_help = strategies())]
    Run(Box<RunArgs>),
    /// Run a program on saved tests
    Replay(ReplayArgs),
    /// Write tests, or the dictionary, in another tool's format
    Export(ExportArgs),
    /// Minimize a test suite: the fewest tests that cover what all cover
    Cmin(CminArgs),
    /// Report what a campaign covered and found: an HTML page, or a file for other tools
    Report(ReportArgs),
    /// Diagnose why exploring a program stalls; with a campaign directory as TARGET, why that campaign did
    Doctor(Box<DoctorArgs>),
    /// Compare search strategies on a program
    #[command(after_help = strategies())]
    Compare(Box<CompareArgs>),
    /// Learn a search heuristic for a program
    Learn(Box<LearnArgs>),
    /// Solve queries in SMT-LIB
    #[command(after_help = solve::SOLVE_CODES)]
    Solve(SolveArgs),
    /// Describe in words what weights make `parametric` prefer
    Explain(ExplainArgs),
    /// Print a shell's completion script for commands, options and strategies
    Completions(CompletionsArgs),
    /// Print the manual page, or write those of all commands
    Man(ManArgs),
}

/// A compiler's command line, which is passed to clang unread.
#[derive(Args, Debug)]
pub struct CompilerArgs {
    /// Options and files, as for clang
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub args: Vec<OsString>,
}

/// Columns of a strategy's syntax and of its summary: a manual page in 80 columns has room for both.
const USAGE: usize = 27;
const SUMMARY: usize = 42;

/// Lists the strategies that `--strategy` knows, for the help text.
fn strategies() -> String {
    let lines = cairn_search::list().iter().flat_map(|strategy| {
        let usages = [strategy.usage].into_iter().chain(std::iter::repeat(""));
        // Wrapped here: clap and man wrap text without regard to columns.
        let summary = wrapped(strategy.summary, SUMMARY, usize::MAX);
        usages.zip(summary).map(|(usage, line)| format!("  {usage:<USAGE$} {line}\n"))
    });
    format!("Strategies:\n{}", lines.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strategies_fit_into_a_manual_page() {
        let text = strategies();
        assert!(text.lines().all(|line| line.chars().count() <= 3 + USAGE + SUMMARY), "{text}");
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(cairn_search::list().iter().all(|strategy| words.contains(strategy.summary)), "{text}");
    }
}
