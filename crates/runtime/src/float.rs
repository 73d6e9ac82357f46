//! Side effects of floating-point arithmetic: the processor's exception flags, and `errno`.
//!
//! Neither has labels. If a program looks at them after arithmetic on symbolic values, what it sees counts as lost.

use crate::ops::lost;
use crate::state::state;
use cairn_wire::{LabelEntry, Loss, Math, Op};
use core::ptr::null;
use core::sync::atomic::{AtomicU32, Ordering};

/// Search of the label table for rows of a kind; every row is looked at once.
struct Scan {
    is_wanted: fn(&LabelEntry) -> bool,
    /// Rows before this one have been looked at.
    next: AtomicU32,
    /// The last row of the kind, or 0.
    found: AtomicU32,
}

static FLAGS: Scan = Scan::new(sets_flags);
static ERRNO: Scan = Scan::new(sets_errno);

impl Scan {
    const fn new(is_wanted: fn(&LabelEntry) -> bool) -> Scan {
        Scan { is_wanted, next: AtomicU32::new(1), found: AtomicU32::new(0) }
    }

    /// Takes rows from `next` on as those that are still to come.
    fn begin(&self, next: u32) {
        self.next.store(next, Ordering::Relaxed);
        self.found.store(0, Ordering::Relaxed);
    }

    /// A row of the kind, or 0.
    fn find(&self) -> u32 {
        let (state, next) = (state(), self.next.load(Ordering::Relaxed));
        let end = state.control().labels;
        if let Some(found) = (next..end).rev().find(|label| (self.is_wanted)(&state.entry(*label))) {
            self.found.store(found, Ordering::Relaxed);
        }
        self.next.store(end.max(next), Ordering::Relaxed);
        self.found.load(Ordering::Relaxed)
    }
}

/// Forgets the arithmetic of the run before.
pub fn begin_run() {
    FLAGS.begin(1);
    ERRNO.begin(1);
}

fn sets_flags(row: &LabelEntry) -> bool {
    (Op::FAdd as u8..=Op::Math as u8).contains(&row.op)
}

fn sets_errno(row: &LabelEntry) -> bool {
    const NEVER: [Math; 7] =
        [Math::Floor, Math::Ceil, Math::Trunc, Math::Round, Math::RoundEven, Math::Min, Math::Max];
    let is_exempt = || NEVER.iter().any(|function| *function as u16 == row.aux);
    row.op == Op::FRem as u8 || row.op == Op::Math as u8 && !is_exempt()
}

/// The program looks at the exception flags.
#[unsafe(no_mangle)]
extern "C" fn __cairn_flags_told() {
    if state().tracing {
        lost(null(), FLAGS.find(), Loss::Foreign as u32);
    }
}

/// The program reads `errno` or, if `is_set`, sets it: what arithmetic has left there before is gone.
pub extern "C" fn errno(is_set: u32) {
    if !state().tracing {
        return;
    }
    match is_set {
        0 => lost(null(), ERRNO.find(), Loss::Foreign as u32),
        _ => ERRNO.begin(state().control().labels),
    }
}
