//! Nothing that a run without a fork server has started outlives it.
//!
//! ```text
//! driver ── keeper ── run ── whatever it starts
//! ```
//!
//! The keeper adopts what its descendants leave behind. When the run has ended, or the driver asks for its end or dies, it
//! kills all of them; then it ends as the run did. It is the driver's own image, which never comes to `exec`, so it may make
//! system calls and nothing else. The runtime has the same for fork servers (`runtime/src/keeper.rs`).

use crate::sandbox::{Sandbox, Wall};
use rustix::process::{Signal, set_parent_process_death_signal};
use std::io;
use std::mem::zeroed;
use std::ptr::null_mut;

/// What a run's processes are kept in.
pub(crate) struct Keeper {
    sandbox: Option<Sandbox>,
    /// Keeps the run from its keeper. With it a signal to everybody reaches what descends from the keeper, all at once.
    wall: Option<Wall>,
}

impl Keeper {
    /// A keeper of runs in this sandbox.
    pub(crate) fn of(sandbox: Option<Sandbox>) -> Keeper {
        let seals = sandbox.as_ref().is_some_and(|sandbox| sandbox.protection.signals);
        Keeper { sandbox, wall: seals.then(Wall::prepare).flatten() }
    }

    /// Splits the calling process, a fork of the driver, in two; returns in the run. Makes system calls only.
    pub(crate) fn split(&mut self) -> io::Result<()> {
        set_parent_process_death_signal(Some(Signal::TERM))?;
        let mask = hold_signals()?;
        // SAFETY: sets an attribute of this process.
        unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) };
        self.sandbox.as_mut().map_or(Ok(()), Sandbox::enter)?;
        // SAFETY: the process has one thread, being the child of a fork, and only makes system calls.
        match unsafe { libc::fork() } {
            -1 => Err(io::Error::last_os_error()),
            0 => self.begin_run(&mask),
            run => self.keep(run),
        }
    }

    fn begin_run(&mut self, mask: &libc::sigset_t) -> io::Result<()> {
        // Whoever waits for it may be killed.
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // SAFETY: a group of its own, and the signals as they were.
        unsafe {
            libc::setpgid(0, 0);
            libc::sigprocmask(libc::SIG_SETMASK, mask, null_mut());
        }
        self.wall.take().map_or(Ok(()), Wall::enter)
    }

    /// Waits for the run's end, or for being asked to make it one.
    fn keep(&self, run: libc::pid_t) -> ! {
        // SAFETY: closes what the run has as well, among it the pipe by which the driver hears that it has begun.
        unsafe { libc::syscall(libc::SYS_close_range, 0, libc::c_uint::MAX, 0) };
        let status = loop {
            if wait_for_signal() == libc::SIGTERM {
                break libc::SIGKILL;
            }
            if let Some(status) = buried(run) {
                break status;
            }
        };
        sweep(self.wall.is_some());
        end_like(status)
    }
}

/// The signals a keeper waits for.
fn heard() -> libc::sigset_t {
    // SAFETY: a set of signals is plain data, and is made empty first.
    unsafe {
        let mut heard = zeroed();
        libc::sigemptyset(&mut heard);
        libc::sigaddset(&mut heard, libc::SIGTERM);
        libc::sigaddset(&mut heard, libc::SIGCHLD);
        heard
    }
}

/// Has them wait until they are asked for; gives the mask as it was.
fn hold_signals() -> io::Result<libc::sigset_t> {
    // SAFETY: the sets are ours.
    unsafe {
        let mut before = zeroed();
        // Whoever ignores this signal is not told of its children's ends.
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        match libc::sigprocmask(libc::SIG_BLOCK, &heard(), &mut before) {
            0 => Ok(before),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

fn wait_for_signal() -> libc::c_int {
    // SAFETY: the set is ours, and nobody wants to know more than the number.
    unsafe { libc::sigwaitinfo(&heard(), null_mut()) }
}

/// Buries children that have ended; the wait status of this one, if it is among them.
fn buried(run: libc::pid_t) -> Option<libc::c_int> {
    loop {
        let mut status = 0;
        // SAFETY: asks after our own children.
        match unsafe { libc::waitpid(-1, &mut status, libc::WNOHANG) } {
            // One that has made us its debugger stops, and has not ended.
            pid if pid == run && !libc::WIFSTOPPED(status) => return Some(status),
            pid if pid <= 0 => return None,
            _ => {}
        }
    }
}

/// Kills all descendants, and waits until they are gone.
fn sweep(sealed: bool) {
    loop {
        // Believed only while a signal to the parent is refused: this one is to reach what is below, and nobody else.
        // SAFETY: the first signal is none, it asks whether one could be sent.
        let sealed = sealed && unsafe { libc::kill(libc::getppid(), 0) } < 0 && errno() == libc::EPERM;
        if sealed {
            // SAFETY: reaches every process below this one and, as was checked just now, no other.
            unsafe { libc::kill(-1, libc::SIGKILL) };
        } else if !kill_children() {
            return;
        }
        // SAFETY: waits for one of our own children, which are dying; theirs are ours then.
        if unsafe { libc::waitpid(-1, null_mut(), 0) } < 0 && errno() == libc::ECHILD {
            return;
        }
    }
}

/// Kills all children; false if nobody knows which there are.
fn kill_children() -> bool {
    let mut text = [0u8; 4096];
    // SAFETY: a file that is read to a buffer of this size, and closed.
    let length = unsafe {
        let file = libc::open(c"/proc/thread-self/children".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        let length = libc::read(file, text.as_mut_ptr().cast(), text.len());
        libc::close(file);
        length
    };
    let Some(text) = usize::try_from(length).ok().and_then(|length| text.get(..length)) else { return false };
    // A number that was cut off at the end is not one of a child.
    let words = text.split_inclusive(|byte| *byte == b' ').filter_map(|word| word.strip_suffix(b" "));
    for child in words.filter_map(|word| str::from_utf8(word).ok()?.parse().ok()) {
        // SAFETY: a child of ours that nobody has waited for: the number is no other process's.
        unsafe { libc::kill(child, libc::SIGKILL) };
    }
    true
}

/// The driver sees one process, which is to end as the run did.
fn end_like(status: libc::c_int) -> ! {
    if libc::WIFSIGNALED(status) {
        // SAFETY: a signal to this process, with its default effect, that nothing holds back.
        unsafe {
            let mut all: libc::sigset_t = zeroed();
            libc::sigfillset(&mut all);
            libc::signal(libc::WTERMSIG(status), libc::SIG_DFL);
            libc::raise(libc::WTERMSIG(status));
            libc::sigprocmask(libc::SIG_UNBLOCK, &all, null_mut());
        }
    }
    // SAFETY: ends the process.
    unsafe { libc::_exit(libc::WEXITSTATUS(status)) }
}

fn errno() -> libc::c_int {
    // SAFETY: the address of this thread's own number.
    unsafe { *libc::__errno_location() }
}
