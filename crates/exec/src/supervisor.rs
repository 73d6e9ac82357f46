//! The supervisor of a target: nothing that the target has started outlives it, and the driver need not know its processes.
//!
//! ```text
//! driver ── keeper ── init ── fork server ── run ── whatever it starts
//! ```
//!
//! Keeper and init are forks of the driver that never come to `exec`: none of the target's code runs in them. The driver
//! knows one process, its own child, and asks it for everything else by signals: `SIGTERM` ends the target with all its
//! processes, `SIGUSR1` is passed on to the fork server, which ends its run. No process number that a target could
//! write is ever used.
//!
//! Init is the first process of a pid namespace: when it ends, the kernel kills all others there. Without such a namespace the keeper is the
//! parent of the target; it adopts what descendants leave behind, and kills all of them. The target, behind a wall of its own, reaches
//! neither.

mod memory;

use crate::sandbox::{Identity, Sandbox, Wall};
use memory::{Maps, call};
use rustix::process::{
    Pid, Resource, Rlimit, Signal, getpid, getppid, kill_process, set_parent_process_death_signal, setrlimit,
    setsid,
};
use std::io;
use std::mem::zeroed;
use std::ptr::null_mut;

/// Stands for all processes that this one may signal, and for any of its children.
const EVERYBODY: libc::pid_t = -1;

/// What a target's processes are kept in.
pub(crate) struct Keeper {
    /// The process that makes it, and that it does not outlive.
    driver: Pid,
    sandbox: Option<Sandbox>,
    /// Keeps the target from its keeper. With it a signal to everybody reaches what descends from the keeper, all at once.
    wall: Option<Wall>,
}

/// A process that looks after another.
struct Level {
    /// The process that it looks after.
    child: libc::pid_t,
    kind: LevelKind,
    /// The list of this process's mappings.
    maps: Maps,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LevelKind {
    /// Looks after the first process of a namespace, which tells by this descriptor how the target ended.
    OfInit { report: libc::c_int },
    /// Is that process.
    Init { report: libc::c_int },
    /// Looks after a target without a namespace; `sealed` if it can kill all descendants at once.
    Alone { sealed: bool },
}

impl Keeper {
    /// A keeper of targets in this sandbox.
    pub(crate) fn of(sandbox: Option<Sandbox>) -> Keeper {
        let seals = sandbox.as_ref().is_some_and(|sandbox| sandbox.protection.signals);
        Keeper { driver: getpid(), sandbox, wall: seals.then(Wall::prepare).flatten() }
    }

    /// Splits the calling process, a fork of the driver, into the keeper, perhaps an init, and the target; returns in
    /// the target. Makes system calls only.
    pub(crate) fn split(&mut self) -> io::Result<()> {
        // A session of its own: a Ctrl-C at the terminal is for the driver alone, and so is what is typed there.
        setsid()?;
        let mask = hold_signals()?;
        let kind = match self.make_namespaces()? {
            Some(report) => LevelKind::Init { report },
            None => {
                die_with(self.driver, Signal::TERM)?;
                // SAFETY: sets an attribute of this process.
                unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) };
                LevelKind::Alone { sealed: self.wall.is_some() }
            }
        };
        self.sandbox.as_mut().map_or(Ok(()), Sandbox::enter)?;
        let (maps, parent) = (Maps::open(), getpid());
        match fork()? {
            0 => self.begin_target(&mask, parent),
            child => Level { child, kind, maps }.keep(),
        }
    }

    /// Makes the namespaces of the sandbox. Returns a second time, in the first process of one of processes, with the
    /// descriptor by which that tells its parent how the target ended; the parent then does not return.
    fn make_namespaces(&mut self) -> io::Result<Option<libc::c_int>> {
        let Some(namespaces) = self.sandbox.as_ref().and_then(|sandbox| sandbox.namespaces.as_ref()) else {
            return Ok(None);
        };
        namespaces.enter()?;
        if !namespaces.has_processes() {
            return Ok(None);
        }
        let mut ends = [0; 2];
        // SAFETY: the kernel writes two descriptors.
        if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC | libc::O_NONBLOCK) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // What init mounts shows no process outside its namespace.
        let maps = Maps::open();
        match fork()? {
            0 => {
                set_parent_process_death_signal(Some(Signal::KILL))?;
                end_if_unread(ends);
                namespaces.begin()?;
                Ok(Some(ends[1]))
            }
            child => {
                die_with(self.driver, Signal::TERM)?;
                Level { child, kind: LevelKind::OfInit { report: ends[0] }, maps }.keep()
            }
        }
    }

    fn begin_target(&mut self, mask: &libc::sigset_t, parent: Pid) -> io::Result<()> {
        // SAFETY: a group of its own, and the signals as they were.
        unsafe {
            libc::setpgid(0, 0);
            libc::sigprocmask(libc::SIG_SETMASK, mask, null_mut());
        }
        let identity = self.sandbox.as_ref().and_then(|sandbox| sandbox.identity.as_ref());
        identity.map_or(Ok(()), Identity::assume)?;
        if self.sandbox.is_some() {
            // Programs of some users may claim a processor for themselves.
            let never = Rlimit { current: Some(0), maximum: Some(0) };
            setrlimit(Resource::Rtprio, never)?;
        }
        // The process that waits for it may be killed. A change of user would have cleared this attribute.
        die_with(parent, Signal::KILL)?;
        self.wall.take().map_or(Ok(()), Wall::enter)
    }
}

