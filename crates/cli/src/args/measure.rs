//! Flags of the commands that measure: `doctor`, `compare` and `learn`.

use super::strategy::StrategyParser;
use super::target::{LimitArgs, SubjectArgs};
use super::values::{Budget, at_least, positive};
use cairn_app::doctor::DoctorBudget;
use cairn_app::learn::LearnSettings;
use cairn_learn::Size;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// `cairn doctor`.
#[derive(Args, Debug)]
pub struct DoctorArgs {
    /// The target.
    #[command(flatten)]
    pub subject: SubjectArgs,
    /// Look at N executions
    #[arg(long, value_name = "N", default_value_t = 200, help_heading = "Budget", value_parser = positive)]
    pub execs: u64,
    /// Look for this time at most: 30s, 5m, 1h
    #[arg(long, value_name = "TIME", default_value = "10s", help_heading = "Budget")]
    pub time: Budget,
    /// Limits of one execution and of one query.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Print one JSON object instead of sentences
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

impl DoctorArgs {
    /// Returns the budget.
    pub fn budget(&self) -> DoctorBudget {
        DoctorBudget { execs: self.execs, time: self.time.0, limits: self.limits.settings() }
    }
}

/// `cairn compare`.
#[derive(Args, Debug)]
pub struct CompareArgs {
    /// The target, which every campaign starts from.
    #[command(flatten)]
    pub subject: SubjectArgs,
    /// Strategies to compare, of those below, separated by commas; by semicolons, if their settings have commas
    #[arg(long, value_name = "A,B,...", help_heading = "Search", required = true)]
    #[arg(value_parser = StrategyParser, hide_possible_values = true)]
    pub strategies: String,
    /// Campaigns per strategy, each with its own seed
    #[arg(long, value_name = "N", default_value_t = 3, help_heading = "Search", value_parser = positive)]
    pub trials: u64,
    /// Seed of the first trial; the next has the next
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Search")]
    pub seed: u64,
    /// Executions of each campaign
    #[arg(long, value_name = "N", default_value_t = 4000, help_heading = "Budget", value_parser = positive)]
    pub execs: u64,
    /// Time limit of each campaign: 30s, 5m, 1h
    #[arg(long, value_name = "TIME", help_heading = "Budget")]
    pub time: Option<Budget>,
    /// Limits of one execution and of one query.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Campaigns at a time; by default one per core
    #[arg(long, value_name = "N", help_heading = "Budget", value_parser = clap::value_parser!(u64).range(1..=64))]
    pub jobs: Option<u64>,
    /// Write a line per campaign to this file
    #[arg(long, value_name = "FILE.csv", help_heading = "Output")]
    pub csv: Option<PathBuf>,
    /// Write branches covered over executions, a line for each change, to this file
    #[arg(long, value_name = "FILE.csv", help_heading = "Output")]
    pub curves: Option<PathBuf>,
    /// Write an HTML page with the curves, a band around each, and the table to this file
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    pub html: Option<PathBuf>,
    /// Compare with an earlier comparison too: a file that --csv has written
    #[arg(long, value_name = "FILE.csv", help_heading = "Output")]
    pub baseline: Option<PathBuf>,
    /// Print nothing but the table
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
}

/// `cairn learn`.
#[derive(Args, Debug)]
pub struct LearnArgs {
    /// The target, which every campaign starts from.
    #[command(flatten)]
    pub subject: SubjectArgs,
    /// Stop bad samples early, begin near weights that are good elsewhere, and race the best; the default
    #[arg(long, help_heading = "Learning")]
    pub fast: bool,
    /// Learn as published: a whole campaign for every sample, and no time limit unless --time is given
    #[arg(long, help_heading = "Learning", conflicts_with = "fast")]
    pub published: bool,
    /// Weights to draw in each round; by default as many as there is time for, and 1000 with --published
    #[arg(long, value_name = "N", help_heading = "Learning", value_parser = at_least(2))]
    pub samples: Option<u32>,
    /// Weights to check in each round; by default 6, and 10 with --published
    #[arg(long, value_name = "N", help_heading = "Learning", value_parser = at_least(2))]
    pub top: Option<u32>,
    /// Most campaigns for each that is checked
    #[arg(long, value_name = "N", default_value_t = Size::PUBLISHED.trials, help_heading = "Learning", value_parser = at_least(1))]
    pub trials: u32,
    /// Most rounds
    #[arg(long, value_name = "N", default_value_t = Size::PUBLISHED.rounds, help_heading = "Learning", value_parser = at_least(1))]
    pub rounds: u32,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Learning")]
    pub seed: u64,
    /// Executions of a whole campaign
    #[arg(long, value_name = "N", default_value_t = Size::PUBLISHED.executions, help_heading = "Budget", value_parser = positive)]
    pub execs: u64,
    /// Stop after this time: 30s, 5m, 1h; by default 15m, and no limit with --published
    #[arg(long, value_name = "TIME", help_heading = "Budget")]
    pub time: Option<Budget>,
    /// Limits of one execution and of one query.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Campaigns at a time; by default one per core
    #[arg(long, value_name = "N", help_heading = "Budget", value_parser = clap::value_parser!(u64).range(1..=64))]
    pub jobs: Option<u64>,
    /// File for the weights; measurements go to FILE.journal
    #[arg(long, value_name = "FILE", default_value = "learnt.toml", help_heading = "Output")]
    pub out: PathBuf,
    /// Resume an interrupted learning, with the settings it was started with
    #[arg(long, help_heading = "Output", conflicts_with_all = ["force", "fast", "published", "samples"])]
    pub resume: bool,
    /// Start over, even if there are weights or a journal
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// Print nothing but the result
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
}

impl LearnArgs {
    /// Returns the time budget; none if learning takes all the time it needs.
    fn time(&self) -> Option<Duration> {
        let usual = (!self.published).then_some(Duration::from_secs(15 * 60));
        self.time.map(|budget| budget.0).or(usual)
    }

    /// Returns the settings.
    pub fn settings(&self) -> LearnSettings {
        LearnSettings {
            target: self.subject.target.clone(),
            args: self.subject.args.clone(),
            out: self.out.clone(),
            published: self.published,
            samples: self.samples,
            top: self.top,
            trials: self.trials,
            rounds: self.rounds,
            seed: self.seed,
            execs: self.execs,
            time: self.time(),
            jobs: self.jobs,
            resume: self.resume,
            force: self.force,
        }
    }
}
