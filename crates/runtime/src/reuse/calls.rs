//! The program's system calls, one by one.
//!
//! The kernel can be told (`PR_SET_SYSCALL_USER_DISPATCH`) to send a signal instead of doing what a system call asks for, unless the call comes
//! from one piece of code or a byte in memory says otherwise. The handler makes the call itself if it leaves nothing behind that could not be
//! undone, and remembers what is to be undone. Otherwise it opens the gate for good and has the call made once more: the run is then as any
//! other, and the process ends with it.

use super::{end, is_worth_undoing, kept};
use crate::memory;
use cairn_wire::control::PAGE;
use cairn_wire::shadow;
use core::arch::global_asm;
use core::ops::Range;
use libc::{
    REG_R8, REG_R9, REG_R10, REG_RAX, REG_RDI, REG_RDX, REG_RIP, REG_RSI, c_int, c_long, siginfo_t,
    ucontext_t,
};

/// Descriptors that can be remembered.
const DESCRIPTORS: u64 = 64;
/// Mappings that can be remembered, and their size.
const MAPPINGS: usize = 32;
const MAPPED_BYTES: u64 = 1 << 20;
/// A heap that has grown by more is given back: looking through it would take longer.
const GROWN_BYTES: u64 = 1 << 20;
/// Bytes of a set of signals.
const SIGNAL_SET: u64 = 8;
/// Bytes of the instruction that makes a system call.
const INSTRUCTION: i64 = 2;

const PR_SET_SYSCALL_USER_DISPATCH: u64 = 59;
const PR_SYS_DISPATCH_ON: u64 = 1;
const SELECTOR_ALLOW: u8 = 0;
const SELECTOR_BLOCK: u8 = 1;
const SA_RESTORER: u64 = 0x0400_0000;
/// Linux 5.14.
const MADV_POPULATE_WRITE: u64 = 23;

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
    ".hidden __cairn_calls_end",
    "__cairn_calls_end:",
);

unsafe extern "C" {
    static __cairn_calls_start: u8;
    static __cairn_calls_end: u8;
    fn __cairn_call(number: c_long, arguments: *const [u64; 6]) -> i64;
    fn __cairn_return();
}

/// Makes a system call, gate or no gate; the answer is as the kernel gives it.
pub fn call(number: c_long, arguments: [u64; 6]) -> i64 {
    // SAFETY: callers ask for what is theirs to ask for.
    unsafe { __cairn_call(number, &arguments) }
}

/// How the kernel knows a signal's handler.
#[derive(Clone, Copy)]
#[repr(C)]
struct Action {
    handler: usize,
    flags: u64,
    restorer: usize,
    mask: u64,
}

/// What decides on system calls, and what is to be undone.
pub struct Gate {
    /// Read by the kernel.
    selector: u8,
    /// What the signal did before.
    before: Action,
    /// Descriptors opened, by bits.
    opened: u64,
    /// Memory mapped; empty where it was unmapped.
    mapped: [Mapping; MAPPINGS],
    mappings: usize,
    mapped_bytes: u64,
    heap: Heap,
}

#[derive(Clone, Copy)]
struct Mapping {
    start: u64,
    len: u64,
    is_there: bool,
}

/// The end of the heap, as `brk` sets it.
#[derive(Clone, Copy)]
struct Heap {
    /// Before the first run.
    first: u64,
    /// As the program knows it.
    now: u64,
    /// As far as this run has come.
    highest: u64,
    /// As the kernel knows it: pages that were there stay for the next run.
    reached: u64,
}

/// What becomes of a system call.
enum Verdict {
    /// It leaves nothing behind.
    Harmless,
    /// It was made; this is the answer.
    Done(i64),
    /// The program ends with this code.
    Ends(c_int),
    /// It leaves something behind.
    Lasting,
}

/// Has the program's system calls go through the gate; false if the kernel cannot do that.
pub fn watch(gate: Option<&mut Gate>) -> bool {
    let Some(gate) = gate else { return false };
    let end = call(libc::SYS_brk, [0; 6]) as u64;
    gate.heap = Heap { first: end, now: end, highest: end, reached: end };
    (gate.opened, gate.mappings, gate.mapped_bytes) = (0, 0, 0);
    let flags = (libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER) as u64 | SA_RESTORER;
    let handler = on_call as *const () as usize;
    let action = Action { handler, flags, restorer: __cairn_return as *const () as usize, mask: 0 };
    let (new, old) = (&raw const action as u64, &raw mut gate.before as u64);
    if call(libc::SYS_rt_sigaction, [libc::SIGSYS as u64, new, old, SIGNAL_SET, 0, 0]) != 0 {
        return false;
    }
    let start = &raw const __cairn_calls_start as u64;
    let len = &raw const __cairn_calls_end as u64 - start;
    let selector = &raw const gate.selector as u64;
    let on = [PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, start, len, selector, 0];
    let watched = call(libc::SYS_prctl, on) == 0;
    if !watched {
        gate.restore_action();
    }
    watched
}

