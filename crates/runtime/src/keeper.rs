//! Nothing that a run has started outlives it.
//!
//! ```text
//! driver ── keeper ── server ── run ── whatever it starts
//! ```
//!
//! The keeper is a process of the driver's (`exec/src/keeper.rs`), which looks after the server as the server looks after runs.
//! The server adopts what its descendants leave behind, so whatever is left is found among its children. Where Landlock can
//! keep signals in, server and run are each behind a wall: a run can reach none of the processes above it, and those can kill all
//! below with one system call that no process escapes by forking.

use crate::system::{errno, number, read};
use core::cell::UnsafeCell;
use core::ffi::c_int;
use core::mem::{MaybeUninit, zeroed};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use libc::{SIGKILL, SIGTERM, SIGUSR1, WNOHANG};

/// Rules that keep signals in, or -1.
static RULES: AtomicI32 = AtomicI32::new(-1);
/// Whether this process keeps the signals in that it sends.
static SEALED: AtomicBool = AtomicBool::new(false);
/// Signals whose effect on keeper and server is none of the program's business. Who ignores the end of its children never hears of it.
const OURS: [c_int; 3] = [SIGTERM, SIGUSR1, libc::SIGCHLD];

/// What they do to the program.
struct ProgramsOwn(UnsafeCell<MaybeUninit<[libc::sigaction; 3]>>);

// SAFETY: written before the first fork, and read afterwards.
unsafe impl Sync for ProgramsOwn {}

static PROGRAMS_OWN: ProgramsOwn = ProgramsOwn(UnsafeCell::new(MaybeUninit::zeroed()));

/// Makes this process the one that looks after runs. `sealed` says that it is behind a wall which its signals do not
/// cross, and asks for another around each run.
pub fn keep(sealed: bool) {
    if sealed {
        RULES.store(signal_rules(), Ordering::Relaxed);
    }
    SEALED.store(sealed, Ordering::Relaxed);
    // SAFETY: asks for what signals do, and sets it to the default, which is all zeros.
    unsafe {
        let own = (*PROGRAMS_OWN.0.get()).assume_init_mut();
        for (signal, own) in OURS.into_iter().zip(own) {
            libc::sigaction(signal, &zeroed(), own);
        }
    }
    look_after_descendants();
}

/// What a run does before anything else: it is looked after, and does not look after others.
pub fn begin_run() {
    // SAFETY: sets an attribute and two signals of this process to what they were before `keep`.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, SIGKILL);
        let own = (*PROGRAMS_OWN.0.get()).assume_init_ref();
        for (signal, own) in OURS.into_iter().zip(own) {
            libc::sigaction(signal, own, null_mut());
        }
    }
    seal();
    // SAFETY: closes a descriptor of ours, which the program knows nothing of.
    unsafe { libc::close(RULES.load(Ordering::Relaxed)) };
}

/// Ends what a run has left behind: when it comes back, none of it runs any more.
pub fn bury_the_rest() {
    loop {
        // SAFETY: asks after our own children; no status is wanted.
        match unsafe { libc::waitpid(-1, null_mut(), WNOHANG) } {
            -1 => return,
            0 => return sweep(),
            _ => {}
        }
    }
}

/// The driver, or the keeper, may be killed at any time: that must leave nothing running either.
fn look_after_descendants() {
    // SAFETY: attributes of this process; the handlers make system calls only.
    unsafe {
        let mut heard: libc::sigset_t = zeroed();
        for (signal, handler) in [(SIGTERM, leave as extern "C" fn(c_int)), (SIGUSR1, kill_run)] {
            let mut action: libc::sigaction = zeroed();
            action.sa_sigaction = handler as usize;
            libc::sigaction(signal, &action, null_mut());
            libc::sigaddset(&mut heard, signal);
        }
        libc::sigprocmask(libc::SIG_UNBLOCK, &heard, null_mut());
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1);
        libc::prctl(libc::PR_SET_PDEATHSIG, SIGTERM);
    }
}

extern "C" fn leave(_signal: c_int) {
    sweep();
    // SAFETY: ends the process.
    unsafe { libc::_exit(0) }
}

/// The driver wants the run to end. Whoever waits for it goes on.
extern "C" fn kill_run(_signal: c_int) {
    let before = errno();
    kill_descendants();
    // SAFETY: the thread's own error number.
    unsafe { *libc::__errno_location() = before };
}

/// Kills all descendants, and waits until they are gone.
fn sweep() {
    loop {
        if !kill_descendants() {
            return;
        }
        // SAFETY: waits for one of our own children, which are dying; theirs are ours then.
        if unsafe { libc::waitpid(-1, null_mut(), 0) } < 0 && errno() == libc::ECHILD {
            return;
        }
    }
}

/// Kills all descendants, or where that cannot be all children; false if nobody knows which there are.
fn kill_descendants() -> bool {
    if !is_sealed() {
        return kill_children();
    }
    // SAFETY: reaches every process below this one and, as was checked just now, no other.
    unsafe { libc::kill(-1, SIGKILL) };
    true
}

/// Whether a signal to everybody stops at this process's descendants. Believed only while one to its parent is refused.
fn is_sealed() -> bool {
    // SAFETY: asks whether a signal could be sent, and sends none.
    SEALED.load(Ordering::Relaxed) && unsafe { libc::kill(libc::getppid(), 0) } < 0 && errno() == libc::EPERM
}

/// Kills all children; false if nobody knows which there are.
fn kill_children() -> bool {
    let mut room = [0; 4096];
    let Some(text) = read(c"/proc/thread-self/children", &mut room) else { return false };
    // A number that was cut off at the end is not one of a child.
    let words = text.split_inclusive(|byte| *byte == b' ').filter_map(|word| word.strip_suffix(b" "));
    for pid in words.filter_map(number) {
        // SAFETY: a child of ours that nobody has waited for: the number is no other process's.
        unsafe { libc::kill(pid as c_int, SIGKILL) };
    }
    true
}

/// Puts this process and all its descendants behind a wall that signals and debuggers do not cross outwards.
fn seal() {
    const RESTRICT_SELF: i64 = libc::SYS_landlock_restrict_self;
    let rules = RULES.load(Ordering::Relaxed);
    // SAFETY: takes rights away from this process, and touches no memory.
    let sealed = rules >= 0 && unsafe { libc::syscall(RESTRICT_SELF, rules, 0) } == 0;
    SEALED.store(sealed, Ordering::Relaxed);
}

/// Landlock's rules that say nothing but this; -1 if it does not know them.
fn signal_rules() -> c_int {
    const SCOPE_SIGNAL: u64 = 2;
    /// `struct landlock_ruleset_attr`: files, network, scope.
    static RULES: [u64; 3] = [0, 0, SCOPE_SIGNAL];
    // SAFETY: the kernel reads the structure; the descriptor it gives is closed on `exec`.
    unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, &raw const RULES, size_of_val(&RULES), 0) as c_int
    }
}
