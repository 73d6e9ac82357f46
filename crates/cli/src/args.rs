//! The command line, defined once: help and parsing both come from here.

use crate::failure::Failure;
use crate::row::wrapped;
use crate::shell::StrategyParser;
use crate::units::{Budget, FileArg, length, size};
use cairn_campaign::SyncSettings;
use cairn_learn::Size;
use cairn_wire::Checks;
use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Finds the inputs that take a C program everywhere, and those that break it.
#[derive(Parser, Debug)]
#[command(name = "cairn", version, about, disable_help_subcommand = true)]
#[command(
    after_help = "Exit codes: 0 nothing was found, 1 crashes or hangs were found, 2 something went wrong."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What `cairn` can do.
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
    /// Write tests in another tool's format
    Export(ExportArgs),
    /// Choose the fewest tests that cover what all cover
    Cmin(CminArgs),
    /// Show what a campaign covered and found: a page, or a file for other tools
    Report(ReportArgs),
    /// Explain why exploring a program stalls
    Doctor(Box<DoctorArgs>),
    /// Run strategies side by side on a program
    #[command(after_help = strategies())]
    Compare(Box<CompareArgs>),
    /// Learn a search heuristic for a program
    Learn(Box<LearnArgs>),
    /// Decide queries in SMT-LIB's language
    #[command(after_help = SOLVE_CODES)]
    Solve(SolveArgs),
    /// Tell in words what weights make `parametric` prefer
    Explain(ExplainArgs),
    /// Print what makes a shell complete commands, options and strategies
    Completions(CompletionsArgs),
    /// Print the manual page, or write those of all commands
    Man(ManArgs),
}

const SOLVE_CODES: &str = "Exit codes: 0 every query was decided, 1 some are unknown or contradict their :status, \
2 something cannot be read or went wrong.";

/// A compiler's command line, which is none of our business.
#[derive(Args, Debug)]
pub struct CompilerArgs {
    /// Options and files, as for clang
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub args: Vec<OsString>,
}

/// What of a program's surroundings is symbolic.
#[derive(Args, Clone, Debug, Default)]
pub struct InputArgs {
    /// Make up to LEN bytes of standard input symbolic, and how many they are
    #[arg(long, value_name = "LEN", help_heading = "Input", value_parser = length)]
    pub sym_stdin: Option<usize>,
    /// Add a symbolic argument of up to LEN bytes after ARGS; may be repeated
    #[arg(long, value_name = "LEN", help_heading = "Input", value_parser = length)]
    pub sym_arg: Vec<usize>,
    /// Add from MIN to MAX symbolic arguments of up to LEN bytes after all others
    #[arg(long, value_names = ["MIN", "MAX", "LEN"], num_args = 3, help_heading = "Input")]
    pub sym_args: Option<Vec<usize>>,
    /// Make a file of up to LEN bytes symbolic: the first is what the first @@ in ARGS stands for, and so on; one
    /// with a NAME the program opens by that name (it then runs in a scratch directory); may be repeated
    #[arg(long, value_name = "[NAME] LEN", help_heading = "Input")]
    pub sym_file: Vec<FileArg>,
    /// Keep the length of standard input and of files as it is at the start
    #[arg(long, help_heading = "Input")]
    pub fixed_length: bool,
}

impl InputArgs {
    /// Whether anything is.
    pub fn is_any(&self) -> bool {
        self.sym_stdin.is_some()
            || !self.sym_arg.is_empty()
            || self.sym_args.is_some()
            || !self.sym_file.is_empty()
    }
}

/// What the program may do to its surroundings.
#[derive(Args, Clone, Debug)]
pub struct RoomArgs {
    /// Most memory of one execution, in MiB
    #[arg(long, value_name = "MIB", default_value_t = DEFAULT_MEMORY, help_heading = "Safety", value_parser = positive)]
    pub memory: u64,
    /// Most that one execution may write to its scratch directory, in MiB; at most 16,384 files in any case
    #[arg(long, value_name = "MIB", default_value_t = DEFAULT_SCRATCH, help_heading = "Safety", value_parser = positive)]
    pub scratch_size: u64,
    /// Run the program in its scratch directory, not in this one: what it writes beside itself is then written, and
    /// thrown away after each run
    #[arg(long, help_heading = "Safety")]
    pub scratch: bool,
    /// Let the program read PATH, a file or directory in your home; may be repeated. Without this it reads nothing there
    /// but the working directory, its own file and libraries, and what the command line names
    #[arg(long, value_name = "PATH", help_heading = "Safety")]
    pub read: Vec<PathBuf>,
    /// Let the program do all that you can do: write files, use the network, send signals to other processes
    #[arg(long, help_heading = "Safety")]
    pub no_sandbox: bool,
    /// Refuse to run the program if a part of the sandbox is missing on this system
    #[arg(long, help_heading = "Safety", conflicts_with = "no_sandbox")]
    pub require_sandbox: bool,
    /// Fork a process for every execution, even where one process could make many of them
    #[arg(long, help_heading = "Safety")]
    pub fork_each: bool,
}

