//! The specification of a target: program, arguments, symbolic input, limits.

use crate::input::{Input, Object};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// An argument of the program, after its own name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Arg {
    /// These bytes.
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
    /// Initial and largest length.
    pub len: usize,
}

/// Destination of the program's output.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Output {
    /// `/dev/null`.
    #[default]
    Discard,
    /// Captured for each run.
    Capture,
    /// The driver's own output.
    Inherit,
}

/// A program and its environment.
#[derive(Clone, Debug)]
pub struct TargetSpec {
    /// The executable.
    pub path: PathBuf,
    /// Its arguments.
    pub args: Vec<Arg>,
    /// Number of the last arguments, all of them symbolic, that may be missing.
    pub optional_args: u8,
    /// True if all input keeps its initial length.
    pub fixed_length: bool,
    /// Length of standard input, if it is symbolic.
    pub stdin: Option<usize>,
    /// Symbolic files. They live in a scratch directory, which becomes the working directory of the
    /// program unless each is named by `@@` in some argument.
    pub files: Vec<SymbolicFile>,
    /// Environment variables on top of the driver's own.
    pub env: Vec<(OsString, OsString)>,
    /// Bytes of the program's coverage section: its sides.
    pub coverage: usize,
    /// Longest time one run may take.
    pub timeout: Duration,
    /// Destination of the program's output.
    pub output: Output,
    /// True if persistent mode is allowed.
    pub reuse: bool,
    /// True if the program runs in the sandbox; see [`crate::Protection`].
    pub sandbox: bool,
    /// True if the program runs in its scratch directory even if it opens no symbolic file there.
    pub in_scratch: bool,
    /// Working directory of a tool, such as a compiler, whose readable files are then needed like its own; the
    /// driver's if there is none.
    pub directory: Option<PathBuf>,
    /// A directory that the program may write to, besides its scratch directory.
    pub writable: Option<PathBuf>,
    /// Files and directories in the user's home that the program may read. Its own file and the working
    /// directory are always readable.
    pub readable: Vec<PathBuf>,
    /// Number of sites, if known: a program that reports another number is refused.
    pub sites: Option<u32>,
}

impl TargetSpec {
    /// Returns a specification with no arguments and no symbolic input.
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
            directory: None,
            writable: None,
            readable: Vec::new(),
            sites: None,
        }
    }

    /// Returns an input with the specified objects, all zeros.
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

    /// True if some argument names the symbolic file of this number.
    pub(crate) fn names_file(&self, number: usize) -> bool {
        self.args.iter().any(|a| matches!(a, Arg::File(_, named) if *named == number))
    }

    /// True if the program runs in the scratch directory: it opens a symbolic file there, or it is specified.
    pub(crate) fn runs_in_scratch(&self) -> bool {
        self.in_scratch || !(0..self.files.len()).all(|number| self.names_file(number))
    }
}

/// Sizes and limits of every run of a server.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Labels of one run. Memory is used only as labels are.
    pub labels: u32,
    /// Events of one run.
    pub events: u32,
    /// Steps that are decoded from the trace of one run that ended by itself.
    pub steps: usize,
    /// Input bytes of one run.
    pub input_bytes: u64,
    /// Bytes of snapshots of one run.
    pub snapshot_bytes: u64,
    /// Words of the branch log of one run.
    pub log_words: u64,
    /// Bytes that the expressions of one run may take in the driver.
    pub expression_bytes: u64,
    /// Longest time the program may take to become ready.
    pub startup: Duration,
    /// Bytes of memory one run may use.
    pub memory: u64,
    /// Processes one run may have at a time.
    pub processes: usize,
    /// Largest file a run may write, in bytes.
    pub file_bytes: u64,
    /// Space one run may take in its scratch directory.
    pub scratch: ScratchSpace,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            labels: 16 << 20,
            events: 8 << 20,
            steps: 8 << 20,
            input_bytes: 64 << 20,
            snapshot_bytes: 64 << 20,
            log_words: 16 << 20,
            expression_bytes: 1 << 30,
            startup: Duration::from_secs(10),
            memory: 1 << 30,
            processes: 256,
            file_bytes: 256 << 20,
            scratch: ScratchSpace { bytes: 1 << 30, entries: 1 << 14 },
        }
    }
}

