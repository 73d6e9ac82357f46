//! `cairn cc`: a compiler driver that accepts clang's command lines and builds instrumented programs.
//!
//! A source file is compiled in three steps: clang's front end emits unoptimised bitcode, whose branches are
//! those of the source; the pass instruments it; clang's back end emits the object. A program is linked with
//! the runtime and the library models. Commands that are no such build (`-E`, `--version`, assembly…) go to
//! clang unchanged, so that configure scripts see an ordinary clang.

mod args;
mod compile;
mod coverage_mapping;
mod coverage_pages;
mod deps;
mod input;
mod interposition;
mod link;
mod link_recording;
mod options;
mod plan;
mod process;
mod response;
mod scratch;
mod unit_recording;

use args::{Command, Opt};
use cairn_wire::Checks;
use options::Role;
use plan::Plan;
use process::Clang;
use scratch::Scratch;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{Write, stderr};
use std::path::{Path, PathBuf};

/// Environment variable that, set to anything but `0`, disables instrumentation.
pub const ENV_PLAIN: &str = "CAIRN_CC_PLAIN";

/// Environment variable with the optional checks, as [`Checks::parse`] takes them.
pub const ENV_CHECK: &str = "CAIRN_CC_CHECK";

/// Environment variable that, set to `0`, leaves out the records of how a program was built.
pub const ENV_RECORD: &str = "CAIRN_CC_RECORD";

/// Paths of the tools and files that a build needs.
#[derive(Clone, Debug)]
pub struct Toolchain {
    /// The clang that compiles and links.
    pub clang: PathBuf,
    /// Directory of `libcairn_runtime.a` and `libcairn_models.a`.
    pub library_dir: PathBuf,
    /// Directory of the headers that users include; searched last.
    pub include_dir: PathBuf,
}

/// Language of the driver, as `clang` and `clang++` differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// `cairn cc`.
    C,
    /// `cairn c++`.
    Cxx,
}

/// The pass, as the driver calls it.
pub trait Instrumenter {
    /// Instruments the module in `input_bitcode` and writes it to `output_bitcode`. The coverage mapping is
    /// in the module, or in another one of the same source. After an error the module is compiled
    /// uninstrumented.
    fn instrument(
        &self,
        input_bitcode: &Path,
        mapping: Option<&Path>,
        output_bitcode: &Path,
    ) -> Result<(), String>;

    /// Returns the optional checks: with overflow checks the front end has to emit `nsw`.
    fn checks(&self) -> Checks {
        Checks::default()
    }
}

/// Does what `clang args` does, with instrumentation; returns the exit code.
pub fn run(args: &[OsString], language: Language, tools: &Toolchain, pass: &dyn Instrumenter) -> i32 {
    let clang = Clang::new(&tools.clang, language);
    let expanded = response::expand(args).ok();
    let Some(command) = expanded.as_deref().and_then(Command::parse).filter(|_| !is_disabled()) else {
        return clang.run(args);
    };
    let plan = plan::plan(&command);
    if let Plan::Plain { warning } = &plan {
        return run_plain(args, &command, clang, tools, warning.as_deref());
    }
    let scratch = match Scratch::create() {
        Ok(scratch) => scratch,
        Err(error) => return fail(&format!("cannot make a temporary directory: {error}")),
    };
    warn_of_missing_files(&command);
    let back_end = Clang::new(&tools.clang, Language::C);
    let session = Session { command: &command, clang, back_end, tools, pass, scratch };
    match plan {
        Plan::Link(product) => link::compile_and_link(&session, product),
        Plan::Compile | Plan::Plain { .. } => compile::compile_all(&session),
    }
}

/// One invocation of the driver.
struct Session<'a> {
    command: &'a Command,
    /// Clang for the user's language.
    clang: Clang<'a>,
    /// Clang for bitcode.
    back_end: Clang<'a>,
    tools: &'a Toolchain,
    pass: &'a dyn Instrumenter,
    scratch: Scratch,
}

fn is_disabled() -> bool {
    std::env::var_os(ENV_PLAIN).is_some_and(|value| !value.is_empty() && value != "0")
}

/// True if objects and programs get records of how they were built.
fn records_builds() -> bool {
    std::env::var_os(ENV_RECORD).is_none_or(|value| value != "0")
}

/// Runs clang on the user's own arguments; only the directory of our headers is added.
fn run_plain(
    args: &[OsString],
    command: &Command,
    clang: Clang,
    tools: &Toolchain,
    warning: Option<&str>,
) -> i32 {
    warning.into_iter().for_each(warn);
    let mut words = Vec::new();
    if command.has_input(input::InputKind::Source) && !command.has(&["-###"]) {
        words.extend(["-idirafter".into(), tools.include_dir.clone().into_os_string()]);
    }
    words.extend_from_slice(args);
    clang.run(&words)
}

/// Warns of options that request extra output files. Clang would describe instrumented code in them, not the
/// user's.
fn warn_of_missing_files(command: &Command) {
    let side_files = command.options().filter(|opt| opt.role() == Role::SideFile);
    let words: BTreeSet<_> = side_files.flat_map(Opt::words).map(|word| word.to_string_lossy()).collect();
    if !words.is_empty() {
        let words = Vec::from_iter(words).join(", ");
        warn(&format!("ignoring {words}: no files are written beside instrumented code"));
    }
}

fn warn(message: &str) {
    print_escaped(&format!("cairn cc: warning: {message}\n"));
}

/// Prints an error; returns the exit code for it.
fn fail(message: &str) -> i32 {
    print_escaped(&format!("cairn cc: error: {message}\n"));
    1
}

/// Prints to standard error with control characters escaped: names of files may contain terminal sequences.
/// Errors are ignored.
fn print_escaped(text: &str) {
    let shown = |c: char| match c.is_control() && c != '\n' && c != '\t' {
        true => format!("\\u{:04x}", c as u32),
        false => c.to_string(),
    };
    let text: String = text.chars().map(shown).collect();
    let _ = stderr().write_all(text.as_bytes());
}