unsafe extern "C" fn on_call(_signal: c_int, _info: *const siginfo_t, context: *mut ucontext_t) {
    let Some(kept) = kept() else { return };
    // SAFETY: the kernel passes the registers, and takes them back.
    let registers = unsafe { &mut (*context).uc_mcontext.gregs };
    let number = registers[REG_RAX as usize];
    let order = [REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9];
    let arguments = order.map(|register| registers[register as usize] as u64);
    let verdict = match kept.gate.judge(number, arguments) {
        Verdict::Ends(_) if !is_worth_undoing(kept) => Verdict::Lasting,
        verdict => verdict,
    };
    match verdict {
        Verdict::Harmless => registers[REG_RAX as usize] = call(number, arguments),
        Verdict::Done(answer) => registers[REG_RAX as usize] = answer,
        Verdict::Ends(code) => end(code),
        Verdict::Lasting => {
            kept.gate.open_for_good();
            registers[REG_RIP as usize] -= INSTRUCTION;
        }
    }
}

impl Gate {
    /// Whether calls are looked at from now on.
    pub fn close(&mut self, closed: bool) {
        let selector = if closed { SELECTOR_BLOCK } else { SELECTOR_ALLOW };
        // SAFETY: a field of ours, which the kernel reads.
        unsafe { (&raw mut self.selector).write_volatile(selector) };
    }

    fn open_for_good(&mut self) {
        self.close(false);
        // The heap is the kernel's again, where the program believes that it is.
        if self.heap.reached != self.heap.now {
            call(libc::SYS_brk, [self.heap.now, 0, 0, 0, 0, 0]);
        }
        self.restore_action();
    }

    fn restore_action(&mut self) {
        let before = &raw const self.before as u64;
        call(libc::SYS_rt_sigaction, [libc::SIGSYS as u64, before, 0, SIGNAL_SET, 0, 0]);
    }

    fn judge(&mut self, number: i64, arguments: [u64; 6]) -> Verdict {
        let [first, second, third, ..] = arguments;
        let harmless_if = |harmless| if harmless { Verdict::Harmless } else { Verdict::Lasting };
        match number {
            libc::SYS_exit_group => Verdict::Ends(first as c_int),
            libc::SYS_read
            | libc::SYS_pread64
            | libc::SYS_readv
            | libc::SYS_lseek
            | libc::SYS_getdents64
            | libc::SYS_fadvise64 => harmless_if(first == 0 || self.is_open(first)),
            libc::SYS_write | libc::SYS_writev => harmless_if(first == 1 || first == 2),
            libc::SYS_open => self.open(number, second, arguments),
            libc::SYS_openat => self.open(number, third, arguments),
            libc::SYS_close => self.close_descriptor(first),
            libc::SYS_brk => Verdict::Done(self.heap.set_end(first) as i64),
            libc::SYS_mmap => self.map(arguments),
            libc::SYS_munmap => self.unmap(first, second),
            libc::SYS_madvise => harmless_if(third == MADV_POPULATE_WRITE || is_shadow(first)),
            libc::SYS_rt_sigprocmask => self.block(arguments),
            libc::SYS_rt_sigaction => harmless_if(second == 0),
            libc::SYS_prlimit64 => harmless_if(third == 0),
            libc::SYS_fcntl => harmless_if(matches!(second as c_int, libc::F_GETFD | libc::F_GETFL)),
            libc::SYS_ioctl => {
                harmless_if(matches!(second, libc::TCGETS | libc::TIOCGWINSZ | libc::FIONREAD))
            }
            libc::SYS_futex => harmless_if(second as c_int & !libc::FUTEX_PRIVATE_FLAG == libc::FUTEX_WAKE),
            _ => harmless_if(ONLY_ASKS.contains(&number)),
        }
    }

    fn is_open(&self, descriptor: u64) -> bool {
        descriptor < DESCRIPTORS && self.opened >> descriptor & 1 != 0
    }

    /// Opening for reading is undone by closing.
    fn open(&mut self, number: i64, flags: u64, arguments: [u64; 6]) -> Verdict {
        let changes = libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC | libc::O_TMPFILE & !libc::O_DIRECTORY;
        if flags as c_int & changes != libc::O_RDONLY {
            return Verdict::Lasting;
        }
        let answer = call(number, arguments);
        match u64::try_from(answer) {
            Ok(descriptor) if descriptor >= DESCRIPTORS => {
                call(libc::SYS_close, [descriptor, 0, 0, 0, 0, 0]);
                return Verdict::Lasting;
            }
            Ok(descriptor) => self.opened |= 1 << descriptor,
            Err(_) => {}
        }
        Verdict::Done(answer)
    }

    fn close_descriptor(&mut self, descriptor: u64) -> Verdict {
        if !self.is_open(descriptor) {
            return Verdict::Lasting;
        }
        self.opened &= !(1 << descriptor);
        Verdict::Harmless
    }

