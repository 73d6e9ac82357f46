//! One process for many runs.
//!
//! Forking a run, faulting in its pages and tearing them down again costs more than most runs do. Where a run has
//! changed nothing but its own memory, all that can be undone: the process then waits, stopped, as it was before the run, and the
//! server has it go on instead of forking another.
//!
//! ```text
//! fork ── begin: copy of the memory ── run ── exit ── undo ── stopped ── continued ── run ── ...
//!                                       │
//!                                       └─ a system call that cannot be undone: from here on an ordinary run
//! ```
//!
//! What a run has asked of the system is known, since every system call of the program comes by `calls` first. One that leaves
//! something behind makes the process an ordinary one, which ends when the run does. So does a crash, or whoever kills it.
//! Everything that the process needs for itself lies in a reservation of its own, which is no part of the copy.

mod calls;
mod descriptors;
mod image;
mod room;
mod signals;

use crate::memory::{self, reserve_apart};
use crate::objects;
use crate::server;
use crate::shadow;
use crate::state::state;
use cairn_wire::control::PAGE;
use calls::Gate;
pub use calls::call;
use core::arch::{asm, global_asm};
use core::ffi::{c_char, c_int};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use image::Image;

/// Stack on which a run is undone, while its own is put back.
const STACK: usize = 1 << 16;
/// What is below the stack pointer when `main` begins, in every process: so many zeros. Further below are untouched pages.
const BELOW: usize = 1 << 15;
/// Largest main stack; the driver sets the limit.
const STACK_LIMIT: usize = 8 << 20;

/// Runs of one process: should there ever be something that is not undone, it does not stay for long.
const MOST_RUNS: u64 = 1_000;
/// Labels whose memory is better given back than kept: 40 MiB.
const MOST_LABELS: u32 = 1 << 20;

/// What a process that is used again knows.
struct Kept {
    /// The stack pointer at the beginning of a run.
    stack: usize,
    /// Reservations of the runtime before the first run.
    reserved: usize,
    /// Runs before this one.
    runs: u64,
    /// How large the index of labels was in the last run.
    index_bits: u32,
    arithmetic: Arithmetic,
    image: Image,
    gate: Gate,
}

/// Room for that, and for the stack above it.
const ROOM: usize = size_of::<Kept>().next_multiple_of(16) + STACK;

/// Null in a process that is not used again.
static KEPT: AtomicPtr<Kept> = AtomicPtr::new(null_mut());

fn kept() -> Option<&'static mut Kept> {
    // SAFETY: lives as long as the process, and only its one thread asks for it.
    unsafe { KEPT.load(Ordering::Relaxed).as_mut() }
}

global_asm!(
    ".text",
    ".hidden __cairn_launch",
    ".type __cairn_launch,@function",
    "__cairn_launch:",
    "push rbp",
    "push rbx",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "push rdi",
    "push rsi",
    "push rdx",
    "mov rdi, rsp",
    "call {begin}",
    // Every run begins here, with the stack as it is now.
    "2:",
    "mov rsi, [rsp + 8]",
    "mov rdi, [rsp + 16]",
    "call {prepare}",
    "mov edx, eax",
    // The program finds nothing of ours there.
    "lea rdi, [rsp - {below}]",
    "mov ecx, {below} / 8",
    "xor eax, eax",
    "rep stosq",
    "mov edi, edx",
    "mov rsi, [rsp + 8]",
    "mov rdx, [rsp]",
    "call {main}",
    "add rsp, 24",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    "ret",
    ".hidden __cairn_relaunch",
    ".type __cairn_relaunch,@function",
    "__cairn_relaunch:",
    "mov rsp, rdi",
    "jmp 2b",
    ".hidden __cairn_undo_on",
    ".type __cairn_undo_on,@function",
    "__cairn_undo_on:",
    "mov rsp, rdi",
    "mov edi, esi",
    "call {undo}",
    "ud2",
    begin = sym begin,
    prepare = sym server::prepare,
    main = sym server::__cairn_user_main,
    undo = sym undo,
    below = const BELOW,
);

unsafe extern "C" {
    fn __cairn_launch(argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char) -> c_int;
    fn __cairn_relaunch(stack: usize) -> !;
    fn __cairn_undo_on(stack: usize, code: c_int) -> !;
}

/// Runs the program, and again whenever the server says so; returns like its `main` in the run that is the last.
pub fn launch(argc: c_int, argv: *mut *mut c_char, envp: *mut *mut c_char) -> c_int {
    // SAFETY: the process's own arguments; the stack pointer is what it was when this returns.
    unsafe { __cairn_launch(argc, argv, envp) }
}

