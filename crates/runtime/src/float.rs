//! Side effects of floating-point arithmetic: the processor's exception flags, and `errno`.
//!
//! Neither has labels. If a program reads them after arithmetic on symbolic values, that counts as a loss.

use crate::ops::lost;
use crate::recorder::recorder;
use cairn_wire::{LabelEntry, Loss, Math, Op};
use core::ptr::null;
use core::sync::atomic::{AtomicU32, Ordering};

/// Incremental search of the label table for rows of a kind; every row is visited once.
struct Scan {
    is_wanted: fn(&LabelEntry) -> bool,
    /// First row that was not visited yet.
    next: AtomicU32,
    /// Last row of the kind, or 0.
    found: AtomicU32,
}

static FLAGS: Scan = Scan::new(sets_flags);
static ERRNO: Scan = Scan::new(sets_errno);

impl Scan {
    const fn new(is_wanted: fn(&LabelEntry) -> bool) -> Scan {
        Scan { is_wanted, next: AtomicU32::new(1), found: AtomicU32::new(0) }
    }

    /// Restarts the search: only rows from `next` on count.
    fn begin(&self, next: u32) {
        self.next.store(next, Ordering::Relaxed);
        self.found.store(0, Ordering::Relaxed);
    }

    /// Returns the last row of the kind, or 0.
    fn find(&self) -> u32 {
        let (recorder, next) = (recorder(), self.next.load(Ordering::Relaxed));
        let end = recorder.control().labels;
        if let Some(found) = (next..end).rev().find(|label| (self.is_wanted)(&recorder.entry(*label))) {
            self.found.store(found, Ordering::Relaxed);
        }
        self.next.store(end.max(next), Ordering::Relaxed);
        self.found.load(Ordering::Relaxed)
    }
}

/// Restarts both searches for a new run.
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

/// Records a loss if the program reads exception flags that symbolic arithmetic may have set.
#[unsafe(no_mangle)]
extern "C" fn __cairn_flags_told() {
    if recorder().tracing {
        lost(null(), FLAGS.find(), Loss::Foreign as u32);
    }
}

/// Handles a read of `errno`, a loss if symbolic arithmetic may have set it, or if `is_set` a write, which
/// overwrites what arithmetic has left there.
pub extern "C" fn errno(is_set: u32) {
    if !recorder().tracing {
        return;
    }
    match is_set {
        0 => lost(null(), ERRNO.find(), Loss::Foreign as u32),
        _ => ERRNO.begin(recorder().control().labels),
    }
}
