//! Nothing that a run has started outlives it.
//!
//! ```text
//! driver ── keeper ── server ── run ── whatever it starts
//! ```
//!
//! The keeper is a process of the driver's (`exec/src/supervisor.rs`), which looks after the server as the server looks after runs.
//! The server adopts what its descendants leave behind, so whatever is left is found among its children. Where Landlock can
//! keep signals in, server and run are each behind a wall: a run can reach none of the processes above it, and those can kill all
//! below with one system call that no process escapes by forking.

use crate::persistent::call;
use crate::system::{self, Action, number, read_file};
use core::cell::UnsafeCell;
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use libc::{SIGKILL, SIGTERM, SIGUSR1, WNOHANG};

/// Rules that keep signals in, or -1.
static RULES: AtomicI32 = AtomicI32::new(-1);
/// Whether this process keeps the signals in that it sends.
static SEALED: AtomicBool = AtomicBool::new(false);
/// Signals whose effect on keeper and server is none of the program's business. Who ignores the end of its children never hears of it.
const OURS: [c_int; 3] = [SIGTERM, SIGUSR1, libc::SIGCHLD];

/// What they do to the program.
struct ProgramsOwn(UnsafeCell<[Action; 3]>);

// SAFETY: written before the first fork, and read afterwards.
unsafe impl Sync for ProgramsOwn {}

static PROGRAMS_OWN: ProgramsOwn = ProgramsOwn(UnsafeCell::new([Action::DEFAULT; 3]));

/// Makes this process the one that looks after runs. `sealed` says that it is behind a wall which its signals do not
/// cross, and asks for another around each run.
pub fn keep(sealed: bool) {
    if sealed {
        RULES.store(signal_rules(), Ordering::Relaxed);
    }
    SEALED.store(sealed, Ordering::Relaxed);
    // SAFETY: see `ProgramsOwn`.
    unsafe { *PROGRAMS_OWN.0.get() = OURS.map(|signal| Action::DEFAULT.set(signal)) };
    look_after_descendants();
}

/// What a run does before anything else: it is looked after, and does not look after others.
pub fn begin_run() {
    system::set_attribute(libc::PR_SET_PDEATHSIG, SIGKILL);
    // SAFETY: see `ProgramsOwn`.
    let own = unsafe { &*PROGRAMS_OWN.0.get() };
    for (signal, own) in OURS.into_iter().zip(own) {
        own.set(signal);
    }
    seal();
    system::close(RULES.load(Ordering::Relaxed));
}

/// Ends what a run has left behind: when it comes back, none of it runs any more.
pub fn bury_the_rest() {
    loop {
        match system::wait(-1, None, WNOHANG, None) {
            0 => return sweep(),
            error if error < 0 => return,
            _ => {}
        }
    }
}

/// The driver, or the keeper, may be killed at any time: that must leave nothing running either.
fn look_after_descendants() {
    for (signal, handler) in [(SIGTERM, leave as extern "C" fn(c_int)), (SIGUSR1, kill_run)] {
        Action::calling(handler as *const () as usize, 0).set(signal);
        system::unblock(signal);
    }
    system::set_attribute(libc::PR_SET_CHILD_SUBREAPER, 1);
    system::set_attribute(libc::PR_SET_PDEATHSIG, SIGTERM);
}

extern "C" fn leave(_signal: c_int) {
    sweep();
    system::exit(0)
}

/// Ends the run, at the driver's request. The wait for it goes on.
extern "C" fn kill_run(_signal: c_int) {
    kill_descendants();
}

/// Kills all descendants, and waits until they are gone.
fn sweep() {
    loop {
        if !kill_descendants() {
            return;
        }
        // One of our own children, which are dying; theirs are ours then.
        if system::wait(-1, None, 0, None) == -libc::ECHILD {
            return;
        }
    }
}

/// Kills all descendants, or where that cannot be all children; false if the kernel does not tell which there are.
fn kill_descendants() -> bool {
    if !is_sealed() {
        return kill_children();
    }
    // Reaches every process below this one and, as was checked just now, no other.
    system::kill(-1, SIGKILL);
    true
}

/// Whether a signal to everybody stops at this process's descendants. Believed only while one to its parent is refused.
fn is_sealed() -> bool {
    let parent = || call(libc::SYS_getppid, []) as c_int;
    SEALED.load(Ordering::Relaxed) && system::kill(parent(), 0) == -libc::EPERM
}

/// Kills all children; false if nobody knows which there are.
fn kill_children() -> bool {
    let mut room = [0; 4096];
    let Some(text) = read_file(c"/proc/thread-self/children", &mut room) else { return false };
    // A number that was cut off at the end is not one of a child.
    let words = text.split_inclusive(|byte| *byte == b' ').filter_map(|word| word.strip_suffix(b" "));
    for pid in words.filter_map(number) {
        // A child of ours that nobody has waited for: the number is no other process's.
        system::kill(pid as c_int, SIGKILL);
    }
    true
}

/// Puts this process and all its descendants behind a wall that signals and debuggers do not cross outwards.
fn seal() {
    let rules = RULES.load(Ordering::Relaxed);
    let sealed = rules >= 0 && call(libc::SYS_landlock_restrict_self, [rules as u64, 0]) == 0;
    SEALED.store(sealed, Ordering::Relaxed);
}

/// Landlock's rules that say nothing but this; -1 if it does not know them.
fn signal_rules() -> c_int {
    const SCOPE_SIGNAL: u64 = 2;
    /// `struct landlock_ruleset_attr`: files, network, scope.
    static RULES: [u64; 3] = [0, 0, SCOPE_SIGNAL];
    // The descriptor is closed on `exec`.
    let (rules, size) = (&raw const RULES as u64, size_of_val(&RULES) as u64);
    call(libc::SYS_landlock_create_ruleset, [rules, size, 0]) as c_int
}
