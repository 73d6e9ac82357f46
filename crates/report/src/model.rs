//! What there is to tell of a campaign; what serde makes of it is what `--format json` promises.

use serde::Serialize;

/// A campaign, and what its tests cover.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Report {
    /// Who says so.
    pub generator: Generator,
    /// The campaign.
    pub campaign: Campaign,
    /// When coverage grew.
    pub curve: Vec<Point>,
    /// The user's files that have branches.
    pub files: Vec<File>,
    /// All executable lines and functions, if they were counted on a plain build.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executed: Option<Vec<ExecutedFile>>,
    /// The tests.
    pub tests: Vec<Test>,
    /// Crashes and hangs, each once.
    pub findings: Vec<Finding>,
    /// The top of the execution tree.
    pub tree: Tree,
    /// The solver's layers, from the top.
    pub layers: Vec<Layer>,
    /// More figures, by name.
    pub figures: Vec<(String, String)>,
    /// What stands in the way.
    pub advice: Vec<Advice>,
    /// What this report lacks, and why.
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

/// How a campaign went.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Campaign {
    /// The program, by its bare name.
    pub program: String,
    /// The command that made the campaign.
    pub command: String,
    /// Where it is.
    pub directory: String,
    /// When it began, in seconds since 1970.
    pub started: Option<u64>,
    /// Runs made.
    pub executions: u64,
    /// Time taken.
    pub seconds: f64,
    /// Runs it might make.
    pub budget_executions: Option<u64>,
    /// Time it might take.
    pub budget_seconds: Option<f64>,
    /// How it ended, in words.
    pub ended: String,
    /// The strategy as it was asked for.
    pub strategy: String,
    /// The strategy in its own words.
    pub strategy_says: String,
    /// Seed of all random choices.
    pub seed: u64,
    /// What there is to know besides, a sentence each.
    pub notes: Vec<String>,
}

/// A point of a curve.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Point {
    /// After so many runs.
    pub executions: u64,
    /// After so much time.
    pub seconds: f64,
    /// So many branches were covered.
    pub covered: u64,
}

/// A source file.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct File {
    /// As short as it can be.
    pub name: String,
    /// As it can always be opened.
    pub path: String,
    /// What is in it.
    #[serde(skip)]
    pub source: Source,
    /// Functions with branches.
    pub functions: Vec<Function>,
    /// Its branches' sites, from top to bottom.
    pub sites: Vec<Site>,
    /// What llvm-cov says of a plain build.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plain: Option<Plain>,
}

/// A file's text, or why there is none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// The text.
    Text(String),
    /// Why it is not here.
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
    /// All of them.
    pub branches: u64,
    /// Those that the tests take.
    pub covered: u64,
    /// The same of every line that has some, constant conditions among them.
    pub lines: Vec<(u64, u64, u64)>,
    /// Line and column of every condition, and how often it was true and false. Those inside a macro are at its
    /// invocation.
    pub conditions: Vec<(u64, u64, u64, u64)>,
}

/// The executable lines and functions of a file, with or without branches, as llvm-cov counts them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ExecutedFile {
    /// As in [`File::path`], if the file has branches too.
    pub path: String,
    /// Lines, and how often they were executed.
    pub lines: Vec<(u64, u64)>,
    /// Functions.
    pub functions: Vec<ExecutedFunction>,
}

/// A function, with or without branches.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct ExecutedFunction {
    /// Its name; that of a static function begins with its file's.
    pub name: String,
    /// Where it begins.
    pub line: u64,
    /// How often it was called.
    pub calls: u64,
}

/// A function with branches.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Where it is defined, 0 if unknown.
    pub line: u32,
    /// Tests that come to a branch of it.
    pub tests: u64,
}

/// What decides at a site.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SiteKind {
    /// A condition.
    Branch,
    /// A switch.
    Switch,
    /// A conditional expression without a jump.
    Select,
}

/// A place where a run decides something.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Site {
    /// Its line, 0 if unknown.
    pub line: u32,
    /// Its column, 0 if unknown.
    pub column: u32,
    /// What stands there.
    pub kind: SiteKind,
    /// The function it is in.
    pub function: String,
    /// Tests that come here.
    pub tests: u64,
    /// Its sides: each is a branch.
    pub sides: Vec<Side>,
}

impl Site {
    /// Whether a run came here.
    pub fn is_reached(&self) -> bool {
        self.sides.iter().any(|side| side.covered)
    }
}

/// A side of a site.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Side {
    /// `true`, `false`, `case 1, 2` or `default`.
    pub label: String,
    /// Whether a run took it.
    pub covered: bool,
    /// Tests that take it.
    pub tests: u64,
    /// Why no run took it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
}

/// Why a branch is not covered.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Why {
    /// In a word.
    pub kind: WhyKind,
    /// In a sentence.
    pub text: String,
    /// The branch that it is behind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub behind: Option<SourceLocation>,
}

