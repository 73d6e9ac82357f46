//! What a run does to its signals.

use super::calls::{Verdict, call};
use libc::{c_int, stack_t};

/// Bytes of a set of signals.
const SET: u64 = 8;
const SIGNALS: usize = 65;
/// The signal that tells of system calls: it is never blocked.
const NEEDED: u64 = 1 << (libc::SIGSYS - 1);
/// A stack that is smaller is refused by the system.
const SMALLEST_STACK: usize = 2048;

/// How the kernel knows a signal's handler.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Action {
    pub handler: usize,
    pub flags: u64,
    pub restorer: usize,
    pub mask: u64,
}

impl Action {
    /// Sets a signal's action; gives the one before it, or the error.
    pub fn set(&self, signal: c_int) -> Result<Action, i64> {
        let mut before = Action { handler: 0, flags: 0, restorer: 0, mask: 0 };
        let (new, old) = (&raw const *self as u64, &raw mut before as u64);
        match call(libc::SYS_rt_sigaction, [signal as u64, new, old, SET]) {
            0 => Ok(before),
            error => Err(error),
        }
    }
}

/// What is to be undone.
pub struct Signals {
    /// Blocked before the first run.
    blocked: u64,
    /// Actions before those of the run, where `changed` has a bit.
    actions: [Action; SIGNALS],
    changed: u128,
    /// The stack for handlers that the run believes to have. Handlers run on the runtime's, which is as good and large enough for its own.
    stack: Option<stack_t>,
}

impl Signals {
    /// Looks at what is blocked before the first run.
    pub fn prepare(&mut self) {
        (self.blocked, self.changed, self.stack) = (0, 0, None);
        call(libc::SYS_rt_sigprocmask, [libc::SIG_BLOCK as u64, 0, &raw mut self.blocked as u64, SET]);
    }

    /// Signals may be blocked, but for the one that is needed.
    pub fn block(&mut self, arguments: [u64; 6]) -> Verdict {
        let [how, set, old, size, ..] = arguments;
        if set == 0 || size != SET {
            return Verdict::Harmless;
        }
        // SAFETY: as the program would have the kernel do.
        let asked = unsafe { (set as *const u64).read_unaligned() };
        let signals = if how as c_int == libc::SIG_UNBLOCK { asked } else { asked & !NEEDED };
        Verdict::Done(call(libc::SYS_rt_sigprocmask, [how, &raw const signals as u64, old, size]))
    }

    /// A handler is replaced by the one before it.
    pub fn handle(&mut self, arguments: [u64; 6]) -> Verdict {
        let [signal, new, old, size, ..] = arguments;
        if new == 0 || size != SET {
            return Verdict::Harmless;
        }
        if signal == libc::SIGSYS as u64 || signal as usize >= SIGNALS {
            return Verdict::Lasting;
        }
        // SAFETY: as the program would have the kernel do.
        let asked = unsafe { (new as *const Action).read_unaligned() };
        match (Action { mask: asked.mask & !NEEDED, ..asked }).set(signal as c_int) {
            Err(error) => Verdict::Done(error),
            Ok(before) => {
                if self.changed >> signal & 1 == 0 {
                    self.actions[signal as usize] = before;
                    self.changed |= 1 << signal;
                }
                if old != 0 {
                    // SAFETY: as above.
                    unsafe { (old as *mut Action).write_unaligned(before) };
                }
                Verdict::Done(0)
            }
        }
    }

    /// A stack for handlers is remembered only.
    pub fn set_stack(&mut self, arguments: [u64; 6]) -> Verdict {
        let [new, old, ..] = arguments;
        // SAFETY: as the program would have the kernel do.
        let asked = (new != 0).then(|| unsafe { (new as *const stack_t).read_unaligned() });
        if asked.is_some_and(|stack| stack.ss_flags != 0 || stack.ss_size < SMALLEST_STACK) {
            return Verdict::Lasting;
        }
        if old != 0 {
            match self.stack {
                // SAFETY: as above.
                Some(stack) => unsafe { (old as *mut stack_t).write_unaligned(stack) },
                None => _ = call(libc::SYS_sigaltstack, [0, old]),
            }
        }
        self.stack = asked.or(self.stack);
        Verdict::Done(0)
    }

    /// The stack for handlers that the run is to have if it goes on by itself.
    pub fn wanted_stack(&self) -> Option<stack_t> {
        self.stack
    }

    /// Puts handlers and blocked signals back.
    pub fn undo(&mut self) {
        for signal in (1..SIGNALS).filter(|signal| self.changed >> signal & 1 != 0) {
            let _ = self.actions[signal].set(signal as c_int);
        }
        let set = libc::SIG_SETMASK as u64;
        call(libc::SYS_rt_sigprocmask, [set, &raw const self.blocked as u64, 0, SET]);
        (self.changed, self.stack) = (0, None);
    }
}
