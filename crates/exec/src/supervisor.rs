//! The supervisor of a target: no process of the target outlives it, and the driver need not know the
//! target's processes.
//!
//! ```text
//! driver ── supervisor ── init ── fork server ── run ── its descendants
//! ```
//!
//! Supervisor and init are forks of the driver that never call `exec`: none of the target's code runs in
//! them. The driver knows one process, its own child, and controls the target by signals to it: `SIGTERM`
//! ends the target with all its processes, `SIGUSR1` is passed on to the fork server, which kills its run. No
//! process number that a target could write is ever used.
//!
//! Init is the first process of a pid namespace: when it ends, the kernel kills all others there. Without
//! such a namespace the supervisor is the parent of the target; it adopts orphaned descendants, and kills all
//! of them. The target, whose signals are confined, can signal neither.

mod memory;

use crate::sandbox::{Identity, Sandbox, SignalScope};
use cairn_wire::descendants::{ProcessCalls, sweep};
use memory::{Maps, call};
use rustix::process::{
    Pid, Resource, Rlimit, Signal, getpid, getppid, kill_process, set_parent_process_death_signal, setrlimit,
    setsid,
};
use std::io;
use std::mem::zeroed;
use std::ptr::null_mut;

/// Stands for all processes that this one may signal, and for any of its children.
const ALL: libc::pid_t = -1;

/// The supervisor of a target's processes, before it is forked.
pub(crate) struct Supervisor {
    /// The driver, which the supervisor does not outlive.
    driver: Pid,
    sandbox: Option<Sandbox>,
    /// Confines the target's signals. The supervisor's own are then confined as well, and one signal to all
    /// reaches exactly its descendants.
    scope: Option<SignalScope>,
}

/// A process that supervises another.
struct SupervisorProcess {
    /// The process that it supervises.
    child: libc::pid_t,
    role: Role,
    /// Mappings of this process.
    maps: Maps,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Supervises the first process of a pid namespace, which reports the target's exit status by this
    /// descriptor.
    Outer { report: libc::c_int },
    /// Is the first process of a pid namespace.
    Init { report: libc::c_int },
    /// Supervises a target without a pid namespace; `confined` if it can kill all descendants at once.
    Single { confined: bool },
}

impl Supervisor {
    /// Returns a supervisor of targets in this sandbox.
    pub(crate) fn of(sandbox: Option<Sandbox>) -> Supervisor {
        let confines = sandbox.as_ref().is_some_and(|sandbox| sandbox.protection.signals);
        Supervisor { driver: getpid(), sandbox, scope: confines.then(SignalScope::prepare).flatten() }
    }

    /// Splits the calling process, a fork of the driver, into the supervisor, possibly an init, and the
    /// target; returns in the target. Makes system calls only.
    pub(crate) fn split(&mut self) -> io::Result<()> {
        // A session of its own: only the driver gets Ctrl-C and input from the terminal.
        setsid()?;
        let mask = block_signals()?;
        let role = match self.create_namespaces()? {
            Some(report) => Role::Init { report },
            None => {
                die_with(self.driver, Signal::TERM)?;
                // SAFETY: sets an attribute of this process.
                unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1) };
                Role::Single { confined: self.scope.is_some() }
            }
        };
        self.sandbox.as_mut().map_or(Ok(()), Sandbox::enter)?;
        let (maps, parent) = (Maps::open(), getpid());
        match fork()? {
            0 => self.begin_target(&mask, parent),
            child => SupervisorProcess { child, role, maps }.supervise(),
        }
    }

    /// Creates the namespaces of the sandbox. If there is a pid namespace, returns in its first process only,
    /// with the descriptor by which that reports the target's exit status; its parent then does not return.
    fn create_namespaces(&mut self) -> io::Result<Option<libc::c_int>> {
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
        // Opened before init mounts a `/proc` that shows no process outside its namespace.
        let maps = Maps::open();
        match fork()? {
            0 => {
                set_parent_process_death_signal(Some(Signal::KILL))?;
                exit_if_orphaned(ends);
                namespaces.set_up_init()?;
                Ok(Some(ends[1]))
            }
            child => {
                die_with(self.driver, Signal::TERM)?;
                SupervisorProcess { child, role: Role::Outer { report: ends[0] }, maps }.supervise()
            }
        }
    }

    fn begin_target(&mut self, mask: &libc::sigset_t, parent: Pid) -> io::Result<()> {
        // SAFETY: sets a process group and restores the signal mask.
        unsafe {
            libc::setpgid(0, 0);
            libc::sigprocmask(libc::SIG_SETMASK, mask, null_mut());
        }
        let identity = self.sandbox.as_ref().and_then(|sandbox| sandbox.identity.as_ref());
        identity.map_or(Ok(()), Identity::assume)?;
        if self.sandbox.is_some() {
            // Some users may request real-time priority, which could monopolise a processor.
            let never = Rlimit { current: Some(0), maximum: Some(0) };
            setrlimit(Resource::Rtprio, never)?;
        }
        // The supervising process may be killed. Set after the change of user, which clears this attribute.
        die_with(parent, Signal::KILL)?;
        self.scope.take().map_or(Ok(()), SignalScope::enter)
    }
}

