//! Persistent mode: one process makes many runs.
//!
//! Forking a run, faulting in its pages and tearing them down again costs more than most runs do. If a run
//! has changed nothing but its own memory, all of that can be undone: the process restores its memory, stops,
//! and the server continues it for the next run instead of forking another process.
//!
//! ```text
//! fork ── begin: copy of the memory ── run ── exit ── reset ── stopped ── continued ── run ── ...
//!                                       │
//!                                       └─ a system call that cannot be undone: from here on an ordinary run
//! ```
//!
//! - `gate` intercepts every system call of the program. A call with a lasting effect turns the process into
//!   an ordinary one, which ends with its run; so does a crash, or a signal that kills it.
//! - `descriptors`, `address_space` and `signals` each undo the effects of one family of system calls.
//! - `memory_image` is the copy of all writable memory, and restores it.
//!
//! The process's own data lies in a reservation of its own, which is no part of the image.

mod address_space;
mod descriptors;
mod gate;
mod memory_image;
mod signals;
mod verdict;

use crate::memory::{self, reserve_guarded};
use crate::objects;
use crate::recorder::recorder;
use crate::shadow;
use crate::system;
use cairn_wire::control::{self, PAGE};
use core::arch::{asm, global_asm};
use core::ffi::c_int;
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use gate::SyscallGate;
use memory_image::MemoryImage;

/// Size of the stack on which a run is reset while its own stack is restored.
const RESET_STACK: usize = 1 << 16;
/// Bytes below the stack pointer that are zero when `main` begins, in every process. Further below are
/// untouched pages.
pub const ZEROED_STACK: usize = 1 << 15;
/// Largest main stack; the driver sets the limit.
const STACK_LIMIT: usize = 8 << 20;

/// Runs of one process: a chosen bound, so that any state that is not restored does not persist for long.
const MAX_RUNS: u64 = 1_000;
/// Labels from which on a new process is cheaper than clearing 40 MiB.
const MAX_LABELS: u32 = 1 << 20;

/// Data of a process in persistent mode.
struct PersistentProcess {
    /// Stack pointer at the beginning of a run.
    stack: usize,
    /// Code that begins a run with that stack pointer.
    entry: usize,
    /// Number of reservations of the runtime before the first run.
    reserved: usize,
    /// Runs before this one.
    runs: u64,
    /// Size of the label table's index in the last run.
    index_bits: u32,
    float_control: FloatControl,
    image: MemoryImage,
    gate: SyscallGate,
}

/// Size of that data and of the stack above it.
const RESERVATION: usize = size_of::<PersistentProcess>().next_multiple_of(16) + RESET_STACK;

/// Null in a process that makes one run.
static PROCESS: AtomicPtr<PersistentProcess> = AtomicPtr::new(null_mut());

fn process() -> Option<&'static mut PersistentProcess> {
    // SAFETY: lives as long as the process, and only its one thread asks for it.
    unsafe { PROCESS.load(Ordering::Relaxed).as_mut() }
}

global_asm!(
    ".text",
    ".hidden __cairn_reset_on",
    ".type __cairn_reset_on,@function",
    "__cairn_reset_on:",
    "mov rsp, rdi",
    "mov edi, esi",
    "call {reset}",
    "ud2",
    reset = sym reset,
);

unsafe extern "C" {
    fn __cairn_reset_on(stack: usize, code: c_int) -> !;
}

/// Sets whether processes forked from now on try to be persistent.
pub fn set_wanted(wanted: bool) {
    WANTED.store(wanted, Ordering::Relaxed);
}

static WANTED: AtomicBool = AtomicBool::new(false);

/// Prepares the process before its first run. Every run begins by a jump to `entry` with the stack pointer at
/// `stack`.
pub extern "C" fn begin(stack: usize, entry: usize) {
    clear_stack(stack);
    if WANTED.load(Ordering::Relaxed) && !prepare(stack, entry) {
        PROCESS.store(null_mut(), Ordering::Relaxed);
    }
}

