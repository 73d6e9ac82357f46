//! Where a fatal signal struck, so that one fault reached on many paths counts once.
//!
//! The handlers are installed before the first fork, where the program has none of its own, and step
//! aside: the signal then does what it would have done. There are no frame pointers to follow; the stack
//! is searched for addresses that a call in the program's own code left there.

use crate::memory::reserve;
use crate::persistent::call;
use crate::state::state;
use crate::system::{self, Action};
use cairn_wire::control::{CRASH_FRAMES, MESSAGE_WORDS, PAGE, fault};
use core::arch::global_asm;
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};
use libc::{
    REG_ERR, REG_RIP, REG_RSP, SA_NODEFER, SA_ONSTACK, SA_RESETHAND, SA_SIGINFO, SI_KERNEL, SIG_DFL, SIGABRT,
    SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP, c_int, c_void, siginfo_t, stack_t, ucontext_t,
};

const FATAL: [c_int; 7] = [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS];
const HANDLER_STACK: usize = 1 << 16;
/// Words of the stack that are looked at; `abort` and `assert` need a few hundred, the C library's `strtod` some thousand.
const SEARCHED: usize = 1 << 13;

/// Nothing else is mapped that close to the main stack's end.
const LARGEST_STACK: usize = 64 << 20;

/// Just above the main stack: its environment strings begin there.
static STACK_END: AtomicUsize = AtomicUsize::new(0);

/// An access so close to the stack pointer can only fail where the stack ends.
const STACK_REACH: usize = 1 << 16;
/// The bit of a page fault's code that says that it was to write.
const WRITING: i64 = 2;

// Not every C library has it.
global_asm!(".weak __abort_msg");

unsafe extern "C" {
    static __executable_start: u8;
    static _etext: u8;
    static __abort_msg: *const AbortMessage;
}

/// What glibc keeps for debuggers, of a failed assertion or of what it found wrong with the heap.
#[repr(C)]
struct AbortMessage {
    size: u32,
    text: [u8; 0],
}

/// Addresses of the program's own code.
pub fn code() -> Range<usize> {
    (&raw const __executable_start) as usize..(&raw const _etext) as usize
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
    // The handler stack lives as long as the process.
    call(libc::SYS_sigaltstack, [&raw const stack as u64, 0]);
    for signal in FATAL {
        if Action::of(signal).handler == SIG_DFL {
            let flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER;
            Action::calling(note as *const () as usize, flags).set(signal);
        }
    }
}

/// Whether a handler is ours: nobody survives it.
pub fn is_ours(handler: usize) -> bool {
    handler == note as *const () as usize
}

/// Notes where, and returns: the signal strikes again, with its default effect.
unsafe extern "C" fn note(signal: c_int, info: *const siginfo_t, context: *const ucontext_t) {
    // SAFETY: the kernel passes both.
    let (registers, sent) = unsafe { ((*context).uc_mcontext.gregs, (*info).si_code <= 0) };
    let mut frames = Frames { count: 0 };
    // A breakpoint tells of itself when it is over.
    frames.add(registers[REG_RIP as usize] as usize - usize::from(signal == SIGTRAP));
    let stack = registers[REG_RSP as usize] as usize;
    match signal {
        SIGSEGV | SIGBUS if !sent => {
            // SAFETY: these signals tell of an address, unless the machine does not know it.
            let (address, has_address) = unsafe { ((*info).si_addr() as usize, (*info).si_code < SI_KERNEL) };
            let writes = registers[REG_ERR as usize] & WRITING != 0;
            note_access(if has_address { address } else { usize::MAX }, writes, stack);
        }
        SIGABRT => note_message(),
        _ => {}
    }
    frames.search(stack);
    if sent {
        // Nothing will fault again by itself: the signal was sent, by `abort` or by another process.
        // The default action is in force again.
        system::raise(signal);
    }
}

fn note_access(address: usize, writes: bool, stack: usize) {
    let bit = |set: bool, bit: u32| if set { bit } else { 0 };
    let near = address.abs_diff(stack) < STACK_REACH;
    let control = state().control();
    control.fault_address = address as u64;
    control.fault = fault::ACCESS | bit(writes, fault::WRITE) | bit(near, fault::NEAR_STACK);
}

fn note_message() {
    let place = &raw const __abort_msg;
    if place.is_null() {
        return;
    }
    // SAFETY: the C library's own variable, null as long as there is no message.
    let message = unsafe { *place };
    if message.is_null() {
        return;
    }
    // SAFETY: what it points to is a mapping of that many bytes, text and zeros.
    let (size, text) = unsafe { ((*message).size as usize, (*message).text.as_ptr()) };
    let room = (MESSAGE_WORDS * 8).min(size.saturating_sub(size_of::<u32>()));
    let control = state().control();
    // SAFETY: both are at least so large.
    unsafe { core::ptr::copy_nonoverlapping(text, (&raw mut control.message) as *mut u8, room) };
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
        let stack = first_mapped(stack);
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

/// The first address of the stack from this one on that can be read: one that has overflowed ends above the stack pointer.
fn first_mapped(stack: usize) -> usize {
    let page = PAGE as usize;
    let is_mapped = |at: usize| {
        let mut resident = 0u8;
        call(libc::SYS_mincore, [at as u64, page as u64, &raw mut resident as u64]) == 0
    };
    let first = stack / page * page;
    let found = (0..STACK_REACH / page).map(|n| first + n * page).find(|at| is_mapped(*at));
    found.map_or(stack, |at| at.max(stack))
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