/// Mebibytes one execution may use unless told otherwise.
const DEFAULT_MEMORY: u64 = 1024;
/// Default limit, in mebibytes, of what one execution may write to its scratch directory.
const DEFAULT_SCRATCH: u64 = 1024;

impl RoomArgs {
    /// What a run may take.
    pub fn limits(&self) -> cairn_exec::Limits {
        let memory = self.memory.saturating_mul(1 << 20);
        let mut limits = cairn_exec::Limits { memory, ..cairn_exec::Limits::default() };
        limits.scratch.bytes = self.scratch_size.saturating_mul(1 << 20);
        limits
    }

    /// The options that say so for one execution, where that is not the usual.
    pub fn options(&self) -> Vec<String> {
        let memory = (self.memory != DEFAULT_MEMORY).then(|| format!("--memory={}", self.memory));
        let scratch =
            (self.scratch_size != DEFAULT_SCRATCH).then(|| format!("--scratch-size={}", self.scratch_size));
        let flags = [(self.scratch, "--scratch"), (self.no_sandbox, "--no-sandbox")];
        let set = flags.into_iter().filter(|(set, _)| *set).map(|(_, flag)| flag.to_owned());
        let read = self.read.iter().map(|path| format!("--read={}", path.display()));
        memory.into_iter().chain(scratch).chain(set).chain(read).collect()
    }

    /// Applies these options to a specification; fails if they ask for a sandbox that this system does not have.
    pub fn furnish(&self, spec: &mut cairn_exec::TargetSpec) -> Result<(), Failure> {
        spec.sandbox = !self.no_sandbox;
        spec.in_scratch = self.scratch;
        spec.reuse = !self.fork_each;
        spec.readable = self.read.clone();
        if let Some(path) = self.read.iter().find(|path| !path.exists()) {
            return Err(Failure::new(format_args!("--read: no such file or directory: {}", path.display())));
        }
        let gaps = self.require_sandbox.then(|| cairn_exec::Protection::here().gaps()).flatten();
        gaps.map_or(Ok(()), |gaps| {
            Err(Failure::new(format_args!("the sandbox has gaps here: the program could {gaps}")))
        })
    }
}

/// A program, and what it is to be given.
#[derive(Args, Debug)]
pub struct SubjectArgs {
    /// A program built with `cairn cc`, or files to compile on the fly: C, C++, preprocessed (.i, .ii), LLVM IR (.bc, .ll)
    #[arg(required = true, value_name = "TARGET|FILE.c")]
    pub target: Vec<PathBuf>,
    /// Arguments of the program; @@ stands for the path of a symbolic file
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<OsString>,
    /// True if a stranger's campaign directory names the arguments: they open no files to the program.
    #[arg(skip)]
    pub strange_args: bool,
    /// What is symbolic.
    #[command(flatten)]
    pub input: InputArgs,
    /// Start from this file (raw bytes, or .ktest), the files of this directory, or all inputs of this campaign directory
    /// (Cairn's or AFL++'s: queue, crashes and hangs); may be repeated
    #[arg(long, value_name = "PATH", help_heading = "Input")]
    pub seeds: Vec<PathBuf>,
    /// What it may do.
    #[command(flatten)]
    pub room: RoomArgs,
}

/// How long single steps of a campaign may take.
#[derive(Args, Debug)]
pub struct LimitArgs {
    /// Longest time of one execution, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1000, help_heading = "Budget")]
    #[arg(value_parser = positive)]
    pub timeout: u64,
    /// Longest time of one query to the solver, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1000, help_heading = "Budget")]
    #[arg(value_parser = positive)]
    pub solver_timeout: u64,
}

impl LimitArgs {
    /// What a query may cost.
    pub fn of_solver(&self) -> cairn_solver::Limits {
        cairn_solver::Limits { time: Duration::from_millis(self.solver_timeout) }
    }
}

