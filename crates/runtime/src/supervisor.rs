//! Supervision of runs by the fork server: no process that a run has started outlives it.
//!
//! ```text
//! driver ── supervisor ── fork server ── run ── its descendants
//! ```
//!
//! The supervisor is a process of the driver (`exec/src/supervisor.rs`), which supervises the fork server as
//! the fork server supervises runs. Both are child subreapers: they adopt what their descendants leave
//! behind, so all that is left is among their children. If Landlock can scope signals, fork server and run
//! are each in a domain of their own: a run can signal none of the processes above it, and those can kill all
//! below with one system call that no process escapes by forking.

use crate::syscall::call;
use crate::system::{self, SignalAction, parse_number, read_file};
use core::cell::UnsafeCell;
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use libc::{SIGKILL, SIGTERM, SIGUSR1, WNOHANG};

/// Landlock ruleset that scopes signals, or -1.
static RULESET: AtomicI32 = AtomicI32::new(-1);
/// True if the signals of this process are confined to its descendants.
static CONFINED: AtomicBool = AtomicBool::new(false);
/// Signals that the fork server handles itself, whatever the program's actions are. With SIGCHLD ignored,
/// `wait` would report no child.
const SERVER_SIGNALS: [c_int; 3] = [SIGTERM, SIGUSR1, libc::SIGCHLD];

/// The program's actions for these signals.
struct ProgramActions(UnsafeCell<[SignalAction; 3]>);

// SAFETY: written before the first fork, and read afterwards.
unsafe impl Sync for ProgramActions {}

static PROGRAM_ACTIONS: ProgramActions = ProgramActions(UnsafeCell::new([SignalAction::DEFAULT; 3]));

/// Makes this process the supervisor of runs. `confined` says that its own signals are confined to its
/// descendants, and asks for the same for each run.
pub fn start(confined: bool) {
    if confined {
        RULESET.store(signal_ruleset(), Ordering::Relaxed);
    }
    CONFINED.store(confined, Ordering::Relaxed);
    // SAFETY: see `ProgramActions`.
    unsafe {
        *PROGRAM_ACTIONS.0.get() = SERVER_SIGNALS.map(|signal| SignalAction::DEFAULT.set(signal));
    }
    supervise_descendants();
}

/// Prepares the process of a run: it is supervised, and supervises no others.
pub fn begin_run() {
    system::set_attribute(libc::PR_SET_PDEATHSIG, SIGKILL);
    // SAFETY: see `ProgramActions`.
    let actions = unsafe { &*PROGRAM_ACTIONS.0.get() };
    for (signal, action) in SERVER_SIGNALS.into_iter().zip(actions) {
        action.set(signal);
    }
    confine_signals();
    system::close(RULESET.load(Ordering::Relaxed));
}

/// Ends all processes that a run has left behind: when this returns, none of them runs any more.
pub fn end_descendants() {
    loop {
        match system::wait(-1, None, WNOHANG, None) {
            0 => return sweep(),
            error if error < 0 => return,
            _ => {}
        }
    }
}

/// Installs handlers for the end of the driver or supervisor, which may be killed at any time: that must
/// leave nothing running either.
fn supervise_descendants() {
    for (signal, handler) in [(SIGTERM, leave as extern "C" fn(c_int)), (SIGUSR1, kill_run)] {
        SignalAction::calling(handler as *const () as usize, 0).set(signal);
        system::unblock(signal);
    }
    system::set_attribute(libc::PR_SET_CHILD_SUBREAPER, 1);
    system::set_attribute(libc::PR_SET_PDEATHSIG, SIGTERM);
}

extern "C" fn leave(_signal: c_int) {
    sweep();
    system::exit(0)
}

/// Kills the run, at the driver's request. The wait for its end continues.
extern "C" fn kill_run(_signal: c_int) {
    kill_descendants();
}

/// Kills all descendants, and waits until they are gone.
fn sweep() {
    loop {
        if !kill_descendants() {
            return;
        }
        // Waits for one of the children, which are dying; we then adopt theirs.
        if system::wait(-1, None, 0, None) == -libc::ECHILD {
            return;
        }
    }
}

/// Kills all descendants, or all children if signals are not confined; false if the kernel does not list
/// these.
fn kill_descendants() -> bool {
    if !is_confined() {
        return kill_children();
    }
    // Reaches every process below this one and, as was checked just now, no other.
    system::kill(-1, SIGKILL);
    true
}

/// True if a signal to all processes reaches descendants only. Relied upon only while a signal to the parent
/// is refused.
fn is_confined() -> bool {
    let parent = || call(libc::SYS_getppid, []) as c_int;
    CONFINED.load(Ordering::Relaxed) && system::kill(parent(), 0) == -libc::EPERM
}

/// Kills all children; false if the kernel does not list them.
fn kill_children() -> bool {
    let mut room = [0; 4096];
    let Some(text) = read_file(c"/proc/thread-self/children", &mut room) else { return false };
    // A number that was cut off at the end is not that of a child.
    let words = text.split_inclusive(|byte| *byte == b' ').filter_map(|word| word.strip_suffix(b" "));
    for pid in words.filter_map(parse_number) {
        // A child of ours that was not waited for: no other process has this number.
        system::kill(pid as c_int, SIGKILL);
    }
    true
}

/// Confines signals and debugging by this process and all its descendants to themselves.
fn confine_signals() {
    let ruleset = RULESET.load(Ordering::Relaxed);
    let confined = ruleset >= 0 && call(libc::SYS_landlock_restrict_self, [ruleset as u64, 0]) == 0;
    CONFINED.store(confined, Ordering::Relaxed);
}

/// Creates a Landlock ruleset that scopes signals and nothing else; -1 if the kernel does not support that.
fn signal_ruleset() -> c_int {
    const SCOPE_SIGNAL: u64 = 2;
    /// `struct landlock_ruleset_attr`: files, network, scope.
    static ATTRIBUTES: [u64; 3] = [0, 0, SCOPE_SIGNAL];
    // The descriptor is closed on `exec`.
    let (attributes, size) = (&raw const ATTRIBUTES as u64, size_of_val(&ATTRIBUTES) as u64);
    call(libc::SYS_landlock_create_ruleset, [attributes, size, 0]) as c_int
}