/// Whether processes that are forked from now on are to be used again, if they can be.
pub fn attempt(wanted: bool) {
    WANTED.store(wanted, Ordering::Relaxed);
}

static WANTED: AtomicBool = AtomicBool::new(false);

/// What comes before the first run.
extern "C" fn begin(stack: usize) {
    clear_stack(stack);
    if WANTED.load(Ordering::Relaxed) && !keep(stack) {
        KEPT.store(null_mut(), Ordering::Relaxed);
    }
}

/// Copies what a run may change; false if that is too much, or if the system does not let its calls be seen.
fn keep(stack: usize) -> bool {
    let place = reserve_apart(ROOM) as *mut Kept;
    // Part of the copy: the process knows itself again when it is put back.
    KEPT.store(place, Ordering::Relaxed);
    // SAFETY: a fresh reservation of this size; every part is written before anybody reads it.
    let is_ready = unsafe { (*place).image.prepare(stack) && (*place).gate.prepare() };
    let Some(kept) = kept().filter(|_| is_ready) else { return false };
    (kept.stack, kept.runs, kept.arithmetic) = (stack, 0, Arithmetic::now());
    kept.reserved = memory::reserved().map_or(0, <[_]>::len);
    kept.image.copy();
    true
}

/// How large the index of labels was in the last run of this process, if there was one: its pages are there already.
pub fn last_index_bits() -> Option<u32> {
    kept().filter(|kept| kept.runs > 0).map(|kept| kept.index_bits)
}

/// From here on the program's own system calls are looked at.
pub fn watch_calls() {
    if let Some(kept) = kept() {
        kept.gate.close(true);
    }
}

/// Whether what the run has left is worth being undone: a new process has none of it.
fn is_worth_undoing(kept: &Kept) -> bool {
    kept.runs < MOST_RUNS && state().control().labels < MOST_LABELS && memory::reserved().is_some()
}

/// The program has ended with this code, and can be used again.
fn end(code: c_int) -> ! {
    let top = KEPT.load(Ordering::Relaxed) as usize + ROOM;
    // SAFETY: the stack is nobody else's.
    unsafe { __cairn_undo_on(top, code) }
}

/// Puts everything back, and waits for the next run.
extern "C" fn undo(code: c_int) -> ! {
    let Some(kept) = kept() else { server::end_run() };
    kept.gate.close(false);
    for range in memory::reserved().into_iter().flatten().skip(kept.reserved) {
        memory::release(range);
    }
    forget_labels(kept);
    kept.index_bits = state().table.forget();
    kept.gate.undo();
    kept.image.put_back();
    kept.runs += 1;
    server::wait_for_next(code);
    kept.arithmetic.set();
    // SAFETY: the stack is as it was when the first run began there.
    unsafe { __cairn_relaunch(kept.stack) }
}

/// Takes all labels off memory, wherever the run may have left some.
fn forget_labels(kept: &Kept) {
    let (lowest, edge) = clear_stack(kept.stack);
    let grown = kept.gate.heap.grown();
    for range in kept.image.ranges().chain([edge as u64..kept.stack as u64, grown.clone()]) {
        shadow::forget(range);
    }
    memory::drop_shadow(lowest as u64, (edge - lowest) as u64);
    shadow::clear_summary();
    // A block that was mapped by itself begins on its first page.
    let mapped = kept.gate.mappings.ranges().map(|range| range.start..range.start + PAGE);
    for range in kept.image.heap().into_iter().chain([grown]).chain(mapped) {
        objects::forget(range);
    }
}

/// Gives back the pages of the stack that lie further below than zeros are written; from where to where.
fn clear_stack(stack: usize) -> (usize, usize) {
    let page = PAGE as usize;
    let (lowest, edge) = ((stack - STACK_LIMIT) / page * page, (stack - BELOW).next_multiple_of(page));
    memory::drop_pages(lowest..edge);
    (lowest, edge)
}

/// How floating-point numbers are rounded, and what happens to exceptions.
struct Arithmetic {
    vector: u32,
    classic: u16,
}

impl Arithmetic {
    fn now() -> Arithmetic {
        let (mut vector, mut classic) = (0u32, 0u16);
        // SAFETY: stores two control registers.
        unsafe {
            asm!("stmxcsr [{0}]", "fnstcw [{1}]", in(reg) &mut vector, in(reg) &mut classic, options(nostack))
        };
        Arithmetic { vector, classic }
    }

    fn set(&self) {
        // SAFETY: sets both to what they were.
        unsafe {
            asm!("fninit", "ldmxcsr [{0}]", "fldcw [{1}]", in(reg) &self.vector, in(reg) &self.classic, options(nostack));
        }
    }
}
