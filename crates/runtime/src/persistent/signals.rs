//! What a run does to its signals.

use super::calls::{Verdict, call, call_with};
use crate::crash;
use crate::system::Action;
use libc::{c_int, stack_t};

/// Bytes of a set of signals.
const SET: u64 = 8;
const SIGNALS: usize = 65;
/// The signal that tells of system calls: it is never blocked.
const NEEDED: u64 = 1 << (libc::SIGSYS - 1);

impl Action {
    /// Sets the action of a signal whose handler must not block the one that is needed.
    fn set_open(&self, signal: usize) {
        Action { mask: self.mask & !NEEDED, ..*self }.set(signal as c_int);
    }
}

/// What is to be undone.
pub struct Signals {
    /// Blocked before the first run.
    blocked: u64,
    /// Actions before the first run.
    actions: [Action; SIGNALS],
    /// Signals whose actions may be others now, by bits.
    changed: u128,
    /// Those whose handlers are taken away by the kernel when they run.
    fleeting: u128,
    /// The stack for handlers before the first run.
    stack: stack_t,
    has_other_stack: bool,
}

impl Signals {
    /// Whether the program does not notice that its process is stopped and goes on.
    pub fn can_wait_unnoticed() -> bool {
        Action::of(libc::SIGCONT).handler == libc::SIG_DFL && blocked() >> (libc::SIGCONT - 1) & 1 == 0
    }

    /// Looks at everything before the first run.
    pub fn prepare(&mut self) {
        (self.changed, self.fleeting, self.has_other_stack) = (0, 0, false);
        self.blocked = blocked() & !NEEDED;
        set_blocked(self.blocked);
        call(libc::SYS_sigaltstack, [0, &raw mut self.stack as u64]);
        for signal in 1..SIGNALS {
            let action = Action::of(signal as c_int);
            self.actions[signal] = action;
            if action.mask & NEEDED != 0 {
                action.set_open(signal);
            }
            let is_fleeting =
                action.flags & libc::SA_RESETHAND as u64 != 0 && !crash::is_ours(action.handler);
            self.fleeting |= u128::from(is_fleeting) << signal;
        }
    }

    /// Signals may be blocked, but for the one that is needed. What is blocked after the handler is what its frame says.
    pub fn block(&mut self, arguments: [u64; 6], frame: &mut u64) -> Verdict {
        let answer = call_with(libc::SYS_rt_sigprocmask, arguments);
        *frame = blocked() & !NEEDED;
        Verdict::Done(answer)
    }

    /// A handler is replaced by the one before it.
    pub fn handle(&mut self, arguments: [u64; 6]) -> Verdict {
        let [signal, new, ..] = arguments;
        if new == 0 {
            return Verdict::Harmless;
        }
        if signal == libc::SIGSYS as u64 || signal as usize >= SIGNALS {
            return Verdict::Lasting;
        }
        let answer = call_with(libc::SYS_rt_sigaction, arguments);
        if answer == 0 {
            self.changed |= 1 << signal;
            let set = Action::of(signal as c_int);
            if set.mask & NEEDED != 0 {
                set.set_open(signal as usize);
            }
        }
        Verdict::Done(answer)
    }

    /// The stack for handlers can be changed only where it is not in use, which it is now: the program makes the call itself.
    pub fn set_stack(&mut self, new: u64) -> Verdict {
        self.has_other_stack |= new != 0;
        Verdict::Direct
    }

    /// Whether the program has a stack for its own handlers: ours is to keep away from it.
    pub fn has_other_stack(&self) -> bool {
        self.has_other_stack
    }

    /// Puts handlers, their stack and blocked signals back.
    pub fn undo(&mut self) {
        for signal in (1..SIGNALS).filter(|signal| (self.changed | self.fleeting) >> signal & 1 != 0) {
            self.actions[signal].set_open(signal);
        }
        if self.has_other_stack {
            call(libc::SYS_sigaltstack, [&raw const self.stack as u64]);
        }
        set_blocked(self.blocked);
        (self.changed, self.has_other_stack) = (0, false);
    }
}

fn blocked() -> u64 {
    let mut signals = 0u64;
    call(libc::SYS_rt_sigprocmask, [libc::SIG_BLOCK as u64, 0, &raw mut signals as u64, SET]);
    signals
}

fn set_blocked(signals: u64) {
    call(libc::SYS_rt_sigprocmask, [libc::SIG_SETMASK as u64, &raw const signals as u64, 0, SET]);
}
