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
use crate::system::{self, SignalAction, read_file};
use cairn_wire::descendants::{ProcessCalls, kill_descendants, sweep};
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
            0 => return sweep(&Kernel, is_confined()),
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

fn is_confined() -> bool {
    CONFINED.load(Ordering::Relaxed)
}

extern "C" fn leave(_signal: c_int) {
    sweep(&Kernel, is_confined());
    system::exit(0)
}

/// Kills the run, at the driver's request. The wait for its end continues.
extern "C" fn kill_run(_signal: c_int) {
    kill_descendants(&Kernel, is_confined());
}

/// The kernel, without the C library.
struct Kernel;

impl ProcessCalls for Kernel {
    fn parent(&self) -> c_int {
        call(libc::SYS_getppid, []) as c_int
    }

    fn kill(&self, process: c_int, signal: c_int) -> c_int {
        system::kill(process, signal)
    }

    fn wait(&self, child: c_int) -> c_int {
        system::wait(child, None, 0, None)
    }

    fn read_children<'a>(&self, room: &'a mut [u8]) -> Option<&'a [u8]> {
        read_file(c"/proc/thread-self/children", room)
    }
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