/// `cairn run`.
#[derive(Args, Debug)]
pub struct RunArgs {
    /// The program and its input.
    #[command(flatten)]
    pub subject: SubjectArgs,

    /// StopReason after N executions
    #[arg(long, value_name = "N", help_heading = "Budget", value_parser = positive)]
    pub execs: Option<u64>,
    /// StopReason after this time: 30s, 5m, 1h
    #[arg(long, value_name = "TIME", help_heading = "Budget")]
    pub time: Option<Budget>,
    /// StopReason when Cairn itself has taken this much memory: 512M, 4G
    #[arg(long, value_name = "SIZE", default_value = "4G", help_heading = "Budget", value_parser = size)]
    pub driver_memory: u64,
    /// Of one execution, and of one query.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Local search before and beside the SMT solver: full, classic (the published Concolic Walk alone, for comparison) or off
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

    /// How to choose what to try next: one of the strategies below
    #[arg(long, value_name = "NAME", default_value = "auto", help_heading = "Search")]
    #[arg(value_parser = StrategyParser, hide_possible_values = true)]
    pub strategy: String,
    /// Seed of all random choices: the same seed, the same campaign
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Search")]
    pub seed: u64,
    /// Explore with N workers at a time, each with a copy of the program and a solver, on one execution tree. With more than one,
    /// what happens first is a matter of luck: the same seed gives the same campaign with one only
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Search", value_parser = clap::value_parser!(u64).range(1..=64))]
    pub workers: u64,
    /// Compare every value the program computes with what its expression says
    #[arg(long, help_heading = "Search")]
    pub oracle: bool,

    /// Look for these faults, too: overflow (of signed integers), shift (by too many bits), bounds (writing outside an
    /// object), or all; a program that is not compiled on the fly must have been built with CAIRN_CC_CHECK=KINDS
    #[arg(long, value_name = "KINDS", help_heading = "Findings", value_parser = Checks::parse)]
    pub check: Option<Checks>,
    /// Make no builds with and without sanitizers to confirm findings and to replay tests on, if C files are given
    #[arg(long, help_heading = "Findings")]
    pub no_sanitizers: bool,
    /// Write the path condition of each finding in SMT-LIB beside its report (see `cairn solve`)
    #[arg(long, help_heading = "Findings")]
    pub path_conditions: bool,

    /// Where to write tests, crashes and statistics
    #[arg(long, value_name = "DIR", default_value = "cairn-out", help_heading = "Output")]
    pub out: PathBuf,
    /// Go on with the campaign that is in DIR; larger budgets extend it
    #[arg(long, help_heading = "Output", conflicts_with = "force")]
    pub resume: bool,
    /// Exchange inputs with the AFL++ instances that write to DIR (their -o): the campaign goes to DIR/cairn, where they
    /// take tests from, and their new inputs are run. With --time, waits for them when nothing else is left to try
    #[arg(long, value_name = "DIR", help_heading = "Output", conflicts_with = "out")]
    pub sync: Option<PathBuf>,
    /// With --sync, the name of this instance, instead of cairn
    #[arg(long, value_name = "NAME", help_heading = "Output", requires = "sync", value_parser = instance_name)]
    pub name: Option<String>,
    /// Replace the campaign that is in DIR
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// Write every distinct query, sliced, to an SMT-LIB file in DIR (see `cairn solve`)
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub dump_queries: Option<PathBuf>,
    /// Write at most N queries
    #[arg(long, value_name = "N", default_value_t = 20_000, help_heading = "Output", value_parser = positive)]
    pub dump_limit: u64,
    /// Print one JSON object at the end
    #[arg(long, help_heading = "Output")]
    pub json: bool,
    /// How to tell on standard error how it is going
    #[arg(long, value_enum, value_name = "KIND", default_value = "auto", help_heading = "Output")]
    pub log: LogKind,
    /// Print nothing but the summary
    #[arg(long, short, help_heading = "Output", conflicts_with = "log")]
    pub quiet: bool,
}

/// How progress is told.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogKind {
    /// A screen on a terminal, lines elsewhere
    Auto,
    /// A line every few seconds, and for what is worth one
    Plain,
    /// A JSON object per line: start, progress, test, crash, hang, warning, end, error
    Json,
}

impl RunArgs {
    /// What is told while the campaign goes on; none if nothing is.
    pub fn log(&self) -> Option<LogKind> {
        (!self.quiet).then_some(self.log)
    }

