//! The program's system calls, one by one.
//!
//! The kernel can be told (`PR_SET_SYSCALL_USER_DISPATCH`) to send a signal instead of doing what a system call asks for, unless the call comes
//! from one piece of code or a byte in memory says otherwise. The handler makes the call itself if it leaves nothing behind that could not be
//! undone, and remembers what is to be undone. Otherwise it opens the gate for good and has the call made once more: the run is then as any
//! other, and the process ends with it.

use super::descriptors::Descriptors;
use super::room::{Heap, Mappings};
use super::signals::Signals;
use super::{end, is_worth_undoing, kept};
use crate::system::Action;
use cairn_wire::shadow;
use core::arch::global_asm;
use core::sync::atomic::{AtomicUsize, Ordering};
use libc::{REG_R8, REG_R9, REG_R10, REG_RAX, REG_RDI, REG_RDX, REG_RIP, REG_RSI, c_int, c_long, ucontext_t};

/// Bytes of the instruction that makes a system call, in either way.
const INSTRUCTION: i64 = 2;
/// A signal for every call makes a run with more of them slower than a process of its own would.
const MOST_CALLS: u32 = 500;
/// The kernel's name for calls of 64-bit programs. The others have other numbers.
const AUDIT_ARCH_X86_64: u32 = 0xc000_003e;

const PR_SET_SYSCALL_USER_DISPATCH: u64 = 59;
const PR_SYS_DISPATCH_ON: u64 = 1;
const SELECTOR_ALLOW: u8 = 0;
const SELECTOR_BLOCK: u8 = 1;

// Calls from here are made, whatever the gate says. What returns from a signal is one of them.
global_asm!(
    ".text",
    ".hidden __cairn_calls_start",
    "__cairn_calls_start:",
    ".hidden __cairn_call",
    ".type __cairn_call,@function",
    "__cairn_call:",
    "mov rax, rdi",
    "mov r11, rsi",
    "mov rdi, [r11]",
    "mov rsi, [r11 + 8]",
    "mov rdx, [r11 + 16]",
    "mov r10, [r11 + 24]",
    "mov r8, [r11 + 32]",
    "mov r9, [r11 + 40]",
    "syscall",
    "ret",
    ".hidden __cairn_return",
    ".type __cairn_return,@function",
    "__cairn_return:",
    "mov eax, 15",
    "syscall",
    "ud2",
    // The program's own call, with its registers and on its stack; then back to it. A call changes rcx anyway.
    ".hidden __cairn_direct",
    ".type __cairn_direct,@function",
    "__cairn_direct:",
    "syscall",
    "mov rcx, qword ptr [rip + {back}]",
    "jmp rcx",
    ".hidden __cairn_calls_end",
    "__cairn_calls_end:",
    back = sym BACK,
);

/// Where the program goes on after a call that it makes by itself.
static BACK: AtomicUsize = AtomicUsize::new(0);

unsafe extern "C" {
    static __cairn_calls_start: u8;
    static __cairn_calls_end: u8;
    fn __cairn_call(number: c_long, arguments: *const [u64; 6]) -> i64;
    fn __cairn_direct();
}

/// Makes a system call, gate or no gate; the answer is as the kernel gives it.
pub fn call_with(number: c_long, arguments: [u64; 6]) -> i64 {
    // SAFETY: callers ask for what is theirs to ask for.
    unsafe { __cairn_call(number, &arguments) }
}

/// As [`call_with`], with zeros for the arguments that are not told.
pub fn call<const N: usize>(number: c_long, told: [u64; N]) -> i64 {
    let mut arguments = [0; 6];
    arguments[..N].copy_from_slice(&told);
    call_with(number, arguments)
}

/// What decides on system calls, and what is to be undone.
pub struct Gate {
    /// Read by the kernel.
    selector: u8,
    /// What the signal did before.
    before: Action,
    pub descriptors: Descriptors,
    pub heap: Heap,
    pub mappings: Mappings,
    pub signals: Signals,
    /// Rights that new files do not get, as they were before the run changed them.
    file_mask: Option<u64>,
    /// Calls of the run so far.
    calls: u32,
}

/// What becomes of a system call.
pub enum Verdict {
    /// It leaves nothing behind, or nothing that is not known.
    Harmless,
    /// It was made; this is the answer.
    Done(i64),
    /// It leaves nothing behind that is not known, but only the program itself can make it.
    Direct,
    /// The program ends with this code.
    Ends(c_int),
    /// It leaves something behind.
    Lasting,
}

