//! Flags of the target: files, arguments, symbolic input, sandbox and limits.

use super::values::positive;
use cairn_app::subject::{
    DEFAULT_MEMORY, DEFAULT_SCRATCH, FileArg, NamedSubject, SandboxSettings, Subject, SymbolicInput, length,
};
use cairn_app::trial::StepLimits;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

/// The parts of a program's surroundings that are symbolic.
#[derive(Args, Clone, Debug, Default)]
pub struct InputArgs {
    /// Make standard input symbolic: up to LEN bytes, and its length
    #[arg(long, value_name = "LEN", help_heading = "Input", value_parser = length)]
    pub sym_stdin: Option<usize>,
    /// Add a symbolic argument of up to LEN bytes after ARGS; may be repeated
    #[arg(long, value_name = "LEN", help_heading = "Input", value_parser = length)]
    pub sym_arg: Vec<usize>,
    /// Add MIN to MAX symbolic arguments of up to LEN bytes after all others
    #[arg(long, value_names = ["MIN", "MAX", "LEN"], num_args = 3, help_heading = "Input")]
    pub sym_args: Option<Vec<usize>>,
    /// Make a file of up to LEN bytes symbolic. Without NAME it is the file that the next @@ in ARGS stands for;
    /// with NAME the program opens it by that name (and runs in a scratch directory); may be repeated
    #[arg(long, value_name = "[NAME] LEN", help_heading = "Input")]
    pub sym_file: Vec<FileArg>,
    /// Keep the lengths of standard input and files concrete
    #[arg(long, help_heading = "Input")]
    pub fixed_length: bool,
}

impl InputArgs {
    /// Returns the settings.
    pub fn settings(&self) -> SymbolicInput {
        SymbolicInput {
            stdin: self.sym_stdin,
            args: self.sym_arg.clone(),
            args_range: self.sym_args.clone(),
            files: self.sym_file.clone(),
            fixed_length: self.fixed_length,
        }
    }
}

/// Limits and rights of the program.
#[derive(Args, Clone, Debug)]
pub struct SandboxArgs {
    /// Memory limit of one execution, in MiB
    #[arg(long, value_name = "MIB", default_value_t = DEFAULT_MEMORY, help_heading = "Safety", value_parser = positive)]
    pub memory: u64,
    /// Size limit of an execution's scratch directory, in MiB; at most 16,384 files in any case
    #[arg(long, value_name = "MIB", default_value_t = DEFAULT_SCRATCH, help_heading = "Safety", value_parser = positive)]
    pub scratch_size: u64,
    /// Run the program in its scratch directory instead of the working directory, so that it can create files beside
    /// itself; they are deleted after each execution
    #[arg(long, help_heading = "Safety")]
    pub scratch: bool,
    /// Let the program read PATH, a file or directory in your home; may be repeated. Without this it reads nothing there
    /// but the working directory, its own file and libraries, and what the command line names
    #[arg(long, value_name = "PATH", help_heading = "Safety")]
    pub read: Vec<PathBuf>,
    /// Run the program without the sandbox: it can do all that you can do (write files, use the network, send signals)
    #[arg(long, help_heading = "Safety")]
    pub no_sandbox: bool,
    /// Refuse to run the program if a part of the sandbox is missing on this system
    #[arg(long, help_heading = "Safety", conflicts_with = "no_sandbox")]
    pub require_sandbox: bool,
    /// Fork a process for every execution (no persistent mode)
    #[arg(long, help_heading = "Safety")]
    pub fork_each: bool,
}

impl SandboxArgs {
    /// Returns the settings.
    pub fn settings(&self) -> SandboxSettings {
        SandboxSettings {
            memory: self.memory,
            scratch_size: self.scratch_size,
            scratch: self.scratch,
            read: self.read.clone(),
            no_sandbox: self.no_sandbox,
            require_sandbox: self.require_sandbox,
            fork_each: self.fork_each,
        }
    }
}

/// A target and what it is run with.
#[derive(Args, Debug)]
pub struct SubjectArgs {
    /// A program built with `cairn cc`, or files to compile on the fly: C, C++, preprocessed (.i, .ii), LLVM IR (.bc, .ll)
    #[arg(required = true, value_name = "TARGET|FILE.c")]
    pub target: Vec<PathBuf>,
    /// Arguments of the program; @@ stands for the path of a symbolic file
    #[arg(last = true, value_name = "ARGS")]
    pub args: Vec<OsString>,
    /// The symbolic input.
    #[command(flatten)]
    pub input: InputArgs,
    /// Start from this file (raw bytes, or .ktest), the files of this directory, or all inputs of this campaign directory
    /// (Cairn's or AFL++'s: queue, crashes and hangs); may be repeated
    #[arg(long, value_name = "PATH", help_heading = "Input")]
    pub seeds: Vec<PathBuf>,
    /// Limits and rights of the program.
    #[command(flatten)]
    pub sandbox: SandboxArgs,
}

impl SubjectArgs {
    /// Returns the settings.
    pub fn settings(&self) -> Subject {
        Subject {
            target: self.target.clone(),
            args: self.args.clone(),
            are_args_untrusted: false,
            input: self.input.settings(),
            seeds: self.seeds.clone(),
            sandbox: self.sandbox.settings(),
        }
    }
}

/// The target that tests are for; a campaign directory knows it.
#[derive(Args, Debug)]
pub struct NamedArgs {
    /// The program, built with `cairn cc` or as C files; by default the campaign's
    #[arg(value_name = "TARGET|FILE.c")]
    pub target: Vec<PathBuf>,
    /// Arguments of the program; @@ stands for the path of a symbolic file
    #[arg(last = true, value_name = "ARGS", requires = "target")]
    pub args: Vec<OsString>,
    /// Run the tests on this program, with the input and arguments recorded in DIR; required if DIR is not from a
    /// campaign of yours
    #[arg(long, value_name = "PATH", conflicts_with = "target")]
    pub program: Option<PathBuf>,
    /// The symbolic input.
    #[command(flatten)]
    pub input: InputArgs,
    /// Limits and rights of the program.
    #[command(flatten)]
    pub sandbox: SandboxArgs,
}

impl NamedArgs {
    /// Returns the settings with absolute paths, which mean the same from any directory.
    pub fn settings(&self) -> std::io::Result<NamedSubject> {
        let subject = Subject {
            target: self.target.iter().map(std::path::absolute).collect::<Result<_, _>>()?,
            args: self.args.clone(),
            are_args_untrusted: false,
            input: self.input.settings(),
            seeds: Vec::new(),
            sandbox: self.sandbox.settings(),
        };
        let program = self.program.as_ref().map(std::path::absolute).transpose()?;
        Ok(NamedSubject { subject, program })
    }
}

/// Limits of single steps of a campaign.
#[derive(Args, Debug)]
pub struct LimitArgs {
    /// Time limit of one execution, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1000, help_heading = "Budget")]
    #[arg(value_parser = positive)]
    pub timeout: u64,
    /// Time limit of one solver query, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 1000, help_heading = "Budget")]
    #[arg(value_parser = positive)]
    pub solver_timeout: u64,
}

impl LimitArgs {
    /// Returns the settings.
    pub fn settings(&self) -> StepLimits {
        StepLimits { timeout: self.timeout, solver_timeout: self.solver_timeout }
    }
}
