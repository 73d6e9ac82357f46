//! Settings of a target: its files, arguments, symbolic input and sandbox.

use crate::error::Error;
use cairn_exec::{Limits, Protection, TargetSpec, is_file_name};
use cairn_wire::Checks;
use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

/// Memory of one execution by default, in MiB.
pub const DEFAULT_MEMORY: u64 = 1024;
/// Size of a run's scratch directory by default, in MiB.
pub const DEFAULT_SCRATCH: u64 = 1024;
/// Most bytes of one input object; a path over more could not be solved anyway.
const MAX_LENGTH: usize = 1 << 20;

/// A target and what it is run with.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    /// The instrumented program, or the source files to build it from.
    pub target: Vec<PathBuf>,
    /// Arguments of the program; `@@` stands for the path of a symbolic file.
    pub args: Vec<OsString>,
    /// True if the arguments come from a stranger's campaign directory: they open no files to the program.
    pub are_args_untrusted: bool,
    /// The symbolic input.
    pub input: SymbolicInput,
    /// Files, directories and campaigns with the first inputs.
    pub seeds: Vec<PathBuf>,
    /// Limits and rights of the program.
    pub sandbox: SandboxSettings,
}

/// A target as the user names it for the tests of a directory, which may know the rest.
#[derive(Clone, Debug, Default)]
pub struct NamedSubject {
    /// The whole target; if there is one, its seeds are empty.
    pub subject: Subject,
    /// The program alone; arguments and input come from the directory.
    pub program: Option<PathBuf>,
}

/// Settings of a `cairn run` that reports and tests depend on.
#[derive(Clone, Debug)]
pub struct RunSettings {
    /// The target.
    pub subject: Subject,
    /// Longest time of one execution, in milliseconds.
    pub timeout: u64,
    /// Faults that the program decides on.
    pub checks: Option<Checks>,
    /// The search strategy.
    pub strategy: String,
    /// The seed of random choices.
    pub seed: u64,
}

/// The parts of a program's surroundings that are symbolic.
#[derive(Clone, Debug, Default)]
pub struct SymbolicInput {
    /// Most bytes of standard input.
    pub stdin: Option<usize>,
    /// Most bytes of each symbolic argument.
    pub args: Vec<usize>,
    /// MIN and MAX number of further symbolic arguments, and the most bytes of each.
    pub args_range: Option<Vec<usize>>,
    /// Symbolic files.
    pub files: Vec<FileArg>,
    /// True if lengths are not symbolic.
    pub fixed_length: bool,
}

impl SymbolicInput {
    /// True if anything is symbolic.
    pub fn is_any(&self) -> bool {
        self.stdin.is_some() || !self.args.is_empty() || self.args_range.is_some() || !self.files.is_empty()
    }
}

/// Limits and rights of the program.
#[derive(Clone, Debug)]
pub struct SandboxSettings {
    /// Memory of one execution, in MiB.
    pub memory: u64,
    /// Size of its scratch directory, in MiB.
    pub scratch_size: u64,
    /// True if it runs in its scratch directory.
    pub scratch: bool,
    /// Files and directories of the user's home that it may read.
    pub read: Vec<PathBuf>,
    /// True if it runs without the sandbox.
    pub no_sandbox: bool,
    /// True if it must not run when a part of the sandbox is missing.
    pub require_sandbox: bool,
    /// True if every execution gets a process of its own (no persistent mode).
    pub fork_each: bool,
}

impl Default for SandboxSettings {
    fn default() -> SandboxSettings {
        SandboxSettings {
            memory: DEFAULT_MEMORY,
            scratch_size: DEFAULT_SCRATCH,
            scratch: false,
            read: Vec::new(),
            no_sandbox: false,
            require_sandbox: false,
            fork_each: false,
        }
    }
}

impl SandboxSettings {
    /// Returns the resource limits of a run.
    pub fn limits(&self) -> Limits {
        let memory = self.memory.saturating_mul(1 << 20);
        let mut limits = Limits { memory, ..Limits::default() };
        limits.scratch.bytes = self.scratch_size.saturating_mul(1 << 20);
        limits
    }

    /// Returns the command-line options that give these settings, without those that are the default.
    pub fn options(&self) -> Vec<String> {
        let memory = (self.memory != DEFAULT_MEMORY).then(|| format!("--memory={}", self.memory));
        let scratch =
            (self.scratch_size != DEFAULT_SCRATCH).then(|| format!("--scratch-size={}", self.scratch_size));
        let flags = [(self.scratch, "--scratch"), (self.no_sandbox, "--no-sandbox")];
        let set = flags.into_iter().filter(|(set, _)| *set).map(|(_, flag)| flag.to_owned());
        let read = self.read.iter().map(|path| format!("--read={}", path.display()));
        memory.into_iter().chain(scratch).chain(set).chain(read).collect()
    }

    /// Applies these settings to a specification; fails if they need a sandbox that this system does not have.
    pub fn apply(&self, spec: &mut TargetSpec) -> Result<(), Error> {
        spec.sandbox = !self.no_sandbox;
        spec.in_scratch = self.scratch;
        spec.reuse = !self.fork_each;
        spec.readable = self.read.clone();
        if let Some(path) = self.read.iter().find(|path| !path.exists()) {
            return Err(Error::new(format_args!("--read: no such file or directory: {}", path.display())));
        }
        let gaps = self.require_sandbox.then(|| Protection::here().gaps()).flatten();
        gaps.map_or(Ok(()), |gaps| {
            Err(Error::new(format_args!("the sandbox has gaps here: the program could {gaps}")))
        })
    }
}

/// A symbolic file: `LEN`, or `NAME=LEN`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileArg {
    /// The name that the program opens it by, if not `@@`.
    pub name: Option<String>,
    /// Its most bytes.
    pub len: usize,
}

impl FromStr for FileArg {
    type Err = String;

    fn from_str(text: &str) -> Result<FileArg, String> {
        let (name, len) = match text.rsplit_once('=') {
            Some((name, len)) => (Some(name), len),
            None => (None, text),
        };
        if !len.bytes().all(|b| b.is_ascii_digit()) {
            return Err("a symbolic file is LEN or NAME LEN, as in 20 or data.bin 20".to_owned());
        }
        let len = length(len)?;
        match name {
            Some(name) if !is_file_name(name) => {
                Err(format!("`{name}` is not the name of a file below the program's working directory"))
            }
            name => Ok(FileArg { name: name.map(str::to_owned), len }),
        }
    }
}

/// Parses the length of an input object, in bytes.
pub fn length(text: &str) -> Result<usize, String> {
    let len = text.parse().ok().filter(|len| (1..=MAX_LENGTH).contains(len));
    len.ok_or_else(|| format!("a length is a number from 1 to {MAX_LENGTH}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_may_have_names() {
        let parse = |text: &str| text.parse::<FileArg>().ok().map(|f| (f.name, f.len));
        assert_eq!(parse("20"), Some((None, 20)));
        assert_eq!(parse("a=b.txt=20"), Some((Some("a=b.txt".to_owned()), 20)));
        assert_eq!(parse("a/b=4"), Some((Some("a/b".to_owned()), 4)));
        for text in ["x", "=4", "/b=4", "a//b=4", "a/=4", "a/../b=4", "a=", "..=4", "a=0", "0"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn only_settings_that_differ_become_options() {
        assert_eq!(SandboxSettings::default().options(), [""; 0]);
        let other = SandboxSettings { memory: 7, no_sandbox: true, ..SandboxSettings::default() };
        assert_eq!(other.options(), ["--memory=7", "--no-sandbox"]);
    }
}
