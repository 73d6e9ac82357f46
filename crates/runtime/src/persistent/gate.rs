//! The gate: intercepts the program's system calls.
//!
//! With syscall user dispatch (`PR_SET_SYSCALL_USER_DISPATCH`) the kernel sends SIGSYS instead of executing a
//! system call, unless the call comes from one exempt range of code (`syscall.rs`) or a selector byte in
//! memory allows it. The handler makes the call itself if its effect can be undone, and notes what to undo.
//! Otherwise it opens the gate for good and has the program repeat the call: the run is then an ordinary one,
//! and the process ends with it.

use super::address_space::{ProgramBreak, RunMappings};
use super::descriptors::Descriptors;
use super::signals::Signals;
use super::verdict::Verdict;
use super::{end_run, is_worth_reset, process};
use crate::syscall::{self, call, call_with};
use crate::system::SignalAction;
use cairn_wire::shadow;
use libc::{REG_R8, REG_R9, REG_R10, REG_RAX, REG_RDI, REG_RDX, REG_RIP, REG_RSI, c_int, ucontext_t};

/// Bytes of the instructions that make a system call, `syscall` and `int 0x80`.
const INSTRUCTION: i64 = 2;
/// System calls of a run; with more of them the signals cost more than a fork would.
const MAX_CALLS: u32 = 500;
/// Architecture of 64-bit calls in `siginfo_t`. 32-bit calls have other numbers.
const AUDIT_ARCH_X86_64: u32 = 0xc000_003e;

const PR_SET_SYSCALL_USER_DISPATCH: u64 = 59;
const PR_SYS_DISPATCH_ON: u64 = 1;
const SELECTOR_ALLOW: u8 = 0;
const SELECTOR_BLOCK: u8 = 1;

/// State of the interception, and the effects to undo.
pub struct SyscallGate {
    /// Selector byte, read by the kernel.
    selector: u8,
    /// Previous action of SIGSYS.
    before: SignalAction,
    /// Effects on descriptors.
    pub descriptors: Descriptors,
    /// Effects of `brk`.
    pub heap: ProgramBreak,
    /// Effects of `mmap` and `munmap`.
    pub mappings: RunMappings,
    /// Effects on signals.
    pub signals: Signals,
    /// File mode creation mask before the run changed it.
    umask: Option<u64>,
    /// System calls of the run so far.
    calls: u32,
}

/// `siginfo_t` of an intercepted system call.
#[repr(C)]
struct CallInfo {
    before: [u32; 7],
    architecture: u32,
}

unsafe extern "C" fn on_call(_signal: c_int, info: *const CallInfo, context: *mut ucontext_t) {
    let Some(process) = process() else { return };
    // SAFETY: the kernel passes the interrupted context, and restores it afterwards.
    let (info, context) = unsafe { (&*info, &mut *context) };
    // SAFETY: the kernel uses only the first word of the set.
    let blocked = unsafe { &mut *(&raw mut context.uc_sigmask as *mut u64) };
    let registers = &mut context.uc_mcontext.gregs;
    let number = registers[REG_RAX as usize];
    let order = [REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9];
    let arguments = order.map(|register| registers[register as usize] as u64);
    process.gate.calls += 1;
    let is_known = info.architecture == AUDIT_ARCH_X86_64 && process.gate.calls < MAX_CALLS;
    let verdict = if is_known { process.gate.judge(number, arguments, blocked) } else { Verdict::Lasting };
    let verdict = match verdict {
        Verdict::Ends(_) if !is_worth_reset(process) => Verdict::Lasting,
        verdict => verdict,
    };
    match verdict {
        Verdict::Harmless => registers[REG_RAX as usize] = call_with(number, arguments),
        Verdict::Done(answer) => registers[REG_RAX as usize] = answer,
        Verdict::Ends(code) => end_run(code),
        Verdict::Direct => {
            registers[REG_RIP as usize] = syscall::direct(registers[REG_RIP as usize] as usize) as i64;
            process.gate.install_handler();
        }
        Verdict::Lasting => {
            registers[REG_RIP as usize] -= INSTRUCTION;
            process.gate.open_for_good();
        }
    }
}

impl SyscallGate {
    /// Installs the gate, open for now; false, with nothing changed, if that is impossible.
    pub fn prepare(&mut self) -> bool {
        self.close(false);
        if !Signals::can_stop_unnoticed() || !self.install_dispatch() {
            return false;
        }
        self.heap.prepare();
        self.mappings.prepare();
        self.descriptors.prepare();
        self.signals.prepare();
        (self.umask, self.calls) = (None, 0);
        self.before = self.install_handler();
        true
    }