/// What the kernel tells of a call.
#[repr(C)]
struct Told {
    before: [u32; 7],
    architecture: u32,
}

unsafe extern "C" fn on_call(_signal: c_int, told: *const Told, context: *mut ucontext_t) {
    let Some(kept) = kept() else { return };
    // SAFETY: the kernel passes what was interrupted, and takes it back.
    let (told, context) = unsafe { (&*told, &mut *context) };
    // SAFETY: the first word of the set is all that the kernel has.
    let blocked = unsafe { &mut *(&raw mut context.uc_sigmask as *mut u64) };
    let registers = &mut context.uc_mcontext.gregs;
    let number = registers[REG_RAX as usize];
    let order = [REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9];
    let arguments = order.map(|register| registers[register as usize] as u64);
    kept.gate.calls += 1;
    let is_known = told.architecture == AUDIT_ARCH_X86_64 && kept.gate.calls < MOST_CALLS;
    let verdict = if is_known { kept.gate.judge(number, arguments, blocked) } else { Verdict::Lasting };
    let verdict = match verdict {
        Verdict::Ends(_) if !is_worth_undoing(kept) => Verdict::Lasting,
        verdict => verdict,
    };
    match verdict {
        Verdict::Harmless => registers[REG_RAX as usize] = call_with(number, arguments),
        Verdict::Done(answer) => registers[REG_RAX as usize] = answer,
        Verdict::Ends(code) => end(code),
        Verdict::Direct => {
            BACK.store(registers[REG_RIP as usize] as usize, Ordering::Relaxed);
            registers[REG_RIP as usize] = __cairn_direct as *const () as i64;
            kept.gate.handle_calls();
        }
        Verdict::Lasting => {
            registers[REG_RIP as usize] -= INSTRUCTION;
            kept.gate.open_for_good();
        }
    }
}

impl Gate {
    /// Has the program's system calls go through the gate, which is open yet; false, with nothing changed, if that cannot be.
    pub fn prepare(&mut self) -> bool {
        self.close(false);
        if !Signals::can_wait_unnoticed() || !self.dispatch() {
            return false;
        }
        self.heap.prepare();
        self.mappings.prepare();
        self.descriptors.prepare();
        self.signals.prepare();
        (self.file_mask, self.calls) = (None, 0);
        self.before = self.handle_calls();
        true
    }

    fn dispatch(&self) -> bool {
        let start = &raw const __cairn_calls_start as u64;
        let len = &raw const __cairn_calls_end as u64 - start;
        let selector = &raw const self.selector as u64;
        call(libc::SYS_prctl, [PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, start, len, selector]) == 0
    }

    /// Has the handler called; gives what was before. It runs on the runtime's stack for handlers unless the program has one of its own: the
    /// program's stack then has nothing that it would not have otherwise.
    fn handle_calls(&self) -> Action {
        let stack = if self.signals.has_other_stack() { 0 } else { libc::SA_ONSTACK };
        let flags = libc::SA_SIGINFO | libc::SA_NODEFER | stack;
        Action::calling(on_call as *const () as usize, flags).set(libc::SIGSYS)
    }

    /// Whether calls are looked at from now on.
    pub fn close(&mut self, closed: bool) {
        let selector = if closed { SELECTOR_BLOCK } else { SELECTOR_ALLOW };
        // SAFETY: a field of ours, which the kernel reads.
        unsafe { (&raw mut self.selector).write_volatile(selector) };
    }

    /// The run goes on as any other.
    fn open_for_good(&mut self) {
        self.close(false);
        self.heap.let_go();
        self.descriptors.let_go();
        self.before.set(libc::SIGSYS);
    }