/// Has this process get a signal when its parent ends. The kernel does not send it for one that has ended before it was
/// asked to: then it is raised here.
fn die_with(parent: Pid, signal: Signal) -> io::Result<()> {
    set_parent_process_death_signal(Some(signal))?;
    if getppid() != Some(parent) {
        kill_process(getpid(), signal)?;
    }
    Ok(())
}

/// Ends the first process of a namespace if its parent, the reader of the pipe, ended before the signal for that was asked
/// for. The number of a parent outside the namespace is 0 in it, dead or alive.
fn end_if_unread([reader, writer]: [libc::c_int; 2]) {
    let mut poll = libc::pollfd { fd: writer, events: 0, revents: 0 };
    // SAFETY: the descriptors are this process's own, and the kernel writes to `poll` alone.
    unsafe {
        libc::close(reader);
        if libc::poll(&mut poll, 1, 0) == 1 && poll.revents & libc::POLLERR != 0 {
            libc::_exit(0);
        }
    }
}

fn fork() -> io::Result<libc::pid_t> {
    // SAFETY: the process has one thread, being the child of a fork, and only makes system calls.
    match unsafe { libc::fork() } {
        -1 => Err(io::Error::last_os_error()),
        pid => Ok(pid),
    }
}

/// Blocks all signals, so that those a keeper hears wait until they are asked for; gives the mask as it was.
fn hold_signals() -> io::Result<libc::sigset_t> {
    // SAFETY: the sets are ours.
    unsafe {
        let (mut all, mut before) = (zeroed(), zeroed());
        libc::sigfillset(&mut all);
        // A process that ignores this signal never hears of its children's ends.
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        match libc::sigprocmask(libc::SIG_BLOCK, &all, &mut before) {
            0 => Ok(before),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl Level {
    /// Waits for the child's end, or for being asked to make it one. From here on the memory of the driver is gone, and
    /// with it what the C library needs: all system calls are [`call`]s.
    fn keep(self) -> ! {
        let report = match self.kind {
            LevelKind::OfInit { report } | LevelKind::Init { report } => Some(report),
            LevelKind::Alone { .. } => None,
        };
        self.maps.release();
        // Among the others is the pipe by which the driver hears that the target has begun.
        close_all_but(report);
        let (status, is_running) = loop {
            match wait_for_signal() {
                libc::SIGTERM => break (libc::SIGKILL, true),
                libc::SIGUSR1 => kill(self.child, libc::SIGUSR1),
                _ => {}
            }
            if let Some(status) = self.ended() {
                break (status, false);
            }
        };
        match self.kind {
            LevelKind::Init { report } => {
                // The kernel would end them as well, but without adding what they took to what this process took.
                kill(EVERYBODY, libc::SIGKILL);
                while wait(EVERYBODY, 0).0 != -libc::ECHILD {}
                call(libc::SYS_write, [report as usize, &raw const status as usize, size_of_val(&status)]);
                exit(0)
            }
            LevelKind::OfInit { report } => {
                // The number of a child that was waited for may be another process's.
                if is_running {
                    kill(self.child, libc::SIGTERM);
                    wait(self.child, 0);
                }
                let mut told = status;
                call(libc::SYS_read, [report as usize, &raw mut told as usize, size_of_val(&told)]);
                end_like(told)
            }
            LevelKind::Alone { sealed } => {
                sweep(sealed);
                end_like(status)
            }
        }
    }

    /// Reaps children that have ended; the wait status of the one that counts, if it is among them.
    fn ended(&self) -> Option<libc::c_int> {
        loop {
            match wait(-1, libc::WNOHANG) {
                // One that has made us its debugger stops, and has not ended.
                (pid, status) if pid == self.child && !libc::WIFSTOPPED(status) => return Some(status),
                (pid, _) if pid <= 0 => return None,
                _ => {}
            }
        }
    }
}

fn close_all_but(kept: Option<libc::c_int>) {
    let close = |first: usize, last: usize| call(libc::SYS_close_range, [first, last, 0]);
    match kept {
        Some(kept) => {
            close(0, kept as usize - 1);
            close(kept as usize + 1, u32::MAX as usize);
        }
        None => {
            close(0, u32::MAX as usize);
        }
    }
}

/// Waits for one of the signals that a keeper hears.
fn wait_for_signal() -> libc::c_int {
    const fn bit(signal: libc::c_int) -> u64 {
        1 << (signal - 1)
    }
    let heard = bit(libc::SIGTERM) | bit(libc::SIGCHLD) | bit(libc::SIGUSR1);
    call(libc::SYS_rt_sigtimedwait, [&raw const heard as usize, 0, 0, size_of_val(&heard)]) as libc::c_int
}

/// A child that has ended, and its wait status.
fn wait(child: libc::pid_t, options: libc::c_int) -> (libc::pid_t, libc::c_int) {
    let mut status = 0;
    let pid = call(libc::SYS_wait4, [child as usize, &raw mut status as usize, options as usize, 0]);
    (pid as libc::pid_t, status)
}

fn kill(process: libc::pid_t, signal: libc::c_int) {
    call(libc::SYS_kill, [process as usize, signal as usize]);
}

fn exit(code: libc::c_int) -> ! {
    loop {
        call(libc::SYS_exit_group, [code as usize]);
    }
}

/// Kills all descendants, and waits until they are gone.
fn sweep(sealed: bool) {
    loop {
        // Believed only while a signal to the parent is refused: this one is to reach what is below, and no other process.
        let parent = call(libc::SYS_getppid, []);
        let is_sealed = || call(libc::SYS_kill, [parent as usize, 0]) == -libc::EPERM as isize;
        if sealed && is_sealed() {
            kill(EVERYBODY, libc::SIGKILL);
        } else if !kill_children() {
            return;
        }
        if wait(EVERYBODY, 0).0 == -libc::ECHILD {
            return;
        }
    }
}

/// Kills all children; false if the kernel does not tell which there are.
fn kill_children() -> bool {
    let mut text = [0u8; 4096];
    let path = c"/proc/thread-self/children";
    let file = call(libc::SYS_open, [path.as_ptr() as usize, (libc::O_RDONLY | libc::O_CLOEXEC) as usize]);
    let length = call(libc::SYS_read, [file as usize, text.as_mut_ptr() as usize, text.len()]);
    call(libc::SYS_close, [file as usize]);
    let Some(text) = usize::try_from(length).ok().and_then(|length| text.get(..length)) else { return false };
    // A number that was cut off at the end is not one of a child.
    let words = text.split_inclusive(|byte| *byte == b' ').filter_map(|word| word.strip_suffix(b" "));
    for child in words.filter_map(|word| str::from_utf8(word).ok()?.parse().ok()) {
        // A child of ours that was not waited for: the number is no other process's.
        kill(child, libc::SIGKILL);
    }
    true
}

/// The driver sees one process, which is to end as the target did.
fn end_like(status: libc::c_int) -> ! {
    if libc::WIFSIGNALED(status) {
        let signal = libc::WTERMSIG(status) as usize;
        // Handler, flags, restorer and mask of the default action; no signal blocked.
        let (default, none) = ([0usize; 4], 0u64);
        call(libc::SYS_rt_sigaction, [signal, &raw const default as usize, 0, size_of_val(&none)]);
        let pid = call(libc::SYS_getpid, []);
        call(libc::SYS_kill, [pid as usize, signal]);
        const SET: usize = libc::SIG_SETMASK as usize;
        call(libc::SYS_rt_sigprocmask, [SET, &raw const none as usize, 0, size_of_val(&none)]);
    }
    exit(libc::WEXITSTATUS(status))
}
