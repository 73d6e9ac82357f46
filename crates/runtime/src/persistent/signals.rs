//! Effects on signals: handlers, blocked signals, the alternate stack.

use super::verdict::Verdict;
use crate::crash;
use crate::syscall::{call, call_with};
use crate::system::SignalAction;
use libc::{c_int, stack_t};

/// Bytes of a signal set.
const SET_SIZE: u64 = 8;
/// Signal numbers, including the unused 0.
const SIGNALS: usize = 65;
/// Set of SIGSYS, which reports system calls and so is never blocked.
const NEEDED: u64 = 1 << (libc::SIGSYS - 1);

impl SignalAction {
    /// Sets the action of a signal, except that its handler does not block SIGSYS.
    fn set_unblocked(&self, signal: usize) {
        SignalAction { mask: self.mask & !NEEDED, ..*self }.set(signal as c_int);
    }
}

/// Effects of the run, and the state before the first run.
pub struct Signals {
    /// Signals blocked before the first run.
    blocked: u64,
    /// Actions before the first run.
    actions: [SignalAction; SIGNALS],
    /// Set of signals whose actions were changed.
    changed: u128,
    /// Set of signals whose handlers the kernel resets when they run.
    one_shot: u128,
    /// Alternate stack before the first run.
    stack: stack_t,
    /// True if the program has set an alternate stack.
    has_own_stack: bool,
}

impl Signals {
    /// True if the program does not notice that its process is stopped and continued.
    pub fn can_stop_unnoticed() -> bool {
        SignalAction::of(libc::SIGCONT).handler == libc::SIG_DFL && blocked() >> (libc::SIGCONT - 1) & 1 == 0
    }

    /// Notes the state before the first run.
    pub fn prepare(&mut self) {
        (self.changed, self.one_shot, self.has_own_stack) = (0, 0, false);
        self.blocked = blocked() & !NEEDED;
        set_blocked(self.blocked);
        call(libc::SYS_sigaltstack, [0, &raw mut self.stack as u64]);
        for signal in 1..SIGNALS {
            let action = SignalAction::of(signal as c_int);
            self.actions[signal] = action;
            if action.mask & NEEDED != 0 {
                action.set_unblocked(signal);
            }
            let is_one_shot =
                action.flags & libc::SA_RESETHAND as u64 != 0 && !crash::is_ours(action.handler);
            self.one_shot |= u128::from(is_one_shot) << signal;
        }
    }

    /// Blocks signals, except SIGSYS. The set that is in effect after the handler is that in its frame.
    pub fn block(&mut self, arguments: [u64; 6], frame: &mut u64) -> Verdict {
        let answer = call_with(libc::SYS_rt_sigprocmask, arguments);
        *frame = blocked() & !NEEDED;
        Verdict::Done(answer)
    }

    /// Sets a signal's action, which the previous one undoes.
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
            let set = SignalAction::of(signal as c_int);
            if set.mask & NEEDED != 0 {
                set.set_unblocked(signal as usize);
            }
        }
        Verdict::Done(answer)
    }

    /// Sets the alternate stack. That is possible only while it is not in use, which it is now: the program
    /// must make the call.
    pub fn set_stack(&mut self, new: u64) -> Verdict {
        self.has_own_stack |= new != 0;
        Verdict::Direct
    }

    /// True if the program has set an alternate stack, which our handler must not use.
    pub fn has_own_stack(&self) -> bool {
        self.has_own_stack
    }

    /// Restores actions, alternate stack and blocked signals.
    pub fn undo(&mut self) {
        for signal in (1..SIGNALS).filter(|signal| (self.changed | self.one_shot) >> signal & 1 != 0) {
            self.actions[signal].set_unblocked(signal);
        }
        if self.has_own_stack {
            call(libc::SYS_sigaltstack, [&raw const self.stack as u64]);
        }
        set_blocked(self.blocked);
        (self.changed, self.has_own_stack) = (0, false);
    }
}

fn blocked() -> u64 {
    let mut signals = 0u64;
    call(libc::SYS_rt_sigprocmask, [libc::SIG_BLOCK as u64, 0, &raw mut signals as u64, SET_SIZE]);
    signals
}

fn set_blocked(signals: u64) {
    call(libc::SYS_rt_sigprocmask, [libc::SIG_SETMASK as u64, &raw const signals as u64, 0, SET_SIZE]);
}
