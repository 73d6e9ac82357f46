//! Exit kinds: the ways a run can end.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// The way a run ended. Whether it is a finding, and where its test is kept, follows from the variant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ExitKind {
    /// The program ended by itself with this code.
    Exit(i32),
    /// A signal killed it.
    Signal(i32),
    /// The time limit was exceeded.
    Timeout,
    /// The memory limit was exceeded.
    OutOfMemory,
    /// The limit on processes was exceeded.
    TooManyProcesses,
    /// The limit on the scratch directory was exceeded.
    OutOfScratch,
    /// The program called `cairn_assume` with a false condition: the user does not want this input.
    Rejected,
}

/// Severity of the end of a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Severity {
    /// The input was rejected.
    Rejected,
    /// Nothing is wrong.
    Ok,
    /// The program does not end in time.
    Hang,
    /// The program crashes, or exceeds its resources.
    Crash,
}

impl ExitKind {
    /// Returns the exit kind of a `waitpid` status.
    pub fn from_wait_status(status: i32) -> ExitKind {
        let status = ExitStatus::from_raw(status);
        match status.signal() {
            Some(signal) => ExitKind::Signal(signal),
            None => ExitKind::Exit(status.code().unwrap_or(0)),
        }
    }

    /// Returns its severity.
    pub fn severity(self) -> Severity {
        match self {
            ExitKind::Exit(_) => Severity::Ok,
            ExitKind::Signal(_)
            | ExitKind::OutOfMemory
            | ExitKind::TooManyProcesses
            | ExitKind::OutOfScratch => Severity::Crash,
            ExitKind::Timeout => Severity::Hang,
            ExitKind::Rejected => Severity::Rejected,
        }
    }

    /// True if the driver ended the run for a limit: how far it came is not deterministic.
    pub fn is_excess(self) -> bool {
        matches!(
            self,
            ExitKind::Timeout | ExitKind::OutOfMemory | ExitKind::TooManyProcesses | ExitKind::OutOfScratch
        )
    }

    /// True if it ended by `SIGKILL`, from outside or by the program itself.
    pub fn is_kill(self) -> bool {
        self == ExitKind::Signal(libc::SIGKILL)
    }

    /// True if it is reported to the user.
    pub fn is_finding(self) -> bool {
        matches!(self.severity(), Severity::Crash | Severity::Hang)
    }

    /// Returns the part of a test's file name that describes its end, as AFL does.
    pub fn suffix(self) -> String {
        match self {
            ExitKind::Exit(code) => format!("exit:{code:03}"),
            ExitKind::Signal(signal) => format!("sig:{signal:02}"),
            ExitKind::Timeout => "hang".to_owned(),
            ExitKind::OutOfMemory => "oom".to_owned(),
            ExitKind::TooManyProcesses => "forks".to_owned(),
            ExitKind::OutOfScratch => "disk".to_owned(),
            ExitKind::Rejected => "rejected".to_owned(),
        }
    }
}

impl fmt::Display for ExitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExitKind::Exit(code) => write!(f, "exit code {code}"),
            ExitKind::Signal(signal) => match signal_name(*signal) {
                Some(name) => write!(f, "killed by {name}"),
                None => write!(f, "killed by signal {signal}"),
            },
            ExitKind::Timeout => write!(f, "time limit reached"),
            ExitKind::OutOfMemory => write!(f, "memory limit reached"),
            ExitKind::TooManyProcesses => write!(f, "too many processes"),
            ExitKind::OutOfScratch => write!(f, "limit of the scratch directory reached"),
            ExitKind::Rejected => write!(f, "rejected by cairn_assume"),
        }
    }
}

/// Returns the name of a signal, such as `SIGSEGV`.
pub fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        libc::SIGHUP => "SIGHUP",
        libc::SIGINT => "SIGINT",
        libc::SIGQUIT => "SIGQUIT",
        libc::SIGILL => "SIGILL",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGKILL => "SIGKILL",
        libc::SIGUSR1 => "SIGUSR1",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGUSR2 => "SIGUSR2",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGALRM => "SIGALRM",
        libc::SIGTERM => "SIGTERM",
        libc::SIGSTKFLT => "SIGSTKFLT",
        libc::SIGXCPU => "SIGXCPU",
        libc::SIGXFSZ => "SIGXFSZ",
        libc::SIGVTALRM => "SIGVTALRM",
        libc::SIGPROF => "SIGPROF",
        libc::SIGIO => "SIGIO",
        libc::SIGPWR => "SIGPWR",
        libc::SIGSYS => "SIGSYS",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wait_statuses_become_ends() {
        assert_eq!(ExitKind::from_wait_status(3 << 8), ExitKind::Exit(3));
        assert_eq!(ExitKind::from_wait_status(libc::SIGSEGV), ExitKind::Signal(libc::SIGSEGV));
        assert_eq!(
            ExitKind::from_wait_status(libc::SIGABRT | 0x80),
            ExitKind::Signal(libc::SIGABRT),
            "with a core dump"
        );
    }

    #[test]
    fn only_crashes_and_hangs_are_findings() {
        let findings =
            [ExitKind::Exit(1), ExitKind::Signal(libc::SIGFPE), ExitKind::Timeout, ExitKind::Rejected]
                .map(ExitKind::is_finding);
        assert_eq!(findings, [false, true, true, false]);
    }
}
