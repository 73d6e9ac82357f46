//! Symbolic sizes of objects.
//!
//! A program sees of a size that there is room or not. Three classes of sizes are told apart by decisions of the path: small ones,
//! for which there is room; impossible ones, for which there is none; and those in between, of which a run shows one. Such a
//! size counts as lost. Addresses depend on sizes as well, but no program may depend on those.

use crate::ops::{intern, lost, pin};
use crate::state::state;
use cairn_wire::{Loss, Op, SiteRecord};
use core::ptr::null;
use core::sync::atomic::{AtomicU32, Ordering};

/// Classes of sizes, in bytes.
#[derive(Clone, Copy)]
struct Classes {
    /// The first size for which there may be no room.
    large: u64,
    /// The first size for which there never is.
    impossible: u64,
}

/// The heap's: `malloc` gives a mebibyte as long as the process may grow at all, and there are 2^47 addresses.
const HEAP: Classes = Classes { large: 1 << 20, impossible: 1 << 47 };
/// The stack's, which the driver limits to 8 MiB.
const STACK: Classes = Classes { large: 1 << 16, impossible: 8 << 20 };

/// Label of the last block's size that was symbolic, for functions that tell of the heap.
static LAST: AtomicU32 = AtomicU32::new(0);

/// Forgets the sizes of the run before.
pub fn begin_run() {
    LAST.store(0, Ordering::Relaxed);
}

/// A local array of `count` elements of `size` bytes, whose number has a label.
pub extern "C" fn reserve(record: *const SiteRecord, label: u32, count: u64, size: u64) {
    Number { record, label, value: count }.classify(STACK, size);
}

/// A block of so many bytes is asked for.
pub fn asked(label: u32, size: u64) {
    heap_number(label, size).classify(HEAP, 1);
}

/// A block of `count` elements of `size` bytes is asked for.
pub fn asked_array(labels: [u32; 2], count: u64, size: u64) {
    let [counts, sizes] = [heap_number(labels[0], count), heap_number(labels[1], size)];
    match labels {
        [_, 0] => counts.classify(HEAP, size),
        [0, _] => sizes.classify(HEAP, count),
        _ if counts.is_less(HEAP.large) & sizes.is_less(HEAP.large) => {
            // The product of two small numbers does not overflow.
            let product = count * size;
            asked(intern(Op::Mul, u64::BITS, 0, labels, 0, product), product);
        }
        _ => lost(null(), labels[0], Loss::Size as u32),
    }
}

/// A block is asked for another size, of which 0 means that it is freed.
pub fn decide_empty(label: u32, size: u64) {
    heap_number(label, size).is_less(1);
}

/// The heap was out of room for one of these sizes, which need not be so for others of the same class.
pub fn refused(labels: [u32; 2], size: u64) {
    if size < HEAP.large {
        labels.into_iter().for_each(|label| lost(null(), label, Loss::Size as u32));
    }
}

/// A function tells of blocks: what it says depends on their sizes.
#[unsafe(no_mangle)]
extern "C" fn __cairn_heap_told() {
    if state().tracing {
        lost(null(), LAST.load(Ordering::Relaxed), Loss::Size as u32);
    }
}

/// A number, perhaps with a label.
struct Number {
    record: *const SiteRecord,
    label: u32,
    value: u64,
}

fn heap_number(label: u32, value: u64) -> Number {
    if label != 0 {
        LAST.store(label, Ordering::Relaxed);
    }
    Number { record: null(), label, value }
}

impl Number {
    /// Decides the class of the number's product with `unit`.
    fn classify(&self, classes: Classes, unit: u64) {
        let is_less = |size: u64| unit == 0 || self.is_less(size.div_ceil(unit));
        if !is_less(classes.large) && is_less(classes.impossible) {
            lost(self.record, self.label, Loss::Size as u32);
        }
    }

    /// Compares the number with a bound, as a decision of the path.
    fn is_less(&self, bound: u64) -> bool {
        let is_less = self.value < bound;
        if self.label != 0 && state().tracing {
            let width = state().entry(self.label).width;
            let condition = intern(Op::Ult, 1, width.into(), [self.label, 0], bound, is_less.into());
            pin(self.record, condition, is_less.into());
        }
        is_less
    }
}