/// Bytes that a label takes: its row in the trace, two more in cached tables with its state
/// (`decode/prefix_cache.rs`), and one in the buffer for rows.
const LABEL_BYTES: u64 = 24 + 2 * (24 + 8) + 24;
/// Bytes that an event takes: in the trace, in a copy of it, and decoded.
const EVENT_BYTES: u64 = 16 + 16 + 16;
/// Bytes that a byte of snapshots takes: in the trace and loaded.
const SNAPSHOT_BYTES: u64 = 2;
/// Bytes that a word of the branch log takes: in the trace, in a copy of it, and as the end of a piece.
const LOG_BYTES: u64 = 4 + 4 + 16;
/// Bytes that a step takes once it is decoded: in the trace, in the path, and in the tree with its decision.
const STEP_BYTES: u64 = 32 + 40 + 64;
/// Share of the driver's memory that traces may take; a chosen bound.
const TRACE_SHARE: (u64, u64) = (3, 4);
/// Reciprocal of the share that the expressions of one run may take, and of that of its steps; a chosen bound.
const EXPRESSION_SHARE: u64 = 16;
/// Reciprocal of the share that the input of one run may take, of which there are several copies; a chosen
/// bound.
const INPUT_SHARE: u64 = 64;
/// Input that a run may have in any case; a chosen bound.
const MIN_INPUT: u64 = 2 << 20;

impl Limits {
    /// Reduces traces so that a driver of `servers` with this much memory can read them, whatever a program
    /// writes there.
    pub fn within(mut self, memory: u64, servers: u64) -> Limits {
        let share = memory / TRACE_SHARE.1 * TRACE_SHARE.0 / servers.max(1);
        let all = u64::from(self.labels) * LABEL_BYTES
            + u64::from(self.events) * EVENT_BYTES
            + self.snapshot_bytes * SNAPSHOT_BYTES
            + self.log_words * LOG_BYTES;
        self.expression_bytes = self.expression_bytes.min(memory / EXPRESSION_SHARE);
        self.steps = self.steps.min((memory / EXPRESSION_SHARE / STEP_BYTES) as usize);
        let input = (memory / INPUT_SHARE / servers.max(1)).max(MIN_INPUT);
        self.input_bytes = self.input_bytes.min(input);
        if share < all {
            let scaled = |size: u64| (u128::from(size) * u128::from(share) / u128::from(all)) as u64;
            self.labels = scaled(self.labels.into()) as u32;
            self.events = scaled(self.events.into()) as u32;
            self.snapshot_bytes = scaled(self.snapshot_bytes);
            self.log_words = scaled(self.log_words);
        }
        self
    }
}

/// Space in a scratch directory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ScratchSpace {
    /// Bytes on the disk.
    pub bytes: u64,
    /// Directory entries: files, directories and others.
    pub entries: u64,
}

impl ScratchSpace {
    /// True if it exceeds `limit` in either respect.
    pub(crate) fn exceeds(&self, limit: &ScratchSpace) -> bool {
        self.bytes > limit.bytes || self.entries > limit.entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_fit_the_drivers_memory() {
        let usual = Limits::default();
        let same = usual.within(4 << 30, 1);
        assert_eq!(
            (same.labels, same.events, same.input_bytes),
            (usual.labels, usual.events, usual.input_bytes)
        );
        let small = usual.within(512 << 20, 1);
        assert!(small.steps < same.steps && small.steps > 200_000, "{small:?}");
        assert!((1 << 20..4 << 20).contains(&small.labels), "{small:?}");
        let shared = usual.within(512 << 20, 4);
        assert!(shared.labels <= small.labels / 4 && shared.snapshot_bytes <= small.snapshot_bytes / 4);
        assert_eq!(usual.within(64 << 20, 64).input_bytes, MIN_INPUT);
    }
}
