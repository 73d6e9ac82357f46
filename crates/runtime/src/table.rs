//! The hash-consed label table.
//!
//! Entries live in shared memory, the bucket heads in private memory that every forked run gets
//! fresh. Heads start small (a short run touches four pages) and grow fourfold with the table, so
//! a look-up costs a few steps however long the run: linear cost over the whole run.
//!
//! Beside the entries, in private memory, stands the value each label has in this run: what is loaded
//! with a label but has another value was written by code that knows nothing of labels.

use cairn_wire::LabelEntry;
use cairn_wire::control::{Control, flag};
use cairn_wire::shadow::LABEL_MASK;
use core::ptr::null_mut;

const FIRST_BUCKETS: u32 = 4096;
const GROWTH: u32 = 4;
/// Levels 4 Ki to 64 Mi buckets.
const LEVELS: u32 = 8;
/// Room for all levels, one after the other.
const HEAD_BYTES: usize =
    4 * (FIRST_BUCKETS as usize) * ((GROWTH as usize).pow(LEVELS) - 1) / (GROWTH as usize - 1);

/// The table and its hash index.
pub struct Table {
    entries: *mut LabelEntry,
    values: *mut u64,
    /// What the values have above 64 bits.
    high_values: *mut u64,
    capacity: u32,
    heads: *mut u32,
    buckets: u32,
    level: u32,
}

impl Table {
    /// A table with no room.
    pub const fn empty() -> Table {
        Table {
            entries: null_mut(),
            values: null_mut(),
            high_values: null_mut(),
            capacity: 0,
            heads: null_mut(),
            buckets: FIRST_BUCKETS,
            level: 0,
        }
    }

    /// Gives the table its memory: entries in shared memory, heads reserved here.
    pub fn attach(&mut self, entries: *mut LabelEntry, capacity: u32) {
        self.entries = entries;
        self.capacity = capacity.min(LABEL_MASK);
        self.heads = crate::memory::reserve(HEAD_BYTES) as *mut u32;
        let values = || crate::memory::reserve(self.capacity as usize * size_of::<u64>()) as *mut u64;
        (self.values, self.high_values) = (values(), values());
    }

    /// Row of a label.
    pub fn entry(&self, label: u32) -> LabelEntry {
        // SAFETY: labels come from this table (or, masked, from shadow memory the target may have
        // scribbled over; the clamp keeps such a label inside the mapping).
        unsafe { *self.entries.add(label.min(self.capacity - 1) as usize) }
    }

    /// Value of a label in this run; its lowest 64 bits.
    pub fn value(&self, label: u32) -> u64 {
        // SAFETY: as for `entry`.
        unsafe { *self.values.add(label.min(self.capacity - 1) as usize) }
    }

    /// All bits of a label's value.
    pub fn wide_value(&self, label: u32) -> u128 {
        // SAFETY: as for `entry`.
        let high = unsafe { *self.high_values.add(label.min(self.capacity - 1) as usize) };
        u128::from(high) << 64 | u128::from(self.value(label))
    }

    /// Label of the expression, new or old; 0 when the table is full.
    pub fn intern(&mut self, mut entry: LabelEntry, value: u128, control: &mut Control) -> u32 {
        let bucket = self.bucket(&entry);
        // SAFETY: a bucket is below the number of buckets reserved for this level.
        let head = unsafe { &mut *self.heads.add(bucket as usize) };
        let mut label = *head;
        while label != 0 {
            let candidate = self.entry(label);
            if same(&candidate, &entry) {
                return label;
            }
            label = candidate.next;
        }
        let label = control.labels;
        if label >= self.capacity {
            control.flags |= flag::LABELS_FULL;
            return 0;
        }
        entry.next = *head;
        *head = label;
        // SAFETY: the label is below the capacity of all three tables.
        unsafe {
            *self.entries.add(label as usize) = entry;
            *self.values.add(label as usize) = value as u64;
            if entry.width > 64 {
                *self.high_values.add(label as usize) = (value >> 64) as u64;
            }
        }
        control.labels = label + 1;
        if label > self.buckets && self.level + 1 < LEVELS {
            self.grow(label);
        }
        label
    }

    fn bucket(&self, entry: &LabelEntry) -> u32 {
        hash(entry) & (self.buckets - 1)
    }

    fn grow(&mut self, last: u32) {
        self.heads = self.heads.wrapping_add(self.buckets as usize);
        self.buckets *= GROWTH;
        self.level += 1;
        for label in 1..=last {
            let bucket = self.bucket(&self.entry(label));
            // SAFETY: label and bucket are in range as in `intern`.
            unsafe {
                let head = self.heads.add(bucket as usize);
                (*self.entries.add(label as usize)).next = *head;
                *head = label;
            }
        }
    }
}

fn same(a: &LabelEntry, b: &LabelEntry) -> bool {
    a.op == b.op && a.width == b.width && a.aux == b.aux && a.l1 == b.l1 && a.l2 == b.l2 && a.k == b.k
}

fn hash(entry: &LabelEntry) -> u32 {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let head = u64::from(entry.op) | u64::from(entry.width) << 8 | u64::from(entry.aux) << 16;
    let mut h = (head | u64::from(entry.l1) << 32).wrapping_mul(MULTIPLIER);
    h = (h ^ h >> 32 ^ u64::from(entry.l2)).wrapping_mul(MULTIPLIER);
    h = (h ^ h >> 29 ^ entry.k).wrapping_mul(MULTIPLIER);
    (h >> 32) as u32
}