    fn judge(&mut self, number: i64, arguments: [u64; 6], blocked: &mut u64) -> Verdict {
        let [first, second, third, ..] = arguments;
        let harmless_if = |harmless| if harmless { Verdict::Harmless } else { Verdict::Lasting };
        match number {
            libc::SYS_exit_group => Verdict::Ends(first as c_int),
            libc::SYS_read
            | libc::SYS_pread64
            | libc::SYS_readv
            | libc::SYS_lseek
            | libc::SYS_getdents64
            | libc::SYS_fadvise64 => harmless_if(self.descriptors.is_readable(first)),
            libc::SYS_write | libc::SYS_writev => harmless_if(self.descriptors.is_writable(first)),
            libc::SYS_open => self.descriptors.open(number, second, arguments),
            libc::SYS_openat => self.descriptors.open(number, third, arguments),
            libc::SYS_dup if self.descriptors.is_writable(first) => self.descriptors.make(number, arguments),
            libc::SYS_dup2 | libc::SYS_dup3 => self.descriptors.replace(number, arguments),
            libc::SYS_close => self.descriptors.close(first),
            libc::SYS_fcntl => self.control(arguments),
            libc::SYS_brk => self.heap.set_end(first),
            libc::SYS_mmap => self.mappings.map(arguments),
            libc::SYS_munmap => self.mappings.unmap(first, second),
            libc::SYS_madvise => harmless_if(is_shadow(first)),
            libc::SYS_rt_sigprocmask => self.signals.block(arguments, blocked),
            libc::SYS_rt_sigaction => self.signals.handle(arguments),
            libc::SYS_sigaltstack => self.signals.set_stack(first),
            // Those of the process's own time would tell of earlier runs.
            libc::SYS_clock_gettime => harmless_if(!OWN_TIMES.contains(&(first as c_int))),
            libc::SYS_umask => self.mask_files(first),
            libc::SYS_prlimit64 => harmless_if(third == 0),
            libc::SYS_ioctl => {
                harmless_if(matches!(second, libc::TCGETS | libc::TIOCGWINSZ | libc::FIONREAD))
            }
            libc::SYS_futex => harmless_if(second as c_int & !libc::FUTEX_PRIVATE_FLAG == libc::FUTEX_WAKE),
            _ => harmless_if(ONLY_ASKS.contains(&number)),
        }
    }

    fn control(&mut self, arguments: [u64; 6]) -> Verdict {
        let [descriptor, what, ..] = arguments;
        match what as c_int {
            libc::F_GETFD | libc::F_GETFL => Verdict::Harmless,
            // What a file was opened with is not the process's own: it stays when a process ends.
            libc::F_SETFL if self.descriptors.is_writable(descriptor) => Verdict::Harmless,
            libc::F_SETFD if self.descriptors.is_opened(descriptor) => Verdict::Harmless,
            libc::F_DUPFD | libc::F_DUPFD_CLOEXEC if self.descriptors.is_writable(descriptor) => {
                self.descriptors.make(libc::SYS_fcntl, arguments)
            }
            _ => Verdict::Lasting,
        }
    }

    fn mask_files(&mut self, mask: u64) -> Verdict {
        let before = call(libc::SYS_umask, [mask]);
        self.file_mask.get_or_insert(before as u64);
        Verdict::Done(before)
    }

    /// Undoes what the run has asked of the system; labels of what it mapped go as well.
    pub fn undo(&mut self) {
        self.descriptors.undo();
        self.mappings.undo();
        self.heap.undo();
        self.signals.undo();
        self.handle_calls();
        self.calls = 0;
        if let Some(mask) = self.file_mask.take() {
            call(libc::SYS_umask, [mask]);
        }
    }
}

fn is_shadow(address: u64) -> bool {
    (shadow::BASE..shadow::BASE + shadow::SIZE).contains(&address)
}

const OWN_TIMES: [c_int; 2] = [libc::CLOCK_PROCESS_CPUTIME_ID, libc::CLOCK_THREAD_CPUTIME_ID];

/// Calls that change nothing, or nothing but memory of the program's.
const ONLY_ASKS: [i64; 33] = [
    libc::SYS_stat,
    libc::SYS_fstat,
    libc::SYS_lstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_statfs,
    libc::SYS_fstatfs,
    libc::SYS_access,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlink,
    libc::SYS_readlinkat,
    libc::SYS_getcwd,
    libc::SYS_getxattr,
    libc::SYS_lgetxattr,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_getppid,
    libc::SYS_getpgrp,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_getgroups,
    libc::SYS_uname,
    libc::SYS_sysinfo,
    libc::SYS_getrlimit,
    libc::SYS_getitimer,
    libc::SYS_gettimeofday,
    libc::SYS_clock_getres,
    libc::SYS_time,
    libc::SYS_getrandom,
    libc::SYS_sched_yield,
];