/// Requests a signal for the end of the parent. The kernel does not send it if the parent has ended before:
/// then it is raised here.
fn die_with(parent: Pid, signal: Signal) -> io::Result<()> {
    set_parent_process_death_signal(Some(signal))?;
    if getppid() != Some(parent) {
        kill_process(getpid(), signal)?;
    }
    Ok(())
}

/// Ends the first process of a namespace if its parent, the reader of the pipe, ended before the death signal
/// was requested. Inside the namespace the number of a parent outside is 0 in any case.
fn exit_if_orphaned([reader, writer]: [libc::c_int; 2]) {
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

/// Blocks all signals, so that those for the supervisor stay pending until it waits for them; returns the
/// previous mask.
fn block_signals() -> io::Result<libc::sigset_t> {
    // SAFETY: the sets are ours.
    unsafe {
        let (mut all, mut before) = (zeroed(), zeroed());
        libc::sigfillset(&mut all);
        // With SIGCHLD ignored, `wait` would not report children.
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        match libc::sigprocmask(libc::SIG_BLOCK, &all, &mut before) {
            0 => Ok(before),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

impl SupervisorProcess {
    /// Waits for the end of the child, or for the request to end it. From here on the driver's memory is
    /// released, including the C library's data: all system calls are [`call`]s.
    fn supervise(self) -> ! {
        let report = match self.role {
            Role::Outer { report } | Role::Init { report } => Some(report),
            Role::Single { .. } => None,
        };
        self.maps.release();
        // Among the others is the pipe by which the driver learns that `exec` has succeeded.
        close_all_but(report);
        let (status, is_running) = loop {
            match wait_for_signal() {
                libc::SIGTERM => break (libc::SIGKILL, true),
                libc::SIGUSR1 => kill(self.child, libc::SIGUSR1),
                _ => {}
            }
            if let Some(status) = self.reap() {
                break (status, false);
            }
        };
        match self.role {
            Role::Init { report } => {
                // The kernel would kill them as well, but without adding their resource usage to that of this
                // process.
                kill(ALL, libc::SIGKILL);
                while wait(ALL, 0).0 != -libc::ECHILD {}
                call(libc::SYS_write, [report as usize, &raw const status as usize, size_of_val(&status)]);
                exit(0)
            }
            Role::Outer { report } => {
                // A child that was waited for must not be signalled: its number may belong to another
                // process.
                if is_running {
                    kill(self.child, libc::SIGTERM);
                    wait(self.child, 0);
                }
                let mut reported = status;
                call(libc::SYS_read, [report as usize, &raw mut reported as usize, size_of_val(&reported)]);
                end_like(reported)
            }
            Role::Single { confined } => {
                sweep(&Kernel, confined);
                end_like(status)
            }
        }
    }

    /// Reaps children that have ended; returns the wait status of the supervised one, if it is among them.
    fn reap(&self) -> Option<libc::c_int> {
        loop {
            match wait(-1, libc::WNOHANG) {
                // A child that we trace stops, and has not ended.
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

/// Waits for one of the signals that a supervisor handles.
fn wait_for_signal() -> libc::c_int {
    const fn bit(signal: libc::c_int) -> u64 {
        1 << (signal - 1)
    }
    let handled = bit(libc::SIGTERM) | bit(libc::SIGCHLD) | bit(libc::SIGUSR1);
    call(libc::SYS_rt_sigtimedwait, [&raw const handled as usize, 0, 0, size_of_val(&handled)]) as libc::c_int
}

/// Waits for a child; returns its number or an error, and its wait status.
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

/// The kernel, without the C library.
struct Kernel;

impl ProcessCalls for Kernel {
    fn parent(&self) -> libc::pid_t {
        call(libc::SYS_getppid, []) as libc::pid_t
    }

    fn kill(&self, process: libc::pid_t, signal: libc::c_int) -> libc::c_int {
        call(libc::SYS_kill, [process as usize, signal as usize]) as libc::c_int
    }

    fn wait(&self, child: libc::pid_t) -> libc::pid_t {
        wait(child, 0).0
    }

    fn read_children<'a>(&self, room: &'a mut [u8]) -> Option<&'a [u8]> {
        let path = c"/proc/thread-self/children";
        let flags = (libc::O_RDONLY | libc::O_CLOEXEC) as usize;
        let file = call(libc::SYS_open, [path.as_ptr() as usize, flags]);
        let length = call(libc::SYS_read, [file as usize, room.as_mut_ptr() as usize, room.len()]);
        call(libc::SYS_close, [file as usize]);
        room.get(..usize::try_from(length).ok()?)
    }
}

/// Ends this process with the exit status of the target, for the driver.
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
