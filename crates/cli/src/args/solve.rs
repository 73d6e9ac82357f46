//! Flags of `solve`, `explain`, `completions` and `man`.

use super::values::seconds;
use cairn_app::solve::SolverChoice;
use clap::Args;
use std::path::PathBuf;

/// Exit codes of `cairn solve`, for its help.
pub const SOLVE_CODES: &str = "Exit codes: 0 every query was decided, 1 some are unknown or contradict their :status, \
2 something cannot be read or went wrong.";

/// The solver that answers queries.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum SolverName {
    /// All layers, as in a campaign
    Stack,
    /// Z3 alone
    Z3,
    /// Bit-blasting alone: linear algebra and the SAT solver CaDiCaL, without floats
    Sat,
    /// Local search alone, which cannot prove unsatisfiability
    Walk,
}

impl SolverName {
    /// Returns the setting.
    pub fn choice(self) -> SolverChoice {
        match self {
            SolverName::Stack => SolverChoice::Stack,
            SolverName::Z3 => SolverChoice::Z3,
            SolverName::Sat => SolverChoice::Sat,
            SolverName::Walk => SolverChoice::Walk,
        }
    }
}

/// `cairn solve`.
#[derive(Args, Debug)]
pub struct SolveArgs {
    /// SMT-LIB scripts (QF_BV, QF_FP, QF_BVFP and what `cairn run --dump-queries` writes), or directories of them.
    /// For one script the model is printed, for several a line each
    #[arg(required = true, value_name = "FILE.smt2|DIR")]
    pub files: Vec<PathBuf>,
    /// The solver
    #[arg(long, value_enum, value_name = "NAME", default_value_t = SolverName::Stack)]
    pub solver: SolverName,
    /// Time limit of one query, in seconds
    #[arg(long, value_name = "S", default_value_t = 10.0, value_parser = seconds)]
    pub timeout: f64,
    /// Use a new solver for every script, with empty caches
    #[arg(long)]
    pub fresh: bool,
    /// Print one JSON object: every answer with its time, and the tallies of each layer
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
    /// Where to write cairn.1, cairn-run.1 and so on; by default cairn.1 is printed
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}