    /// Whom to exchange inputs with.
    pub fn sync(&self) -> Option<SyncSettings> {
        let name = self.name.clone().unwrap_or_else(|| "cairn".to_owned());
        self.sync.clone().map(|directory| SyncSettings { directory, name })
    }

    /// The campaign directory is where others look for it.
    pub fn join_others(&mut self) {
        if let Some(sync) = self.sync() {
            self.out = sync.directory.join(sync.name);
        }
    }
}

/// `cairn replay`.
#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// The program; it need not have been built with `cairn cc`
    #[arg(value_name = "TARGET")]
    pub target: PathBuf,
    /// Saved tests (raw bytes, or .ktest), directories of them, or campaign directories (queue, crashes and hangs). What
    /// the program prints is shown for a single file only
    #[arg(value_name = "INPUT", required = true)]
    pub tests: Vec<PathBuf>,
    /// Arguments of the program, as they were for `cairn run`
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<OsString>,
    /// A test is the content of the file that the program opens as NAME
    #[arg(long, value_name = "NAME")]
    pub file: Option<String>,
    /// Longest time of one execution, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 10_000)]
    #[arg(value_parser = positive)]
    pub timeout: u64,
    /// What the program may do.
    #[command(flatten)]
    pub room: RoomArgs,
}

/// A format of tests.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// KLEE's: a .ktest file for each test, which ktest-tool reads
    Ktest,
    /// A corpus of libFuzzer, AFL and most other fuzzers: raw files; crashes and hangs are left out
    Libfuzzer,
    /// Test-Comp's exchange format for values of __VERIFIER_nondet_*: metadata.xml and testcase-N.xml
    Testcomp,
}

/// `cairn export`.
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// A campaign directory, or a directory of tests (raw bytes, or .ktest)
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// The format to write
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Format,
    /// Where to write: a new directory, or an empty one
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Raw tests are the content of the file that the program opens as NAME; unless told, as in the campaign, or standard
    /// input
    #[arg(long, value_name = "NAME")]
    pub file: Option<String>,
    /// The program's source, which Test-Comp's metadata names; unless told, the campaign's
    #[arg(long, value_name = "FILE.c")]
    pub program: Option<PathBuf>,
    /// What the tests are for, as Test-Comp says it; all branches unless told
    #[arg(long, value_name = "FILE.prp")]
    pub property: Option<PathBuf>,
}

/// The program that tests are for, and what they are; a campaign directory knows.
#[derive(Args, Debug)]
pub struct NamedArgs {
    /// The program, built with `cairn cc` or as C files; unless told, the campaign's
    #[arg(value_name = "TARGET|FILE.c")]
    pub target: Vec<PathBuf>,
    /// Arguments of the program; @@ stands for the path of a symbolic file
    #[arg(last = true, value_name = "ARGS", requires = "target")]
    pub args: Vec<OsString>,
    /// Run the tests on this program, with the input and arguments that DIR tells; needed if no campaign of yours made DIR
    #[arg(long, value_name = "PATH", conflicts_with = "target")]
    pub program: Option<PathBuf>,
    /// What the tests are.
    #[command(flatten)]
    pub input: InputArgs,
    /// What the program may do.
    #[command(flatten)]
    pub room: RoomArgs,
}

impl NamedArgs {
    /// Makes the paths absolute, so that they mean the same from any directory.
    pub fn make_absolute(&mut self) -> std::io::Result<()> {
        for path in self.target.iter_mut().chain(&mut self.program) {
            *path = std::path::absolute(&*path)?;
        }
        Ok(())
    }

    /// The same as `cairn run` takes it.
    pub fn subject(&self) -> SubjectArgs {
        let NamedArgs { target, args, input, room, .. } = self;
        let (target, args, input, room) = (target.clone(), args.clone(), input.clone(), room.clone());
        SubjectArgs { target, args, strange_args: false, input, seeds: Vec::new(), room }
    }
}

/// What a report is written as.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReportFormat {
    /// A page for the browser that needs nothing else
    Html,
    /// Coverage for genhtml and its like
    Lcov,
    /// Findings for code scanning (SARIF 2.1.0)
    Sarif,
    /// Everything
    Json,
    /// A row per branch
    Csv,
    /// Tests and findings for CI
    Junit,
}