/// Copies the memory that a run may change; false if that is too much, or if system calls cannot be
/// intercepted.
fn prepare(stack: usize, entry: usize) -> bool {
    let at = reserve_guarded(RESERVATION) as *mut PersistentProcess;
    // Stored before the copy is made, so that the restored memory has it, too.
    PROCESS.store(at, Ordering::Relaxed);
    // SAFETY: a fresh reservation of this size; every part is written before it is read.
    let is_ready = unsafe { (*at).image.prepare(stack) && (*at).gate.prepare() };
    let Some(process) = process().filter(|_| is_ready) else { return false };
    (process.stack, process.entry, process.runs) = (stack, entry, 0);
    process.float_control = FloatControl::current();
    process.reserved = memory::reserved().map_or(0, <[_]>::len);
    process.image.copy();
    true
}

/// Returns the size of the label table's index in the last run of this process, if there was one: its pages
/// are mapped.
pub fn last_index_bits() -> Option<u32> {
    process().filter(|process| process.runs > 0).map(|process| process.index_bits)
}

/// Starts to intercept the program's system calls.
pub fn close_gate() {
    if let Some(process) = process() {
        process.gate.close(true);
    }
}

/// True if a reset is cheaper than a new process after this run.
fn is_worth_reset(process: &PersistentProcess) -> bool {
    process.runs < MAX_RUNS && recorder().control().labels < MAX_LABELS && memory::reserved().is_some()
}

/// Ends a run with this exit code and makes the process ready for the next one.
fn end_run(code: c_int) -> ! {
    let top = PROCESS.load(Ordering::Relaxed) as usize + RESERVATION;
    // SAFETY: nothing else uses this stack.
    unsafe { __cairn_reset_on(top, code) }
}

/// Restores everything, waits until the server continues the process, and begins the next run.
extern "C" fn reset(code: c_int) -> ! {
    let Some(process) = process() else { system::exit(0) };
    process.gate.close(false);
    for range in memory::reserved().into_iter().flatten().skip(process.reserved) {
        memory::release(range);
    }
    clear_labels(process);
    process.index_bits = recorder().table.clear();
    process.gate.undo();
    process.image.restore();
    process.runs += 1;
    wait_for_next(code);
    process.float_control.set();
    // SAFETY: the stack is as it was when the first run began there.
    unsafe {
        asm!("mov rsp, {0}", "jmp {1}", in(reg) process.stack, in(reg) process.entry, options(noreturn));
    }
}

/// Reports to the server that a run has ended with this code and is undone, and stops until the next one.
fn wait_for_next(code: c_int) {
    let control = recorder().control();
    control.exit_code = code as u32;
    control.waits = control::WAITS;
    system::raise(libc::SIGSTOP);
}

/// Clears all labels of memory, wherever the run may have left some.
fn clear_labels(process: &PersistentProcess) {
    let (lowest, edge) = clear_stack(process.stack);
    let grown = process.gate.heap.grown();
    for range in process.image.ranges().chain([edge as u64..process.stack as u64, grown.clone()]) {
        shadow::clear_labels(range);
    }
    memory::drop_shadow(lowest as u64, (edge - lowest) as u64);
    shadow::clear_summary();
    // A block that `malloc` has mapped by itself begins on its first page.
    let mapped = process.gate.mappings.ranges().map(|range| range.start..range.start + PAGE);
    for range in process.image.heap().into_iter().chain([grown]).chain(mapped) {
        objects::forget(range);
    }
}

/// Drops the pages of the stack below the part that is overwritten with zeros; returns their range.
fn clear_stack(stack: usize) -> (usize, usize) {
    let page = PAGE as usize;
    let (lowest, edge) = ((stack - STACK_LIMIT) / page * page, (stack - ZEROED_STACK).next_multiple_of(page));
    memory::drop_pages(lowest..edge);
    (lowest, edge)
}

/// The floating-point control registers: rounding modes and masked exceptions.
struct FloatControl {
    mxcsr: u32,
    x87: u16,
}

impl FloatControl {
    fn current() -> FloatControl {
        let (mut mxcsr, mut x87) = (0u32, 0u16);
        // SAFETY: stores two control registers.
        unsafe {
            asm!("stmxcsr [{0}]", "fnstcw [{1}]", in(reg) &mut mxcsr, in(reg) &mut x87, options(nostack))
        };
        FloatControl { mxcsr, x87 }
    }

    fn set(&self) {
        // SAFETY: sets both to what they were.
        unsafe {
            asm!("fninit", "ldmxcsr [{0}]", "fldcw [{1}]", in(reg) &self.mxcsr, in(reg) &self.x87, options(nostack));
        }
    }
}
