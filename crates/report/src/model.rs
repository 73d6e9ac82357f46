//! The contents of a report. Their serialization is the documented output of `--format json`.

use serde::Serialize;

/// A campaign, and the coverage of its tests.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Report {
    /// Tool that made the report.
    pub generator: Generator,
    /// The campaign.
    pub campaign: Campaign,
    /// Coverage over time.
    pub curve: Vec<Point>,
    /// Files of user code that have branches.
    pub files: Vec<File>,
    /// Executable lines and functions, if they were counted on a plain build.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executed: Option<Vec<ExecutedFile>>,
    /// Saved inputs.
    pub tests: Vec<Test>,
    /// Crashes and hangs, deduplicated.
    pub findings: Vec<Finding>,
    /// Top of the execution tree.
    pub tree: Tree,
    /// Solver layers, from the top.
    pub layers: Vec<Layer>,
    /// Further figures, by name.
    pub figures: Vec<(String, String)>,
    /// Obstacles that the campaign met.
    pub advice: Vec<Advice>,
    /// Parts that this report lacks, with the reasons.
    pub missing: Vec<String>,
}

/// A tool and its version.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Generator {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The course of a campaign.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Campaign {
    /// Program, by its bare name.
    pub program: String,
    /// Command that started the campaign.
    pub command: String,
    /// Campaign directory.
    pub directory: String,
    /// Start of the campaign, in seconds since 1970.
    pub started: Option<u64>,
    /// Number of executions.
    pub executions: u64,
    /// Time taken.
    pub seconds: f64,
    /// Maximum number of executions.
    pub budget_executions: Option<u64>,
    /// Maximum time.
    pub budget_seconds: Option<f64>,
    /// Reason it ended, in words.
    pub ended: String,
    /// Strategy as requested.
    pub strategy: String,
    /// Strategy as it describes itself.
    pub strategy_says: String,
    /// Seed of all random choices.
    pub seed: u64,
    /// Further remarks, a sentence each.
    pub notes: Vec<String>,
}

/// A point of a curve.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Point {
    /// Number of executions so far.
    pub executions: u64,
    /// Time so far.
    pub seconds: f64,
    /// Number of branches covered by then.
    pub covered: u64,
}

/// A source file.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct File {
    /// Shortest name.
    pub name: String,
    /// Absolute path.
    pub path: String,
    /// Text of the file.
    #[serde(skip)]
    pub source: Source,
    /// Functions with branches.
    pub functions: Vec<Function>,
    /// Branch sites, from top to bottom.
    pub sites: Vec<Site>,
    /// Counts of llvm-cov on a plain build.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plain: Option<Plain>,
}

/// A file's text, or the reason it is missing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// The text.
    Text(String),
    /// The reason it is missing.
    Missing(String),
}

impl Default for Source {
    fn default() -> Source {
        Source::Missing("it was not read".to_owned())
    }
}

/// Branches of a file as llvm-cov counts them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Plain {
    /// Number of branches.
    pub branches: u64,
    /// Number of branches that the tests take.
    pub covered: u64,
    /// Line, branches and covered branches of every line that has some, including constant conditions.
    pub lines: Vec<(u64, u64, u64)>,
    /// Line and column of every condition, and the number of times it was true and false. Those inside a
    /// macro are at its invocation.
    pub conditions: Vec<(u64, u64, u64, u64)>,
}

/// The executable lines and functions of a file, with or without branches, as llvm-cov counts them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ExecutedFile {
    /// Path as in [`File::path`], if the file has branches too.
    pub path: String,
    /// Lines with their execution counts.
    pub lines: Vec<(u64, u64)>,
    /// Functions.
    pub functions: Vec<ExecutedFunction>,
}

/// A function, with or without branches.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ExecutedFunction {
    /// Name; that of a static function starts with its file's.
    pub name: String,
    /// First line.
    pub line: u64,
    /// Number of calls.
    pub calls: u64,
}

/// A function with branches.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Line of its definition, 0 if unknown.
    pub line: u32,
    /// Number of tests that reach a branch of it.
    pub tests: u64,
}

/// The kind of a site.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SiteKind {
    /// A branch on a condition.
    Branch,
    /// A switch.
    Switch,
    /// A conditional expression without a jump.
    Select,
}

/// A branch site.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Site {
    /// Its line, 0 if unknown.
    pub line: u32,
    /// Its column, 0 if unknown.
    pub column: u32,
    /// Kind of the site.
    pub kind: SiteKind,
    /// Function it is in.
    pub function: String,
    /// Number of tests that reach it.
    pub tests: u64,
    /// Sides: each is a branch.
    pub sides: Vec<Side>,
}

impl Site {
    /// True if a run reached the site.
    pub fn is_reached(&self) -> bool {
        self.sides.iter().any(|side| side.covered)
    }
}

/// A side of a site.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Side {
    /// `true`, `false`, `case 1, 2` or `default`.
    pub label: String,
    /// True if a run took it.
    pub covered: bool,
    /// Number of tests that take it.
    pub tests: u64,
    /// Reason no run took it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
}

/// The reason a branch is not covered.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Why {
    /// Kind of the reason.
    pub kind: WhyKind,
    /// The reason in a sentence.
    pub text: String,
    /// Branch behind which it lies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behind: Option<SourceLocation>,
}