/// Why a branch is not covered, in a word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhyKind {
    /// No run came to its site.
    NeverReached,
    /// No input takes it on any path that was seen.
    Unsat,
    /// The solver gave up.
    Unknown,
    /// It is yet to be tried.
    Pending,
    /// Runs made for it went elsewhere.
    Diverged,
    /// Only inputs that the program refuses take it.
    Refused,
    /// Its condition is not computed from the input.
    Independent,
    /// The campaign did not tell.
    Unrecorded,
}

impl WhyKind {
    /// Its name, as serde writes it.
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

/// A place in the source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SourceLocation {
    /// The file's name.
    pub file: String,
    /// The line.
    pub line: u32,
}

/// A saved input, and how the program ends on it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Test {
    /// Its file, below the campaign directory.
    pub name: String,
    /// How large it is.
    pub bytes: u64,
    /// How the program ends, in words; nothing if it could not be run again.
    pub end: Option<String>,
    /// Branches it takes.
    pub branches: u64,
}

/// A crash or hang.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Finding {
    /// Its input's file, below the campaign directory.
    pub name: String,
    /// What kind it is, in a word: a signal, a limit.
    pub kind: String,
    /// Whether the program does not end.
    pub is_hang: bool,
    /// What happened and where, in a line.
    pub headline: String,
    /// The stack, innermost first.
    pub stack: Vec<Frame>,
    /// The smallest input that shows it.
    pub input: Vec<InputPart>,
    /// The command that shows it again.
    pub command: String,
    /// The same with sanitizers.
    pub command_sanitized: Option<String>,
    /// What the program said, or sanitizers did.
    pub said: Vec<String>,
    /// Who else has seen it; nothing if nobody was asked.
    pub confirmed_by: Option<Vec<String>>,
    /// All that was written about it.
    pub text: String,
}

/// A function on the stack.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Frame {
    /// Its name.
    pub function: String,
    /// Where in the source, if that is known.
    pub place: Option<SourceLocation>,
}

/// A part of an input.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct InputPart {
    /// What it is: `stdin`, an argument, a file.
    pub name: String,
    /// Its bytes; only the first of very many.
    pub bytes: Vec<u8>,
    /// How many there are.
    pub length: u64,
}

/// The top of the execution tree.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Tree {
    /// All nodes.
    pub nodes: u64,
    /// Decisions on the longest path.
    pub deepest: u32,
    /// From the root.
    pub roots: Vec<TreeEdge>,
    /// Nodes at which runs part, parents first.
    pub forks: Vec<TreeNode>,
}

/// A node at which runs part.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TreeNode {
    /// What stands there in the source.
    pub place: Option<SourceLocation>,
    /// The function.
    pub function: String,
    /// What decides: `branch`, `switch`, `select` or `value` (one that is used as a constant).
    pub kind: &'static str,
    /// Decisions before it.
    pub depth: u32,
    /// Decisions just before it at which all runs went the same way.
    pub passed: u32,
    /// Untried sides of these.
    pub passed_untried: u64,
    /// Sides that runs took.
    pub ways: Vec<TreeEdge>,
    /// How many other sides there are, by what became of them.
    pub left: Vec<(&'static str, u32)>,
}

/// A side that runs took.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TreeEdge {
    /// The side.
    pub label: String,
    /// Runs that went there.
    pub runs: u64,
    /// Untried sides behind it.
    pub untried: u64,
    /// The next fork that is told.
    pub next: Option<u32>,
    /// Whether runs part behind it.
    pub parts: bool,
}

/// What a layer of the solver did.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Layer {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Questions it was asked.
    pub asked: u64,
    /// Those it answered with an input.
    pub sat: u64,
    /// Those it showed to have no answer.
    pub unsat: u64,
    /// Those that ended here without an answer.
    pub unknown: u64,
    /// Time of its own.
    pub seconds: f64,
}

/// Something that stands in the way.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Advice {
    /// In a sentence.
    pub title: String,
    /// Where, a line each.
    pub lines: Vec<String>,
}

impl File {
    /// All branches with their sites, from top to bottom.
    pub fn branches(&self) -> impl Iterator<Item = (&Site, &Side)> {
        self.sites.iter().flat_map(|site| site.sides.iter().map(move |side| (site, side)))
    }

    /// How many branches are covered, and how many there are.
    pub fn coverage(&self) -> (u64, u64) {
        let covered = self.branches().filter(|(_, side)| side.covered).count();
        (covered as u64, self.branches().count() as u64)
    }
}

impl Report {
    /// How many branches are covered, and how many there are.
    pub fn coverage(&self) -> (u64, u64) {
        self.files.iter().map(File::coverage).fold((0, 0), |sum, file| (sum.0 + file.0, sum.1 + file.1))
    }
}
