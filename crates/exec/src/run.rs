//! A run: the mode it is made in, and its outcome.

use crate::access::Access;
use crate::control::Recorded;
use crate::exit_kind::ExitKind;
use crate::input::Input;
use cairn_wire::control::{flag, mode};
use std::path::PathBuf;
use std::time::Duration;

/// Parts of the trace that a run should record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Mode {
    /// Label the input; record labels and events.
    pub trace: bool,
    /// Record every labelled value too, for comparison with the evaluator.
    pub check: bool,
    /// Record every lost value, with its site.
    pub diagnose: bool,
    /// Record every branch taken.
    pub log: bool,
    /// Record the callees of calls through pointers.
    pub callees: bool,
    /// Record what producers return.
    pub produced: bool,
}

impl Mode {
    /// Record only coverage.
    pub const NATIVE: Mode =
        Mode { trace: false, check: false, diagnose: false, log: false, callees: false, produced: false };
    /// Record the path.
    pub const TRACE: Mode = Mode { trace: true, ..Mode::NATIVE };
    /// Record the path and every labelled value.
    pub const CHECK: Mode = Mode { check: true, ..Mode::TRACE };
    /// Record the path and every loss.
    pub const DIAGNOSE: Mode = Mode { diagnose: true, ..Mode::TRACE };
    /// Record the path, every branch and every callee.
    pub const LOG: Mode = Mode { log: true, callees: true, ..Mode::TRACE };

    /// Returns the mode as bits of the control page.
    pub(crate) fn bits(self) -> u32 {
        let bit = |set: bool, bit: u32| if set { bit } else { 0 };
        bit(self.trace, mode::TRACE)
            | bit(self.check, mode::CHECK)
            | bit(self.diagnose, mode::DIAGNOSE)
            | bit(self.log, mode::LOG)
            | bit(self.callees, mode::CALLEES)
            | bit(self.produced, mode::PRODUCED)
    }
}

/// Bound after which a run is stopped, before its limits are reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunBound {
    /// Longest time it may take.
    pub time: Duration,
    /// Events that its trace may have. Looked at now and then: a run that ends soon may have more.
    pub events: u64,
}

impl RunBound {
    /// No bound but the limits.
    pub const NONE: RunBound = RunBound { time: Duration::MAX, events: u64::MAX };
}

/// The part of a bound that stopped a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StoppedBy {
    /// Its time.
    Time,
    /// Its number of events.
    Events,
}

/// Limitations of a run's trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RunFlags {
    /// The label table was full: the trace is a prefix of the run's path.
    pub labels_full: bool,
    /// The event log was full: the trace is a prefix of the run's path.
    pub events_full: bool,
    /// The program asked for more input objects than fit.
    pub objects_full: bool,
    /// Several threads computed with the input.
    pub threads: bool,
    /// The program forked; its child processes record nothing.
    pub forked: bool,
    /// The branch log was full: later branches are missing.
    pub log_full: bool,
    /// The branch log was requested, but the system does not allow branch patching.
    pub no_log: bool,
    /// The target overwrote the shared memory: the trace is implausible.
    pub damaged: bool,
    /// Number of lost values, which were used as constants without a constraint.
    pub lost: u32,
    /// Number of labelled bytes that uninstrumented code has overwritten.
    pub stale: u64,
}

/// The outcome of one run of the program.
#[derive(Clone, Debug)]
pub struct Run {
    /// The way it ended.
    pub end: ExitKind,
    /// Coverage bytes, one for each side, nonzero if the run took it.
    pub coverage: Vec<u8>,
    /// The input as the program saw it, with the objects it asked for.
    pub input: Input,
    /// CPU time it used.
    pub cpu: Duration,
    /// Its peak resident size in KiB.
    pub max_rss_kib: u32,
    /// Limitations of its trace.
    pub flags: RunFlags,
    /// True if its process had made another run before, in persistent mode.
    pub reused: bool,
    /// Stack of a fatal signal: code addresses relative to the program's start, innermost first. Empty if
    /// there was no signal, or the stack is unknown.
    pub crash: Vec<u64>,
    /// Invalid access that caused the signal, if any.
    pub access: Option<Access>,
    /// Message of the C library before it aborted; empty if there is none.
    pub message: String,
    /// First file in the user's home that it tried to open and that the sandbox hides.
    pub denied: Option<PathBuf>,
    /// Standard output, if captured.
    pub stdout: Vec<u8>,
    /// Standard error, if captured.
    pub stderr: Vec<u8>,
}

/// The outcome of a run for its coverage alone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoverageRun {
    /// The way it ended.
    pub end: ExitKind,
    /// Stack of a fatal signal, as in [`Run::crash`].
    pub crash: Vec<u64>,
    /// True if a limit below that of the specification stopped it before it had used as much CPU time: the machine
    /// is busy, and it may not be slow.
    pub is_starved: bool,
    /// Values of the producer that were asked for, in order.
    pub produced: Vec<ProducedValue>,
}

/// A value that a producer has returned, and the program's reaction to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProducedValue {
    /// The value.
    pub value: u64,
    /// Branches that the program took until it asked for the next value, by their numbers; none if it never did.
    pub reaction: Option<Vec<u32>>,
}

impl Run {
    /// Returns a run about which nothing is known.
    pub fn of_nothing(input: &Input) -> Run {
        let (coverage, crash, access, message) = Default::default();
        let (flags, reused, denied, stdout, stderr, max_rss_kib) = Default::default();
        let (end, input, cpu) = (ExitKind::Exit(0), input.clone(), Duration::ZERO);
        Run {
            end,
            coverage,
            input,
            cpu,
            max_rss_kib,
            flags,
            reused,
            crash,
            access,
            message,
            denied,
            stdout,
            stderr,
        }
    }
}

impl RunFlags {
    /// Returns the limitations that a run has recorded.
    pub(crate) fn of(recorded: Recorded) -> RunFlags {
        RunFlags {
            labels_full: recorded.flags & flag::LABELS_FULL != 0,
            events_full: recorded.flags & flag::EVENTS_FULL != 0,
            objects_full: recorded.flags & flag::OBJECTS_FULL != 0,
            threads: recorded.flags & flag::THREADS != 0,
            forked: recorded.flags & flag::FORKED != 0,
            log_full: recorded.flags & flag::LOG_FULL != 0,
            no_log: recorded.flags & flag::NO_LOG != 0,
            damaged: recorded.damaged,
            lost: recorded.lost,
            stale: recorded.stale,
        }
    }
}