/// The kind of reason a branch is not covered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhyKind {
    /// No run reached its site.
    NeverReached,
    /// Infeasible on all paths seen.
    Unsat,
    /// The solver gave up.
    Unknown,
    /// Not tried yet.
    Pending,
    /// Runs on inputs solved for it diverged.
    Diverged,
    /// Only inputs that the program rejects take it.
    Refused,
    /// Its condition does not depend on the input.
    Independent,
    /// The campaign did not record the reason.
    Unrecorded,
}

impl WhyKind {
    /// Returns its name, as serde writes it.
    pub fn name(self) -> &'static str {
        match self {
            WhyKind::NeverReached => "never-reached",
            WhyKind::Unsat => "unsat",
            WhyKind::Unknown => "unknown",
            WhyKind::Pending => "pending",
            WhyKind::Diverged => "diverged",
            WhyKind::Refused => "refused",
            WhyKind::Independent => "independent",
            WhyKind::Unrecorded => "unrecorded",
        }
    }
}

/// A location in the source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SourceLocation {
    /// The file's name.
    pub file: String,
    /// The line.
    pub line: u32,
}

/// A saved input, and the exit status of the program on it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Test {
    /// File, below the campaign directory.
    pub name: String,
    /// Size of the input.
    pub bytes: u64,
    /// Exit status of the program, in words; none if it could not be run again.
    pub end: Option<String>,
    /// Number of branches it takes.
    pub branches: u64,
}

/// A crash or hang.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Finding {
    /// File of its input, below the campaign directory.
    pub name: String,
    /// Kind in a word: a signal, a limit.
    pub kind: String,
    /// True if the program does not terminate.
    pub is_hang: bool,
    /// Description and location, in a line.
    pub headline: String,
    /// Stack, innermost frame first.
    pub stack: Vec<Frame>,
    /// Smallest input that reproduces it.
    pub input: Vec<InputPart>,
    /// Command that reproduces it.
    pub command: String,
    /// Command that reproduces it with sanitizers.
    pub command_sanitized: Option<String>,
    /// Output of the program, or of sanitizers.
    pub said: Vec<String>,
    /// Reference builds that confirmed it; none if no build was asked to.
    pub confirmed_by: Option<Vec<String>>,
    /// Full text of its report.
    pub text: String,
}

/// A function on the stack.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Frame {
    /// Its name.
    pub function: String,
    /// Location in the source, if known.
    pub place: Option<SourceLocation>,
}

/// A part of an input.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct InputPart {
    /// Name: `stdin`, an argument, a file.
    pub name: String,
    /// Its bytes; only the first of very many.
    pub bytes: Vec<u8>,
    /// Total number of bytes.
    pub length: u64,
}

/// The top of the execution tree.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Tree {
    /// Number of nodes.
    pub nodes: u64,
    /// Number of decisions on the longest path.
    pub deepest: u32,
    /// Edges from the root.
    pub roots: Vec<TreeEdge>,
    /// Forks shown, parents first.
    pub forks: Vec<TreeNode>,
}

/// A node at which runs took different sides.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TreeNode {
    /// Location in the source.
    pub place: Option<SourceLocation>,
    /// Function it is in.
    pub function: String,
    /// Kind of the decision: `branch`, `switch`, `select` or `value` (a concretization).
    pub kind: &'static str,
    /// Number of decisions before it.
    pub depth: u32,
    /// Number of decisions just before it at which all runs took the same side.
    pub passed: u32,
    /// Number of untried sides of these.
    pub passed_untried: u64,
    /// Sides that runs took.
    pub ways: Vec<TreeEdge>,
    /// Number of other sides, by state.
    pub left: Vec<(&'static str, u32)>,
}

/// A side that runs took.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TreeEdge {
    /// Label of the side.
    pub label: String,
    /// Number of runs that took it.
    pub runs: u64,
    /// Number of untried sides below it.
    pub untried: u64,
    /// Next fork that is shown.
    pub next: Option<u32>,
    /// True if there is a fork below it.
    pub parts: bool,
}

/// The work of a solver layer.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Layer {
    /// Its name.
    pub name: &'static str,
    /// Description of the layer.
    pub about: &'static str,
    /// Number of queries it received.
    pub asked: u64,
    /// Number of queries it found satisfiable.
    pub sat: u64,
    /// Number of queries it found unsatisfiable.
    pub unsat: u64,
    /// Number of queries that ended here without an answer.
    pub unknown: u64,
    /// Time spent in the layer itself.
    pub seconds: f64,
}

/// An obstacle for the campaign.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Advice {
    /// Description in a sentence.
    pub title: String,
    /// Locations, a line each.
    pub lines: Vec<String>,
}

impl File {
    /// Returns all branches with their sites, from top to bottom.
    pub fn branches(&self) -> impl Iterator<Item = (&Site, &Side)> {
        self.sites.iter().flat_map(|site| site.sides.iter().map(move |side| (site, side)))
    }

    /// Returns the number of covered branches, and of all.
    pub fn coverage(&self) -> (u64, u64) {
        let covered = self.branches().filter(|(_, side)| side.covered).count();
        (covered as u64, self.branches().count() as u64)
    }
}

impl Report {
    /// Returns the number of covered branches, and of all.
    pub fn coverage(&self) -> (u64, u64) {
        self.files.iter().map(File::coverage).fold((0, 0), |sum, file| (sum.0 + file.0, sum.1 + file.1))
    }
}