    fn install_dispatch(&self) -> bool {
        let exempt = syscall::exempt_code();
        let (start, len) = (exempt.start, exempt.end - exempt.start);
        let selector = &raw const self.selector as u64;
        call(libc::SYS_prctl, [PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, start, len, selector]) == 0
    }

    /// Installs the handler and returns the previous action. It runs on the runtime's alternate stack, unless
    /// the program has an alternate stack of its own: so the program's stack stays as it would be without the
    /// gate.
    fn install_handler(&self) -> SignalAction {
        let stack = if self.signals.has_own_stack() { 0 } else { libc::SA_ONSTACK };
        let flags = libc::SA_SIGINFO | libc::SA_NODEFER | stack;
        SignalAction::calling(on_call as *const () as usize, flags).set(libc::SIGSYS)
    }

    /// Starts (`closed`) or stops to intercept calls.
    pub fn close(&mut self, closed: bool) {
        let selector = if closed { SELECTOR_BLOCK } else { SELECTOR_ALLOW };
        // SAFETY: our own field, which the kernel reads.
        unsafe { (&raw mut self.selector).write_volatile(selector) };
    }

    /// Turns the run into an ordinary one.
    fn open_for_good(&mut self) {
        self.close(false);
        self.heap.release();
        self.descriptors.release();
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
            libc::SYS_dup if self.descriptors.is_writable(first) => {
                self.descriptors.create(number, arguments)
            }
            libc::SYS_dup2 | libc::SYS_dup3 => self.descriptors.replace(number, arguments),
            libc::SYS_close => self.descriptors.close(first),
            libc::SYS_fcntl => self.fcntl(arguments),
            libc::SYS_brk => self.heap.set_end(first),
            libc::SYS_mmap => self.mappings.map(arguments),
            libc::SYS_munmap => self.mappings.unmap(first, second),
            libc::SYS_madvise => harmless_if(is_shadow(first)),
            libc::SYS_rt_sigprocmask => self.signals.block(arguments, blocked),
            libc::SYS_rt_sigaction => self.signals.handle(arguments),
            libc::SYS_sigaltstack => self.signals.set_stack(first),
            // Clocks of the process's own time would reveal earlier runs.
            libc::SYS_clock_gettime => harmless_if(!CPU_CLOCKS.contains(&(first as c_int))),
            libc::SYS_umask => self.set_umask(first),
            libc::SYS_prlimit64 => harmless_if(third == 0),
            libc::SYS_ioctl => {
                harmless_if(matches!(second, libc::TCGETS | libc::TIOCGWINSZ | libc::FIONREAD))
            }
            libc::SYS_futex => harmless_if(second as c_int & !libc::FUTEX_PRIVATE_FLAG == libc::FUTEX_WAKE),
            _ => harmless_if(QUERIES.contains(&number)),
        }
    }

    fn fcntl(&mut self, arguments: [u64; 6]) -> Verdict {
        let [descriptor, command, ..] = arguments;
        match command as c_int {
            libc::F_GETFD | libc::F_GETFL => Verdict::Harmless,
            // File status flags belong to the open file, not to the process: a fork would not undo them
            // either.
            libc::F_SETFL if self.descriptors.is_writable(descriptor) => Verdict::Harmless,
            libc::F_SETFD if self.descriptors.is_opened(descriptor) => Verdict::Harmless,
            libc::F_DUPFD | libc::F_DUPFD_CLOEXEC if self.descriptors.is_writable(descriptor) => {
                self.descriptors.create(libc::SYS_fcntl, arguments)
            }
            _ => Verdict::Lasting,
        }
    }

    fn set_umask(&mut self, mask: u64) -> Verdict {
        let before = call(libc::SYS_umask, [mask]);
        self.umask.get_or_insert(before as u64);
        Verdict::Done(before)
    }

    /// Undoes the effects of the run's system calls, and clears the labels of what it has mapped.
    pub fn undo(&mut self) {
        self.descriptors.undo();
        self.mappings.undo();
        self.heap.undo();
        self.signals.undo();
        self.install_handler();
        self.calls = 0;
        if let Some(mask) = self.umask.take() {
            call(libc::SYS_umask, [mask]);
        }
    }
}

fn is_shadow(address: u64) -> bool {
    (shadow::BASE..shadow::BASE + shadow::SIZE).contains(&address)
}

/// Clocks of the process itself.
const CPU_CLOCKS: [c_int; 2] = [libc::CLOCK_PROCESS_CPUTIME_ID, libc::CLOCK_THREAD_CPUTIME_ID];

/// System calls without any effect beyond the program's own memory.
const QUERIES: [i64; 33] = [
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
