//! Crash reports: the stack of a fatal signal, by which one fault reached on many paths counts once.
//!
//! The handlers are installed before the first fork, for signals that the program does not handle, and
//! return: the signal then has its usual effect. There are no frame pointers to follow; the stack is searched
//! for return addresses in the program's own code.

use crate::memory::reserve;
use crate::recorder::recorder;
use crate::syscall::call;
use crate::system::{self, SignalAction};
use cairn_wire::control::{CRASH_FRAMES, MESSAGE_WORDS, PAGE, fault};
use core::arch::global_asm;
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};
use libc::{
    REG_ERR, REG_RIP, REG_RSP, SA_NODEFER, SA_ONSTACK, SA_RESETHAND, SA_SIGINFO, SI_KERNEL, SIG_DFL, SIGABRT,
    SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP, c_int, c_void, siginfo_t, stack_t, ucontext_t,
};

/// Signals that end a process by an error of its own.
const FATAL: [c_int; 7] = [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS];
/// Size of the alternate stack for handlers.
const HANDLER_STACK: usize = 1 << 16;
/// Words of the stack that are searched; `abort` and `assert` use a few hundred, the C library's `strtod`
/// some thousand.
const SEARCHED_WORDS: usize = 1 << 13;

/// Distance from the end of the main stack within which nothing else is mapped.
const LARGEST_STACK: usize = 64 << 20;

/// Address just above the main stack, where the environment begins.
static STACK_END: AtomicUsize = AtomicUsize::new(0);

/// Distance from the stack pointer within which an access can fail only because the stack has overflowed.
const STACK_REACH: usize = 1 << 16;
/// Bit of a page fault's error code that is set for writes.
const WRITE_FAULT: i64 = 2;

// Not every C library has it.
global_asm!(".weak __abort_msg");

unsafe extern "C" {
    static __executable_start: u8;
    static _etext: u8;
    static __abort_msg: *const AbortMessage;
}

/// Message that glibc keeps for debuggers, of a failed assertion or of a corrupted heap.
#[repr(C)]
struct AbortMessage {
    size: u32,
    text: [u8; 0],
}

/// Returns the addresses of the program's own code.
pub fn code() -> Range<usize> {
    (&raw const __executable_start) as usize..(&raw const _etext) as usize
}

/// Returns the end of the main stack, if an address is in the part of it that is in use.
pub fn stack_above(address: u64) -> Option<u64> {
    let here = &raw const address as u64;
    let end = STACK_END.load(Ordering::Relaxed) as u64;
    let is_main = end.checked_sub(here).is_some_and(|size| size <= LARGEST_STACK as u64);
    (is_main && (here..end).contains(&address)).then_some(end)
}

/// Installs the handlers; `stack_end` is an address above every frame of the main thread.
pub fn install_handlers(stack_end: usize) {
    STACK_END.store(stack_end, Ordering::Relaxed);
    let stack = stack_t { ss_sp: reserve(HANDLER_STACK) as *mut c_void, ss_flags: 0, ss_size: HANDLER_STACK };
    // The handler stack lives as long as the process.
    call(libc::SYS_sigaltstack, [&raw const stack as u64, 0]);
    for signal in FATAL {
        if SignalAction::of(signal).handler == SIG_DFL {
            let flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND | SA_NODEFER;
            SignalAction::calling(on_fatal_signal as *const () as usize, flags).set(signal);
        }
    }
}

/// True if a handler is ours: no run survives it.
pub fn is_ours(handler: usize) -> bool {
    handler == on_fatal_signal as *const () as usize
}

