//! The hash-consed label table.
//!
//! Entries live in shared memory, their index in private memory that every forked run gets fresh. A place of the index
//! holds a label and the hash of its entry, so that entries are looked at only if they are the right ones: most of what
//! looking up costs is memory that is not in the cache. The index begins as large as the run before needed it, and
//! doubles when it is three quarters full. An entry's place follows from the upper bits of its hash: what was in
//! order in the small index is in order in the large one, and growing is a walk through both.
//!
//! Beside the entries, in private memory, stands the value each label has in this run: what is loaded
//! with a label but has another value was written by code that knows nothing of labels.

use crate::memory::{populate, reserve};
use cairn_wire::LabelEntry;
use cairn_wire::control::{Control, flag};
use cairn_wire::shadow::LABEL_MASK;
use core::ptr::null_mut;

/// Places of the smallest index, as a power of two.
const FIRST_BITS: u32 = 11;

/// The table and its hash index.
pub struct Table {
    entries: *mut LabelEntry,
    values: *mut u64,
    /// What the values have above 64 bits.
    high_values: *mut u64,
    capacity: u32,
    /// Of each place the hash of an entry in the upper half, its label in the lower one; 0 for an empty place.
    places: *mut u64,
    bits: u32,
}

impl Table {
    /// A table with no room.
    pub const fn empty() -> Table {
        let (entries, values, high_values, places) = (null_mut(), null_mut(), null_mut(), null_mut());
        Table { entries, values, high_values, capacity: 0, places, bits: FIRST_BITS }
    }

    /// Gives the table its memory: entries in shared memory, everything else reserved here.
    pub fn attach(&mut self, entries: *mut LabelEntry, capacity: u32) {
        self.entries = entries;
        self.capacity = capacity.min(LABEL_MASK);
        self.places = reserve(index_bytes(self.capacity)) as *mut u64;
        let values = || reserve(self.capacity as usize * size_of::<u64>()) as *mut u64;
        (self.values, self.high_values) = (values(), values());
    }

    /// Makes an empty table ready for about so many labels.
    pub fn expect(&mut self, labels: u32) {
        let labels = labels.min(self.capacity);
        while is_full(labels, self.bits) {
            self.enlarge();
        }
        populate(self.places as *mut u8, size_of::<u64>() as u64 * (1 << self.bits));
        populate(self.values as *mut u8, size_of::<u64>() as u64 * u64::from(labels));
        populate(self.entries as *mut u8, size_of::<LabelEntry>() as u64 * u64::from(labels));
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
    pub fn intern(&mut self, entry: LabelEntry, value: u128, control: &mut Control) -> u32 {
        let hash = hash(&entry);
        let mut place = self.first_place(hash);
        loop {
            // SAFETY: a place is below the number of places of this size.
            let (found, label) = unpack(unsafe { *self.places.add(place) });
            if label == 0 {
                break;
            }
            if found == hash && self.entry(label) == entry {
                return label;
            }
            place = self.next_place(place);
        }
        let label = control.labels;
        if label >= self.capacity {
            control.flags |= flag::LABELS_FULL;
            return 0;
        }
        // SAFETY: the label is below the capacity of all three tables, the place as above.
        unsafe {
            *self.places.add(place) = pack(hash, label);
            *self.entries.add(label as usize) = entry;
            *self.values.add(label as usize) = value as u64;
            if entry.width > 64 {
                *self.high_values.add(label as usize) = (value >> 64) as u64;
            }
        }
        control.labels = label + 1;
        if is_full(label, self.bits) {
            self.grow();
        }
        label
    }

    /// Where entries with this hash are looked for first.
    fn first_place(&self, hash: u32) -> usize {
        (hash >> (u32::BITS - self.bits)) as usize
    }

    fn next_place(&self, place: usize) -> usize {
        (place + 1) & ((1 << self.bits) - 1)
    }

    /// Goes on with an empty index of twice the size.
    fn enlarge(&mut self) {
        self.places = self.places.wrapping_add(1 << self.bits);
        self.bits += 1;
    }

    fn grow(&mut self) {
        let (old, count) = (self.places, 1 << self.bits);
        self.enlarge();
        for index in 0..count {
            // SAFETY: `old` had so many places.
            let packed = unsafe { *old.add(index) };
            let (hash, label) = unpack(packed);
            if label == 0 {
                continue;
            }
            let mut place = self.first_place(hash);
            // SAFETY: a place is below the number of places of this size, and some are empty.
            unsafe {
                while *self.places.add(place) != 0 {
                    place = self.next_place(place);
                }
                *self.places.add(place) = packed;
            }
        }
    }
}

/// Room for indexes of all sizes that so many labels can ask for, one after the other.
fn index_bytes(labels: u32) -> usize {
    let last = (FIRST_BITS..).find(|bits| !is_full(labels, *bits)).unwrap_or(FIRST_BITS);
    size_of::<u64>() * ((2 << last) - (1 << FIRST_BITS))
}

/// Whether an index of this size has no room for another label.
fn is_full(labels: u32, bits: u32) -> bool {
    u64::from(labels) >= 3 << (bits - 2)
}

fn pack(hash: u32, label: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(label)
}

fn unpack(place: u64) -> (u32, u32) {
    ((place >> 32) as u32, place as u32)
}

fn hash(entry: &LabelEntry) -> u32 {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let head = u64::from(entry.op) | u64::from(entry.width) << 8 | u64::from(entry.aux) << 16;
    let mut h = (head | u64::from(entry.l1) << 32).wrapping_mul(MULTIPLIER);
    h = (h ^ h >> 32 ^ u64::from(entry.l2)).wrapping_mul(MULTIPLIER);
    h = (h ^ h >> 29 ^ entry.k).wrapping_mul(MULTIPLIER);
    (h >> 32) as u32
}