/// `cairn report`.
#[derive(Args, Debug)]
pub struct ReportArgs {
    /// A campaign directory
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// What they are for, if the directory does not tell.
    #[command(flatten)]
    pub named: NamedArgs,
    /// What to write
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = ReportFormat::Html)]
    pub format: ReportFormat,
    /// Where to write, - for standard output; unless told, the page goes to DIR/report.html and all else to standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Run the tests on a plain build of the campaign's C files as well, and put llvm-cov's figures beside these
    #[arg(long)]
    pub replay_coverage: bool,
    /// Longest time of one execution, in milliseconds; unless told, the campaign's
    #[arg(long, value_name = "MS", value_parser = positive)]
    pub timeout: Option<u64>,
}

/// `cairn cmin`.
#[derive(Args, Debug)]
pub struct CminArgs {
    /// A campaign directory, or a directory of tests (raw bytes, or .ktest)
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// What they are for, if the directory does not tell.
    #[command(flatten)]
    pub named: NamedArgs,
    /// Where to copy the chosen tests: a new directory, or an empty one; unless told, their names are printed
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Longest time of one execution, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = positive)]
    pub timeout: u64,
}

/// `cairn doctor`.
#[derive(Args, Debug)]
pub struct DoctorArgs {
    /// The program and its input.
    #[command(flatten)]
    pub subject: SubjectArgs,
    /// Look at N executions
    #[arg(long, value_name = "N", default_value_t = 200, help_heading = "Budget", value_parser = positive)]
    pub execs: u64,
    /// Look for this time at most: 30s, 5m, 1h
    #[arg(long, value_name = "TIME", default_value = "10s", help_heading = "Budget")]
    pub time: Budget,
    /// Of one execution, and of one query.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Print one JSON object instead of sentences
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// `cairn compare`.
#[derive(Args, Debug)]
pub struct CompareArgs {
    /// The program and its input, which every campaign starts from.
    #[command(flatten)]
    pub subject: SubjectArgs,
    /// Which of the strategies below, with commas between them; with semicolons, if they have settings with commas
    #[arg(long, value_name = "A,B,...", help_heading = "Search", required = true)]
    #[arg(value_parser = StrategyParser, hide_possible_values = true)]
    pub strategies: String,
    /// Campaigns per strategy, with seeds of their own
    #[arg(long, value_name = "N", default_value_t = 3, help_heading = "Search", value_parser = positive)]
    pub trials: u64,
    /// Seed of the first trial; the next has the next
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Search")]
    pub seed: u64,
    /// Executions of each campaign
    #[arg(long, value_name = "N", default_value_t = 4000, help_heading = "Budget", value_parser = positive)]
    pub execs: u64,
    /// Longest time of each campaign: 30s, 5m, 1h
    #[arg(long, value_name = "TIME", help_heading = "Budget")]
    pub time: Option<Budget>,
    /// Of one execution, and of one query.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Campaigns at a time; one per core unless told otherwise
    #[arg(long, value_name = "N", help_heading = "Budget", value_parser = clap::value_parser!(u64).range(1..=64))]
    pub jobs: Option<u64>,
    /// Write a line per campaign to this file
    #[arg(long, value_name = "FILE.csv", help_heading = "Output")]
    pub csv: Option<PathBuf>,
    /// Write branches covered over executions, a line for each change, to this file
    #[arg(long, value_name = "FILE.csv", help_heading = "Output")]
    pub curves: Option<PathBuf>,
    /// Write a page with the curves, a band around each, and the table to this file
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
    /// The program and its input, which every campaign starts from.
    #[command(flatten)]
    pub subject: SubjectArgs,
    /// StopReason bad samples early, begin near weights that are good elsewhere, and race the best; the default
    #[arg(long, help_heading = "Learning")]
    pub fast: bool,
    /// Learn as published: a whole campaign for every sample, and no limit of time unless --time is given
    #[arg(long, help_heading = "Learning", conflicts_with = "fast")]
    pub published: bool,
    /// Weights to draw in each round; unless told, as many as there is time for, and 1000 with --published
    #[arg(long, value_name = "N", help_heading = "Learning", value_parser = number(2))]
    pub samples: Option<u32>,
    /// How many of them to check; 6 unless told, and 10 with --published
    #[arg(long, value_name = "N", help_heading = "Learning", value_parser = number(2))]
    pub top: Option<u32>,
    /// Campaigns for each that is checked, at most
    #[arg(long, value_name = "N", default_value_t = Size::PUBLISHED.trials, help_heading = "Learning", value_parser = number(1))]
    pub trials: u32,
    /// Most rounds
    #[arg(long, value_name = "N", default_value_t = Size::PUBLISHED.rounds, help_heading = "Learning", value_parser = number(1))]
    pub rounds: u32,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Learning")]
    pub seed: u64,
    /// Executions of a whole campaign
    #[arg(long, value_name = "N", default_value_t = Size::PUBLISHED.executions, help_heading = "Budget", value_parser = positive)]
    pub execs: u64,
    /// StopReason after this time: 30s, 5m, 1h; 15m unless --published
    #[arg(long, value_name = "TIME", help_heading = "Budget")]
    pub time: Option<Budget>,
    /// Of one execution, and of one query.
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Campaigns at a time; one per core unless told otherwise
    #[arg(long, value_name = "N", help_heading = "Budget", value_parser = clap::value_parser!(u64).range(1..=64))]
    pub jobs: Option<u64>,
    /// Where to write the weights; what was measured goes to FILE.journal
    #[arg(long, value_name = "FILE", default_value = "learnt.toml", help_heading = "Output")]
    pub out: PathBuf,
    /// Go on with a learning that was cut short, with the settings it was begun with
    #[arg(long, help_heading = "Output", conflicts_with_all = ["force", "fast", "published", "samples"])]
    pub resume: bool,
    /// Begin anew, even if there are weights or a journal
    #[arg(long, help_heading = "Output")]
    pub force: bool,
    /// Print nothing but the result
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
}

impl LearnArgs {
    /// When learning is to end; none if it may take all the time it needs.
    pub fn time(&self) -> Option<Duration> {
        let usual = (!self.published).then_some(Duration::from_secs(15 * 60));
        self.time.map(|budget| budget.0).or(usual)
    }
}

/// Who answers queries.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum SolverName {
    /// All layers, as in a campaign
    Stack,
    /// Z3 alone
    Z3,
    /// The search over numbers alone, which cannot find out that there is no answer
    Walk,
}

