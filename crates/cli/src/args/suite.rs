//! Flags of the commands on saved tests: `replay`, `export`, `cmin` and `report`.

use super::target::{NamedArgs, SandboxArgs};
use super::values::positive;
use cairn_app::export::{ExportSettings, TestFormat};
use cairn_report::{FORMATS, OutputFormat};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::ffi::OsString;
use std::path::PathBuf;

/// `cairn replay`.
#[derive(Args, Debug)]
pub struct ReplayArgs {
    /// The program; it need not have been built with `cairn cc`
    #[arg(value_name = "TARGET")]
    pub target: PathBuf,
    /// Saved tests (raw bytes, or .ktest), directories of them, or campaign directories (queue, crashes and hangs). The
    /// program's output is shown for a single file only
    #[arg(value_name = "INPUT", required = true)]
    pub tests: Vec<PathBuf>,
    /// Arguments of the program, as for `cairn run`
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<OsString>,
    /// A test is the content of the file that the program opens as NAME
    #[arg(long, value_name = "NAME")]
    pub file: Option<String>,
    /// Time limit of one execution, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 10_000)]
    #[arg(value_parser = positive)]
    pub timeout: u64,
    /// Limits and rights of the program.
    #[command(flatten)]
    pub sandbox: SandboxArgs,
}

/// A format of tests, or of the dictionary.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// KLEE's: a .ktest file for each test, which ktest-tool reads
    Ktest,
    /// A corpus of libFuzzer, AFL and most other fuzzers: raw files; crashes and hangs are left out
    Libfuzzer,
    /// Test-Comp's exchange format for values of __VERIFIER_nondet_*: metadata.xml and testcase-N.xml
    Testcomp,
    /// No tests but a dictionary for AFL++ (-x) and libFuzzer (-dict=): the strings that the program looks for
    Dict,
}

impl Format {
    /// Returns the format of tests; None for a dictionary.
    fn of_tests(self) -> Option<TestFormat> {
        match self {
            Format::Ktest => Some(TestFormat::Ktest),
            Format::Libfuzzer => Some(TestFormat::Libfuzzer),
            Format::Testcomp => Some(TestFormat::Testcomp),
            Format::Dict => None,
        }
    }
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
    /// Destination: a new directory, or an empty one; for a dictionary a new file
    #[arg(long, value_name = "DIR|FILE")]
    pub out: PathBuf,
    /// Raw tests are the content of the file that the program opens as NAME; by default as in the campaign, or standard
    /// input
    #[arg(long, value_name = "NAME")]
    pub file: Option<String>,
    /// The program's source, which Test-Comp's metadata names; by default the campaign's
    #[arg(long, value_name = "FILE.c")]
    pub program: Option<PathBuf>,
    /// The property that the tests are for, as Test-Comp writes it; by default coverage of all branches
    #[arg(long, value_name = "FILE.prp")]
    pub property: Option<PathBuf>,
}

impl ExportArgs {
    /// Returns the settings of an export of tests; None if the dictionary is exported.
    pub fn settings(&self) -> Option<ExportSettings> {
        Some(ExportSettings {
            directory: self.directory.clone(),
            format: self.format.of_tests()?,
            out: self.out.clone(),
            file: self.file.clone(),
            program: self.program.clone(),
            property: self.property.clone(),
        })
    }
}

/// `cairn cmin`.
#[derive(Args, Debug)]
pub struct CminArgs {
    /// A campaign directory, or a directory of tests (raw bytes, or .ktest)
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// The target, if the directory does not record it.
    #[command(flatten)]
    pub named: NamedArgs,
    /// Copy the chosen tests to this directory, which must be new or empty; by default their names are printed
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Time limit of one execution, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1000, value_parser = positive)]
    pub timeout: u64,
}

/// `cairn report`.
#[derive(Args, Debug)]
pub struct ReportArgs {
    /// A campaign directory
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// The target, if the directory does not record it.
    #[command(flatten)]
    pub named: NamedArgs,
    /// The format to write
    #[arg(long, value_name = "FORMAT", default_value = FORMATS[0].name, value_parser = output_format())]
    pub format: &'static OutputFormat,
    /// Where to write, - for standard output; by default the page goes to DIR/report.html, all else to standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Replay the tests on a plain build of the program as well, and show llvm-cov's figures for comparison
    #[arg(long)]
    pub replay_coverage: bool,
    /// Time limit of one execution, in milliseconds; by default the campaign's
    #[arg(long, value_name = "MS", value_parser = positive)]
    pub timeout: Option<u64>,
}

/// Returns the parser of `--format`, which takes the names in the list of formats.
fn output_format() -> impl TypedValueParser<Value = &'static OutputFormat> {
    let values = FORMATS.iter().map(|format| PossibleValue::new(format.name).help(format.about));
    let find = |name: String| FORMATS.iter().find(|format| format.name == name).expect("a possible value");
    PossibleValuesParser::new(values).map(find)
}