/// Notes the stack and returns: the signal occurs again, with its default effect.
unsafe extern "C" fn on_fatal_signal(signal: c_int, info: *const siginfo_t, context: *const ucontext_t) {
    // SAFETY: the kernel passes both.
    let (registers, sent) = unsafe { ((*context).uc_mcontext.gregs, (*info).si_code <= 0) };
    let mut frames = CrashFrames { count: 0 };
    // A breakpoint is reported after its instruction.
    frames.add(registers[REG_RIP as usize] as usize - usize::from(signal == SIGTRAP));
    let stack = registers[REG_RSP as usize] as usize;
    match signal {
        SIGSEGV | SIGBUS if !sent => {
            // SAFETY: these signals have an address, unless the processor does not know it.
            let (address, has_address) = unsafe { ((*info).si_addr() as usize, (*info).si_code < SI_KERNEL) };
            let writes = registers[REG_ERR as usize] & WRITE_FAULT != 0;
            note_access(if has_address { address } else { usize::MAX }, writes, stack);
        }
        SIGABRT => note_message(),
        _ => {}
    }
    frames.search(stack);
    if sent {
        // The signal was sent, by `abort` or by another process, so it will not occur again by itself. The
        // default action is in effect again.
        system::raise(signal);
    }
}

/// Notes the address of an invalid access.
fn note_access(address: usize, writes: bool, stack: usize) {
    let bit = |set: bool, bit: u32| if set { bit } else { 0 };
    let near = address.abs_diff(stack) < STACK_REACH;
    let control = recorder().control();
    control.fault_address = address as u64;
    control.fault = fault::ACCESS | bit(writes, fault::WRITE) | bit(near, fault::NEAR_STACK);
}

/// Notes the C library's message.
fn note_message() {
    let location = &raw const __abort_msg;
    if location.is_null() {
        return;
    }
    // SAFETY: the C library's own variable, null as long as there is no message.
    let message = unsafe { *location };
    if message.is_null() {
        return;
    }
    // SAFETY: it points to a mapping of that many bytes, text and zeros.
    let (size, text) = unsafe { ((*message).size as usize, (*message).text.as_ptr()) };
    let room = (MESSAGE_WORDS * 8).min(size.saturating_sub(size_of::<u32>()));
    let control = recorder().control();
    // SAFETY: both are at least so large.
    unsafe { core::ptr::copy_nonoverlapping(text, (&raw mut control.message) as *mut u8, room) };
}

/// Code addresses of the crash, written to the control page.
struct CrashFrames {
    count: usize,
}

impl CrashFrames {
    fn add(&mut self, address: usize) {
        let code = code();
        if code.contains(&address) && self.count < CRASH_FRAMES {
            recorder().control().crash[self.count] = (address - code.start) as u64;
            self.count += 1;
        }
    }

    fn search(&mut self, stack: usize) {
        let end = STACK_END.load(Ordering::Relaxed);
        if stack > end || end - stack > LARGEST_STACK {
            // Another stack, whose end is unknown.
            return;
        }
        let stack = first_mapped(stack);
        let end = end.min(stack.saturating_add(SEARCHED_WORDS * 8));
        let mut at = stack.next_multiple_of(8);
        while at + 8 <= end && self.count < CRASH_FRAMES {
            // SAFETY: between the stack pointer and the end of the main stack.
            let word = unsafe { *(at as *const usize) };
            if follows_call(word) {
                // Inside the call: the return address may belong to another line, or another function.
                self.add(word - 1);
            }
            at += 8;
        }
    }
}

/// Returns the first address of the stack from this one on that can be read: a stack that has overflowed
/// begins above the stack pointer.
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

/// True if an address is in the program's code, right after a call instruction.
fn follows_call(address: usize) -> bool {
    let code = code();
    if address < code.start + 8 || address >= code.end {
        return false;
    }
    // The range has holes: the page before the first page of code need not be mapped.
    if address % (PAGE as usize) < 6 {
        return false;
    }
    // SAFETY: on a page of the program's own code, which is readable.
    let before = |n: usize| unsafe { *((address - n) as *const u8) };
    const CALL: u8 = 0xe8;
    const GROUP: u8 = 0xff;
    before(5) == CALL || before(6) == GROUP || before(3) == GROUP || before(2) == GROUP
}