    /// A private mapping where the kernel wants it is undone by unmapping.
    fn map(&mut self, arguments: [u64; 6]) -> Verdict {
        let [address, len, rights, flags, ..] = arguments;
        let len = len.next_multiple_of(PAGE);
        let is_plain = address == 0
            && rights as c_int & libc::PROT_EXEC == 0
            && flags as c_int & (libc::MAP_PRIVATE | libc::MAP_SHARED | libc::MAP_FIXED) == libc::MAP_PRIVATE;
        if !is_plain || self.mappings == MAPPINGS || self.mapped_bytes.saturating_add(len) > MAPPED_BYTES {
            return Verdict::Lasting;
        }
        let answer = call(libc::SYS_mmap, arguments);
        if answer > 0 {
            self.mapped[self.mappings] = Mapping { start: answer as u64, len, is_there: true };
            (self.mappings, self.mapped_bytes) = (self.mappings + 1, self.mapped_bytes + len);
        }
        Verdict::Done(answer)
    }

    fn unmap(&mut self, start: u64, len: u64) -> Verdict {
        let len = len.next_multiple_of(PAGE);
        let mut known = self.mapped[..self.mappings].iter_mut();
        match known.find(|mapping| mapping.is_there && (mapping.start, mapping.len) == (start, len)) {
            Some(mapping) => {
                mapping.is_there = false;
                Verdict::Harmless
            }
            None => Verdict::Lasting,
        }
    }

    /// Signals may be blocked, but for the one that the gate needs. The image has those of the beginning.
    fn block(&mut self, arguments: [u64; 6]) -> Verdict {
        let [how, set, old, size, ..] = arguments;
        if set == 0 || size != SIGNAL_SET {
            return Verdict::Harmless;
        }
        // SAFETY: as the program would have the kernel do.
        let asked = unsafe { (set as *const u64).read_unaligned() };
        let needed = 1u64 << (libc::SIGSYS - 1);
        let signals = if how as c_int == libc::SIG_UNBLOCK { asked } else { asked & !needed };
        Verdict::Done(call(libc::SYS_rt_sigprocmask, [how, &raw const signals as u64, old, size, 0, 0]))
    }

    /// Undoes what the run has asked of the system.
    pub fn undo(&mut self) {
        for descriptor in (0..DESCRIPTORS).filter(|descriptor| self.opened >> descriptor & 1 != 0) {
            call(libc::SYS_close, [descriptor, 0, 0, 0, 0, 0]);
        }
        for mapping in &self.mapped[..self.mappings] {
            memory::drop_shadow(mapping.start, mapping.len);
            if mapping.is_there {
                call(libc::SYS_munmap, [mapping.start, mapping.len, 0, 0, 0, 0]);
            }
        }
        self.heap.give_back();
    }

    /// Forgets what was undone.
    pub fn begin_anew(&mut self) {
        (self.opened, self.mappings, self.mapped_bytes) = (0, 0, 0);
        (self.heap.now, self.heap.highest) = (self.heap.first, self.heap.first);
    }

    /// What the run has had of the heap beyond what was there.
    pub fn grown(&self) -> Range<u64> {
        self.heap.first..self.heap.highest
    }

    /// What the run has mapped.
    pub fn mapped(&self) -> impl Iterator<Item = Range<u64>> {
        self.mapped[..self.mappings].iter().map(|mapping| mapping.start..mapping.start + mapping.len)
    }
}

impl Heap {
    /// As `brk` does: the new end, or the old one if it cannot be had. What is given back is zeros when it is had again.
    fn set_end(&mut self, end: u64) -> u64 {
        if end < self.first {
            return self.now;
        }
        if end < self.now {
            zero(end..self.now);
        }
        if end > self.reached {
            self.reached = call(libc::SYS_brk, [end, 0, 0, 0, 0, 0]) as u64;
            if self.reached < end {
                return self.now;
            }
        }
        self.now = end;
        self.highest = self.highest.max(end);
        end
    }

    fn give_back(&mut self) {
        if self.reached - self.first > GROWN_BYTES {
            memory::drop_shadow(self.first, self.reached - self.first);
            self.reached = call(libc::SYS_brk, [self.first, 0, 0, 0, 0, 0]) as u64;
        } else {
            zero(self.first..self.highest);
        }
    }
}

/// Makes zeros of memory, and touches no page that is all zeros already.
fn zero(range: Range<u64>) {
    let mut at = range.start;
    while at < range.end {
        let end = (at / PAGE + 1) * PAGE;
        let len = (end.min(range.end) - at) as usize;
        // SAFETY: part of the heap, which the program has given back.
        let bytes = unsafe { core::slice::from_raw_parts_mut(at as *mut u8, len) };
        if bytes.iter().fold(0, |or, byte| or | byte) != 0 {
            bytes.fill(0);
        }
        at = end;
    }
}

fn is_shadow(address: u64) -> bool {
    (shadow::BASE..shadow::BASE + shadow::SIZE).contains(&address)
}

/// Calls that change nothing, or nothing but memory of the program's.
const ONLY_ASKS: [i64; 35] = [
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
    libc::SYS_getrusage,
    libc::SYS_getitimer,
    libc::SYS_gettimeofday,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_time,
    libc::SYS_getrandom,
    libc::SYS_sched_yield,
];
