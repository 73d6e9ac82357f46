//! Flags of `cairn run`.

use super::strategy::StrategyParser;
use super::target::{LimitArgs, SubjectArgs};
use super::values::{Budget, instance_name, positive, share, size};
use cairn_app::subject::RunSettings;
use cairn_campaign::{CHECK_SHARE, SyncSettings};
use cairn_wire::Checks;
use clap::Args;
use std::path::PathBuf;

/// `cairn run`.
#[derive(Args, Debug)]
pub struct RunArgs {
    /// The target.
    #[command(flatten)]
    pub subject: SubjectArgs,

    /// Stop after N executions
    #[arg(long, value_name = "N", help_heading = "Budget", value_parser = positive)]
    pub execs: Option<u64>,
    /// Stop after this time: 30s, 5m, 1h
    #[arg(long, value_name = "TIME", help_heading = "Budget")]
    pub time: Option<Budget>,
    /// Stop when Cairn itself uses this much memory: 512M, 4G
    #[arg(long, value_name = "SIZE", default_value = "4G", help_heading = "Budget", value_parser = size)]
    pub driver_memory: u64,
    /// Limits of one execution and of one query.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Local search before and alongside the SMT solver: full, classic (the published Concolic Walk alone, for
    /// comparison) or off
    #[arg(long, value_name = "KIND", default_value = "full", help_heading = "Solving")]
    pub walk: cairn_solver::WalkMode,
    /// Constants of the local search, as steps=75,tabu=off
    #[arg(
        long,
        value_name = "NAME=VALUE,...",
        default_value = "",
        hide_default_value = true,
        help_heading = "Solving"
    )]
    pub walk_set: String,

    /// Search strategy: one of those below
    #[arg(long, value_name = "NAME", default_value = "auto", help_heading = "Search")]
    #[arg(value_parser = StrategyParser, hide_possible_values = true)]
    pub strategy: String,
    /// Seed of all random choices: the same seed gives the same campaign
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Search")]
    pub seed: u64,
    /// Explore with N parallel workers, each with its own fork server and solver, on one execution tree. With more than
    /// one, campaigns are not reproducible by their seed
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Search", value_parser = clap::value_parser!(u64).range(1..=64))]
    pub workers: u64,
    /// Byte strings that the program may look for, in AFL++'s and libFuzzer's format; FILE@N for entries up to level N.
    /// May be repeated
    #[arg(long, value_name = "FILE", help_heading = "Search")]
    pub dict: Vec<PathBuf>,
    /// Check every symbolic value against the evaluation of its expression
    #[arg(long, help_heading = "Search")]
    pub oracle: bool,

    /// Look for these faults, too: overflow (of signed integers), shift (by too many bits), bounds (writing outside an
    /// object), or all; a program that is not compiled on the fly must have been built with CAIRN_CC_CHECK=KINDS
    #[arg(long, value_name = "KINDS", help_heading = "Findings", value_parser = Checks::parse)]
    pub check: Option<Checks>,
    /// Make no reference builds (with and without sanitizers) to confirm findings and replay tests on
    #[arg(long, help_heading = "Findings")]
    pub no_sanitizers: bool,
    /// Your own build with AddressSanitizer and UndefinedBehaviorSanitizer, instead of the one that is made from the
    /// program's records
    #[arg(long, value_name = "PATH", help_heading = "Findings", conflicts_with = "no_sanitizers")]
    pub sanitized: Option<PathBuf>,
    /// Your own build without any instrumentation, instead of the one that is made from the program's records
    #[arg(long, value_name = "PATH", help_heading = "Findings", conflicts_with = "no_sanitizers")]
    pub plain: Option<PathBuf>,
    /// Share of the time for checking every distinct path with sanitizers, beside the search: a number up to 1. What is
    /// left is checked at the end
    #[arg(long, value_name = "SHARE", default_value_t = CHECK_SHARE, hide_default_value = true, value_parser = share)]
    #[arg(help_heading = "Findings", conflicts_with = "no_sanitizers")]
    pub check_share: f64,
    /// Write the path constraint of each finding in SMT-LIB beside its report (see `cairn solve`)
    #[arg(long, help_heading = "Findings")]
    pub path_conditions: bool,

    /// Directory for tests, crashes and statistics
    #[arg(long, value_name = "DIR", default_value = "cairn-out", help_heading = "Output")]
    pub out: PathBuf,
    /// Resume the campaign in DIR; larger budgets extend it
    #[arg(long, help_heading = "Output", conflicts_with = "force")]
    pub resume: bool,
    /// Exchange inputs with the AFL++ instances that write to DIR (their -o): the campaign goes to DIR/cairn, where they
    /// import tests from, and their new inputs are run. With --time, waits for them when no flips are left
    #[arg(long, value_name = "DIR", help_heading = "Output", conflicts_with = "out")]
    pub sync: Option<PathBuf>,
    /// With --sync, the name of this instance, instead of cairn
    #[arg(long, value_name = "NAME", help_heading = "Output", requires = "sync", value_parser = instance_name)]
    pub name: Option<String>,
    /// Replace the campaign in DIR
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// Write every distinct query, sliced, to an SMT-LIB file in DIR (see `cairn solve`)
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub dump_queries: Option<PathBuf>,
    /// Write at most N queries
    #[arg(long, value_name = "N", default_value_t = 20_000, help_heading = "Output", value_parser = positive)]
    pub dump_limit: u64,
    /// Print the summary as one JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// Progress on standard error
    #[arg(long, value_enum, value_name = "KIND", default_value = "auto", help_heading = "Output")]
    pub log: LogKind,
    /// Print nothing but the summary
    #[arg(long, short, help_heading = "Output", conflicts_with = "log")]
    pub quiet: bool,
}

/// A form of progress.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogKind {
    /// A live screen on a terminal, lines elsewhere
    Auto,
    /// A line every few seconds, and one per finding or warning
    Plain,
    /// A JSON object per line: start, progress, test, crash, hang, warning, end, error
    Json,
}

impl RunArgs {
    /// Returns the form of progress; none with `--quiet`.
    pub fn log(&self) -> Option<LogKind> {
        (!self.quiet).then_some(self.log)
    }

    /// Returns the other fuzzers to exchange inputs with.
    pub fn sync(&self) -> Option<SyncSettings> {
        let name = self.name.clone().unwrap_or_else(|| "cairn".to_owned());
        self.sync.clone().map(|directory| SyncSettings { directory, name })
    }

    /// Moves the campaign directory to where the other fuzzers look for it.
    pub fn apply_sync(&mut self) {
        if let Some(sync) = self.sync() {
            self.out = sync.directory.join(sync.name);
        }
    }

    /// Returns the settings that reports and tests depend on.
    pub fn settings(&self) -> RunSettings {
        RunSettings {
            subject: self.subject.settings(),
            timeout: self.limits.timeout,
            checks: self.check,
            strategy: self.strategy.clone(),
            seed: self.seed,
        }
    }
}
