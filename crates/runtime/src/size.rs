//! Symbolic sizes of allocations.
//!
//! A program observes only whether an allocation succeeds. Concretizations on the path distinguish three
//! classes of sizes: small ones, which succeed; impossible ones, which fail; and those in between, of which a
//! run shows one outcome. A size in between counts as lost. Addresses depend on sizes as well, but no program
//! may depend on addresses.

use crate::ops::{concretize, intern, lost};
use crate::recorder::recorder;
use cairn_wire::{Loss, Op, SiteRecord};
use core::ptr::null;
use core::sync::atomic::{AtomicU32, Ordering};

/// Bounds between the classes of sizes, in bytes.
#[derive(Clone, Copy)]
struct SizeClasses {
    /// Smallest size that may fail.
    large: u64,
    /// Smallest size that always fails.
    impossible: u64,
}

/// Classes of the heap: `malloc` succeeds with a mebibyte as long as the process may grow at all, and there
/// are 2^47 addresses.
const HEAP: SizeClasses = SizeClasses { large: 1 << 20, impossible: 1 << 47 };
/// Classes of the stack, which the driver limits to 8 MiB.
const STACK: SizeClasses = SizeClasses { large: 1 << 16, impossible: 8 << 20 };

/// Label of the last symbolic block size, for functions that report on the heap.
static LAST_SIZE: AtomicU32 = AtomicU32::new(0);

/// Forgets the sizes of the run before.
pub fn begin_run() {
    LAST_SIZE.store(0, Ordering::Relaxed);
}

/// Classifies the size of a local array of `count` elements of `size` bytes, whose number has a label.
pub extern "C" fn reserve(record: *const SiteRecord, label: u32, count: u64, size: u64) {
    SymbolicNumber { record, label, value: count }.classify(STACK, size);
}

/// Classifies the size of a heap block that is requested.
pub fn requested(label: u32, size: u64) {
    heap_number(label, size).classify(HEAP, 1);
}

/// Classifies the size of a heap block of `count` elements of `size` bytes that is requested.
pub fn requested_array(labels: [u32; 2], count: u64, size: u64) {
    let [counts, sizes] = [heap_number(labels[0], count), heap_number(labels[1], size)];
    match labels {
        [_, 0] => counts.classify(HEAP, size),
        [0, _] => sizes.classify(HEAP, count),
        _ if counts.is_less(HEAP.large) & sizes.is_less(HEAP.large) => {
            // The product of two small numbers does not overflow.
            let product = count * size;
            requested(intern(Op::Mul, u64::BITS, 0, labels, 0, product), product);
        }
        _ => lost(null(), labels[0], Loss::Size as u32),
    }
}

/// Decides whether a block is resized to 0, which frees it.
pub fn decide_empty(label: u32, size: u64) {
    heap_number(label, size).is_less(1);
}

/// Records a loss if a small size was refused: other sizes of that class may succeed.
pub fn refused(labels: [u32; 2], size: u64) {
    if size < HEAP.large {
        labels.into_iter().for_each(|label| lost(null(), label, Loss::Size as u32));
    }
}

/// Records a loss because a function reports on heap blocks, which depends on their sizes.
#[unsafe(no_mangle)]
extern "C" fn __cairn_heap_inspected() {
    if recorder().tracing {
        lost(null(), LAST_SIZE.load(Ordering::Relaxed), Loss::Size as u32);
    }
}

/// A number of bytes or elements, possibly with a label.
struct SymbolicNumber {
    record: *const SiteRecord,
    label: u32,
    value: u64,
}

fn heap_number(label: u32, value: u64) -> SymbolicNumber {
    if label != 0 {
        LAST_SIZE.store(label, Ordering::Relaxed);
    }
    SymbolicNumber { record: null(), label, value }
}

impl SymbolicNumber {
    /// Decides the class of the product of the number with `unit`.
    fn classify(&self, classes: SizeClasses, unit: u64) {
        let is_less = |size: u64| unit == 0 || self.is_less(size.div_ceil(unit));
        if !is_less(classes.large) && is_less(classes.impossible) {
            lost(self.record, self.label, Loss::Size as u32);
        }
    }

    /// Compares the number with a bound and concretizes the result.
    fn is_less(&self, bound: u64) -> bool {
        let is_less = self.value < bound;
        if self.label != 0 && recorder().tracing {
            let width = recorder().entry(self.label).width;
            let condition = intern(Op::Ult, 1, width.into(), [self.label, 0], bound, is_less.into());
            concretize(self.record, condition, is_less.into());
        }
        is_less
    }
}
