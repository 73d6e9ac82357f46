//! How the user wants the program to be run.

use crate::input::{Input, Object};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// One argument of the program, after its own name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Arg {
    /// These very bytes.
    Literal(OsString),
    /// Text in which every `@@` stands for the path of the symbolic file of this number.
    File(String, usize),
    /// An input object of at most this many bytes.
    Symbolic(usize),
}

/// A file whose content is input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SymbolicFile {
    /// Its name: the end of the path that `@@` stands for, or what the program opens by itself.
    pub name: String,
    /// How long it is to begin with, and at most.
    pub len: usize,
}

/// What happens to what the program prints.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Output {
    /// It goes to `/dev/null`.
    #[default]
    Discard,
    /// Every run brings back its own.
    Capture,
    /// It goes where the driver's own goes.
    Inherit,
}

/// A program and everything about its surroundings.
#[derive(Clone, Debug)]
pub struct TargetSpec {
    /// The executable.
    pub path: PathBuf,
    /// Its arguments.
    pub args: Vec<Arg>,
    /// How many of the last arguments, all of them symbolic, may be missing.
    pub optional_args: u8,
    /// Whether all input keeps the length it begins with.
    pub fixed_length: bool,
    /// Length of a symbolic standard input, if it is one.
    pub stdin: Option<usize>,
    /// Symbolic files. They live in a scratch directory, which becomes the working directory of the
    /// program unless each is named by `@@` in some argument.
    pub files: Vec<SymbolicFile>,
    /// Environment variables on top of the driver's own.
    pub env: Vec<(OsString, OsString)>,
    /// Bytes of the program's coverage section: its branches.
    pub coverage: usize,
    /// Longest time one run may take.
    pub timeout: Duration,
    /// Where the program's output goes.
    pub output: Output,
    /// Whether one process may make many runs, where what they leave behind can be undone.
    pub reuse: bool,
    /// Whether the program is kept from harm: see [`crate::Protection`].
    pub sandbox: bool,
    /// Whether the program runs in its scratch directory even if it opens no symbolic file there.
    pub in_scratch: bool,
    /// A directory that the program may write to beside its scratch directory.
    pub writable: Option<PathBuf>,
    /// Files and directories that the program may read although they lie in the user's home. Its own file and the
    /// working directory need not be named.
    pub readable: Vec<PathBuf>,
    /// Sites of the program, if the caller knows: one that says to have others is refused.
    pub sites: Option<u32>,
}

impl TargetSpec {
    /// The program with no arguments and no symbolic input.
    pub fn new(path: impl Into<PathBuf>, coverage: usize) -> TargetSpec {
        TargetSpec {
            path: path.into(),
            args: Vec::new(),
            optional_args: 0,
            fixed_length: false,
            stdin: None,
            files: Vec::new(),
            env: Vec::new(),
            coverage,
            timeout: Duration::from_secs(1),
            output: Output::Discard,
            reuse: true,
            sandbox: true,
            in_scratch: false,
            writable: None,
            readable: Vec::new(),
            sites: None,
        }
    }

    /// An input of the shape asked for, all zeros.
    pub fn blank_input(&self) -> Input {
        let limit = |len: usize| if self.fixed_length { 0 } else { len };
        let stdin = self.stdin.map(|len| Object::stdin(vec![0; len]).up_to(limit(len)));
        let files = self.files.iter().map(|f| Object::file(&f.name, vec![0; f.len]).up_to(limit(f.len)));
        let args = self.args.iter().enumerate().filter_map(|(i, arg)| match arg {
            Arg::Symbolic(len) => Some(Object::arg(i as u32 + 1, vec![0; *len])),
            Arg::Literal(_) | Arg::File(..) => None,
        });
        let always = 1 + self.args.len() as u32 - u32::from(self.optional_args);
        let count = Object::arg_count(always, self.optional_args, self.optional_args);
        let count = (self.optional_args > 0).then_some(count);
        Input { objects: stdin.into_iter().chain(files).chain(args).chain(count).collect() }
    }

    /// Whether some argument names the symbolic file of this number.
    pub(crate) fn names_file(&self, number: usize) -> bool {
        self.args.iter().any(|a| matches!(a, Arg::File(_, named) if *named == number))
    }

    /// Whether the program runs in the scratch directory: it looks for a symbolic file there, or it is wanted to.
    pub(crate) fn runs_in_scratch(&self) -> bool {
        self.in_scratch || !(0..self.files.len()).all(|number| self.names_file(number))
    }
}

/// Sizes and limits that hold for every run of a server.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Labels one run can make. Memory is used only as labels are.
    pub labels: u32,
    /// Events one run can record.
    pub events: u32,
    /// Input bytes one run can have.
    pub input_bytes: u64,
    /// Bytes of memory behind symbolic addresses one run can keep.
    pub snapshot_bytes: u64,
    /// Words of the branch log of one run.
    pub log_words: u64,
    /// Longest time the program may take to become ready.
    pub startup: Duration,
    /// Bytes of memory one run may use.
    pub memory: u64,
    /// Processes one run may have at a time.
    pub processes: usize,
    /// Largest file a run may write, in bytes.
    pub file_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            labels: 16 << 20,
            events: 8 << 20,
            input_bytes: 64 << 20,
            snapshot_bytes: 64 << 20,
            log_words: 16 << 20,
            startup: Duration::from_secs(10),
            memory: 1 << 30,
            processes: 256,
            file_bytes: 256 << 20,
        }
    }
}
