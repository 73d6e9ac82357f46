//! The ways a run can end.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// How a run ended. Everything that depends on it (where a test is kept, whether it is a finding)
/// follows from the variant.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ExitKind {
    /// The program ended by itself with this code.
    Exit(i32),
    /// A signal killed it.
    Signal(i32),
    /// It was still running when its time was up.
    Timeout,
    /// It took more memory than it may.
    OutOfMemory,
    /// It started more processes than it may.
    TooManyProcesses,
    /// It wrote more to its scratch directory than it may.
    OutOfScratch,
    /// It called `cairn_assume` with a false condition: the input is none the user wants.
    Rejected,
}

/// What a run's end means to the user.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Severity {
    /// The input is no input of the program.
    Rejected,
    /// Nothing is wrong.
    Ok,
    /// The program does not end, or not soon enough.
    Hang,
    /// The program breaks, or takes what nobody has.
    Crash,
}

impl ExitKind {
    /// The end that a `waitpid` status tells of.
    pub fn from_wait_status(status: i32) -> ExitKind {
        let status = ExitStatus::from_raw(status);
        match status.signal() {
            Some(signal) => ExitKind::Signal(signal),
            None => ExitKind::Exit(status.code().unwrap_or(0)),
        }
    }

    /// How bad it is.
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

    /// Whether the driver put an end to it: how far the run came by then is chance.
    pub fn is_excess(self) -> bool {
        matches!(
            self,
            ExitKind::Timeout | ExitKind::OutOfMemory | ExitKind::TooManyProcesses | ExitKind::OutOfScratch
        )
    }

    /// True if it ended by `SIGKILL`: from outside, or by the program itself.
    pub fn is_kill(self) -> bool {
        self == ExitKind::Signal(libc::SIGKILL)
    }

    /// Whether the user should hear of it.
    pub fn is_finding(self) -> bool {
        matches!(self.severity(), Severity::Crash | Severity::Hang)
    }

    /// What a file of such a run has in its name, after AFL's habit.
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

/// The name of a signal, such as `SIGSEGV`.
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
