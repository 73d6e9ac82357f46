//! Where a fatal signal struck, so that one fault reached on many paths counts once.
//!
//! The handlers are installed before the first fork, where the program has none of its own, and step
//! aside: the signal then does what it would have done. There are no frame pointers to follow; the stack
//! is searched for addresses that a call in the program's own code left there.

use crate::memory::reserve;
use crate::state::state;
use cairn_wire::control::{CRASH_FRAMES, PAGE};
use core::mem::{MaybeUninit, zeroed};
use core::ops::Range;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicUsize, Ordering};
use libc::{
    REG_RIP, REG_RSP, SA_NODEFER, SA_ONSTACK, SA_RESETHAND, SA_SIGINFO, SIG_DFL, SIGABRT, SIGBUS, SIGFPE,
    SIGILL, SIGSEGV, SIGSYS, SIGTRAP, c_int, c_void, siginfo_t, stack_t, ucontext_t,
};

const FATAL: [c_int; 7] = [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS];
const HANDLER_STACK: usize = 1 << 16;
/// Words of the stack that are looked at; `abort` and `assert` need a few hundred.
const SEARCHED: usize = 1024;

/// Nothing else is mapped that close to the main stack's end.
const LARGEST_STACK: usize = 64 << 20;

/// Just above the main stack: its environment strings begin there.
static STACK_END: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" {
    static __executable_start: u8;
    static etext: u8;
}

/// Addresses of the program's own code.
pub fn code() -> Range<usize> {
    (&raw const __executable_start) as usize..(&raw const etext) as usize
}

/// Where the main stack ends, if an address is in the part of it that is in use.
pub fn stack_above(address: u64) -> Option<u64> {
    let here = &raw const address as u64;
    let end = STACK_END.load(Ordering::Relaxed) as u64;
    let is_main = end.checked_sub(here).is_some_and(|size| size <= LARGEST_STACK as u64);
    (is_main && (here..end).contains(&address)).then_some(end)
}

/// Installs the handlers; `stack_end` is an address above every frame of the main thread.
pub fn watch(stack_end: usize) {
    STACK_END.store(stack_end, Ordering::Relaxed);
    let stack = stack_t { ss_sp: reserve(HANDLER_STACK) as *mut c_void, ss_flags: 0, ss_size: HANDLER_STACK };
    // SAFETY: the handler stack lives as long as the process; the structures are plain data.
    unsafe {
        libc::sigaltstack(&stack, null_mut());
        for signal in FATAL {
            let mut old = MaybeUninit::<libc::sigaction>::uninit();
            if libc::sigaction(signal, null_mut(), old.as_mut_ptr()) == 0
                && old.assume_init().sa_sigaction == SIG_DFL
            {
                let mut action: libc::sigaction = zeroed();
                action.sa_sigaction = note as *const () as usize;
                action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER;
                libc::sigaction(signal, &action, null_mut());
            }
        }
    }
}

/// Notes where, and returns: the signal strikes again, with its default effect.
unsafe extern "C" fn note(signal: c_int, info: *const siginfo_t, context: *const ucontext_t) {
    // SAFETY: the kernel passes both.
    let (registers, sent) = unsafe { ((*context).uc_mcontext.gregs, (*info).si_code <= 0) };
    let mut frames = Frames { count: 0 };
    // A breakpoint tells of itself when it is over.
    frames.add(registers[REG_RIP as usize] as usize - usize::from(signal == SIGTRAP));
    frames.search(registers[REG_RSP as usize] as usize);
    if sent {
        // Nothing will fault again by itself: the signal was sent, by `abort` or by another process.
        // SAFETY: the default action is in force again.
        unsafe { libc::raise(signal) };
    }
}

struct Frames {
    count: usize,
}

impl Frames {
    fn add(&mut self, address: usize) {
        let code = code();
        if code.contains(&address) && self.count < CRASH_FRAMES {
            state().control().crash[self.count] = (address - code.start) as u64;
            self.count += 1;
        }
    }

    fn search(&mut self, stack: usize) {
        let end = STACK_END.load(Ordering::Relaxed);
        if stack > end || end - stack > LARGEST_STACK {
            // Some other stack, whose end is unknown.
            return;
        }
        let end = end.min(stack.saturating_add(SEARCHED * 8));
        let mut at = stack.next_multiple_of(8);
        while at + 8 <= end && self.count < CRASH_FRAMES {
            // SAFETY: between the stack pointer and the end of the main stack.
            let word = unsafe { *(at as *const usize) };
            if follows_call(word) {
                // In the call: what follows it may belong to another line, or another function.
                self.add(word - 1);
            }
            at += 8;
        }
    }
}

/// Whether an address in the program's code comes right after a call instruction.
fn follows_call(address: usize) -> bool {
    let code = code();
    if address < code.start + 8 || address >= code.end {
        return false;
    }
    // The range has holes: where the code's pages begin, those before them need not be there.
    if address % (PAGE as usize) < 6 {
        return false;
    }
    // SAFETY: on a page of the program's own, which is readable.
    let before = |n: usize| unsafe { *((address - n) as *const u8) };
    const CALL: u8 = 0xe8;
    const GROUP: u8 = 0xff;
    before(5) == CALL || before(6) == GROUP || before(3) == GROUP || before(2) == GROUP
}