/// `cairn solve`.
#[derive(Args, Debug)]
pub struct SolveArgs {
    /// SMT-LIB scripts (QF_BV, QF_FP, QF_BVFP and what `cairn run --dump-queries` writes), or directories of them.
    /// For one script the model is printed, for several a line each
    #[arg(required = true, value_name = "FILE.smt2|DIR")]
    pub files: Vec<PathBuf>,
    /// Who answers
    #[arg(long, value_enum, value_name = "NAME", default_value_t = SolverName::Stack)]
    pub solver: SolverName,
    /// Longest time of one query, in seconds
    #[arg(long, value_name = "S", default_value_t = 10.0, value_parser = seconds)]
    pub timeout: f64,
    /// Start anew for every script, instead of remembering the ones before
    #[arg(long)]
    pub fresh: bool,
    /// Print one JSON object: every answer with its time, and what each layer did
    #[arg(long)]
    pub json: bool,
}

/// `cairn explain`.
#[derive(Args, Debug)]
pub struct ExplainArgs {
    /// A file of weights, as for `--strategy parametric:FILE`; without one, those that ship with Cairn
    #[arg(value_name = "FILE.toml")]
    pub file: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// `cairn completions`.
#[derive(Args, Debug)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// `cairn man`.
#[derive(Args, Debug)]
pub struct ManArgs {
    /// Where to write cairn.1, cairn-run.1 and so on; unless told, cairn.1 is printed
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| (0.001..=1e6).contains(seconds));
    seconds.ok_or_else(|| "it must be a number of seconds, from 0.001 on".to_owned())
}

/// A number that is at least so much.
fn number(least: u32) -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(i64::from(least)..=100_000)
}

/// As AFL++ wants it.
fn instance_name(text: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match (1..=32).contains(&text.len()) && text.chars().all(is_plain) {
        true => Ok(text.to_owned()),
        false => Err("a name has up to 32 letters, digits, - and _".to_owned()),
    }
}

fn positive(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(0) => Err("it must be at least 1".to_owned()),
        Ok(number) => Ok(number),
        Err(_) => Err("it must be a whole number".to_owned()),
    }
}

/// Columns of how a strategy is written, and of what it does: a manual page in 80 columns has room for both.
const USAGE: usize = 27;
const SUMMARY: usize = 42;

/// The strategies that `--strategy` knows, for the help text.
fn strategies() -> String {
    let lines = cairn_search::list().iter().flat_map(|strategy| {
        let usages = [strategy.usage].into_iter().chain(std::iter::repeat(""));
        // Wrapped here: what wraps text in terminals and manual pages knows nothing of columns.
        let told = wrapped(strategy.summary, SUMMARY, usize::MAX);
        usages.zip(told).map(|(usage, told)| format!("  {usage:<USAGE$} {told}\n"))
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
