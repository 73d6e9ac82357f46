//! The hash-consed label table.
//!
//! Entries live in shared memory. Most are looked up again soon after they were made, by whoever has their operand at hand:
//! so each label has a list of the first few that were made of it (of two operands, of the later one), in the order of
//! their making and thus mostly in the cache. Those of a label with more than a few (a length that is compared with every position), and
//! those without operands, are found by an index. A place of the index holds a label and the hash of its entry, so that entries are looked at
//! only if they are the right ones. Entries that differ only in a constant, and that by little, share a line of the cache. The index
//! doubles when it is half full; a line follows from the upper bits of the hash, so that what was in order in the small index is in order in the
//! large one, and growing is a walk through both.
//!
//! Lists and index are private memory that every forked run gets fresh, and so is the value each label has in this run: what is loaded
//! with a label but has another value was written by code that knows nothing of labels.

use crate::memory::{populate, reserve};
use cairn_wire::LabelEntry;
use cairn_wire::control::{Control, flag};
use cairn_wire::shadow::{LABEL_BITS, LABEL_MASK};
use core::mem::offset_of;
use core::ptr::null_mut;

/// Places of the smallest index, as a power of two.
const FIRST_BITS: u32 = 9;
/// Places that share a line of the cache, as a power of two.
const LINE_BITS: u32 = 3;
/// Longest list of what was made of a label.
const MOST_LISTED: u32 = 12;
/// What stands for the list of a label of which more was made: all of it is in the index. No label is that large.
const INDEXED: u32 = LABEL_MASK;

/// What is kept of a label for this run alone.
#[derive(Clone, Copy)]
#[repr(C)]
struct Own {
    /// Its value, the lowest 64 bits.
    value: u64,
    /// The first label that was made of it, 0 if none was, or [`INDEXED`].
    first: u32,
    /// The next label that was made of the same, or 0; above it what [`size_code`] says of its width.
    next: u32,
}

/// Tells values of as many whole bytes as most have apart; 0 for all others.
const fn size_code(bits: usize) -> u32 {
    match bits {
        8 => 1,
        16 => 2,
        32 => 3,
        64 => 4,
        _ => 0,
    }
}

/// Where doors find what they look at (`slow_path_stubs.rs`): in a table, and in what is kept of a label. The last three are codes of sizes.
pub const CAPACITY: usize = offset_of!(Table, capacity);
pub const OWN: usize = offset_of!(Table, own);
pub const VALUE: usize = offset_of!(Own, value);
pub const NEXT: usize = offset_of!(Own, next);
pub const BYTE: u32 = size_code(8);
pub const WORD: u32 = size_code(32);
pub const LONG: u32 = size_code(64);
const _: () = assert!(size_of::<Own>() == 16);

/// An entry as words.
type Row = [u64; size_of::<LabelEntry>() / size_of::<u64>()];

/// The table, its lists and its index.
pub struct Table {
    entries: *mut LabelEntry,
    own: *mut Own,
    /// What the values have above 64 bits.
    high_values: *mut u64,
    capacity: u32,
    /// Of each place the hash of an entry in the upper half, its label in the lower one; 0 for an empty place.
    places: *mut u64,
    bits: u32,
    /// Its size when the run began, likewise.
    first_bits: u32,
    /// Entries in the index.
    indexed: u32,
}

impl Table {
    /// A table with no room.
    pub const fn empty() -> Table {
        let (entries, own, high_values, places) = (null_mut(), null_mut(), null_mut(), null_mut());
        Table {
            entries,
            own,
            high_values,
            capacity: 0,
            places,
            bits: FIRST_BITS,
            first_bits: FIRST_BITS,
            indexed: 0,
        }
    }

    /// Gives the table its memory: entries in shared memory, everything else reserved here.
    pub fn attach(&mut self, entries: *mut LabelEntry, capacity: u32) {
        self.entries = entries;
        self.capacity = capacity.min(LABEL_MASK);
        self.places = reserve(index_bytes(self.capacity)) as *mut u64;
        self.own = reserve(self.capacity as usize * size_of::<Own>()) as *mut Own;
        self.high_values = reserve(self.capacity as usize * size_of::<u64>()) as *mut u64;
    }

    /// Makes an empty table ready for about so many labels.
    pub fn expect(&mut self, labels: u32) {
        let labels = u64::from(labels.min(self.capacity));
        self.populate_index();
        populate(self.own as *mut u8, size_of::<Own>() as u64 * labels);
        populate(self.entries as *mut u8, size_of::<LabelEntry>() as u64 * labels);
    }

    /// Empties the index, of all its sizes that the run has had; lists begin anew by themselves. Tells with which size the next run
    /// had best begin.
    pub fn forget(&mut self) -> u32 {
        let smaller = (1 << self.bits) - (1 << self.first_bits);
        // SAFETY: so many places were had, one size after the other.
        unsafe { core::ptr::write_bytes(self.places.wrapping_sub(smaller), 0, smaller + (1 << self.bits)) };
        bits_for(self.indexed)
    }

    /// Makes an empty index as large as one was before.
    pub fn begin_with(&mut self, bits: u32) {
        self.places = self.places.wrapping_add((1 << bits) - (1 << self.bits));
        (self.bits, self.first_bits) = (bits, bits);
    }

    /// Row of a label.
    pub fn entry(&self, label: u32) -> LabelEntry {
        // SAFETY: labels come from this table (or, masked, from shadow memory the target may have
        // scribbled over; the clamp keeps such a label inside the mapping).
        unsafe { *self.entries.add(label.min(self.capacity - 1) as usize) }
    }

    fn row(&self, label: u32) -> Row {
        // SAFETY: as for `entry`; its fields leave no gap.
        unsafe { *(self.entries as *const Row).add(label.min(self.capacity - 1) as usize) }
    }

    /// Value of a label in this run; its lowest 64 bits.
    pub fn value(&self, label: u32) -> u64 {
        // SAFETY: as for `entry`.
        unsafe { (*self.own.add(label.min(self.capacity - 1) as usize)).value }
    }

    /// Whether a label is that of a value of so many bytes.
    pub fn is(&self, label: u32, bytes: usize, value: u64) -> bool {
        // SAFETY: as for `entry`.
        let own = unsafe { *self.own.add(label.min(self.capacity - 1) as usize) };
        let is_size = match size_code(bytes * 8) {
            0 => usize::from(self.entry(label).width) == bytes * 8,
            code => own.next >> LABEL_BITS == code,
        };
        is_size && own.value == value
    }

    /// All bits of a label's value.
    pub fn wide_value(&self, label: u32) -> u128 {
        // SAFETY: as for `entry`.
        let high = unsafe { *self.high_values.add(label.min(self.capacity - 1) as usize) };
        u128::from(high) << 64 | u128::from(self.value(label))
    }

    /// Label of the expression, new or old; 0 when the table is full.
    pub fn intern(&mut self, entry: LabelEntry, value: u128, control: &mut Control) -> u32 {
        let row = row(&entry);
        let found = match entry.l1.max(entry.l2) {
            0 => self.look_up(row),
            operand => self.look_in_list(operand, row),
        };
        let vacancy = match found {
            Ok(label) => return label,
            Err(vacancy) => vacancy,
        };
        let label = self.put_row(row, control);
        if label == 0 {
            return 0;
        }
        // SAFETY: the label is below the capacity of all tables.
        unsafe {
            let next = size_code(entry.width.into()) << LABEL_BITS;
            *self.own.add(label as usize) = Own { value: value as u64, first: 0, next };
            if entry.width > 64 {
                *self.high_values.add(label as usize) = (value >> 64) as u64;
            }
        }
        match vacancy {
            // SAFETY: a link of a label's own, with no label in it yet.
            Vacancy::Link(link) => unsafe { *link |= label },
            Vacancy::Place(place, hash) => self.put(place, hash, label),
        }
        label
    }

    /// Label of an expression that nobody will make again or look at, except who reads the recording: it is not looked for, and
    /// nothing else is kept of it. 0 when the table is full.
    pub fn append(&mut self, entry: LabelEntry, control: &mut Control) -> u32 {
        self.put_row(row(&entry), control)
    }

    fn put_row(&mut self, row: Row, control: &mut Control) -> u32 {
        let label = control.labels;
        if label >= self.capacity {
            control.flags |= flag::LABELS_FULL;
            return 0;
        }
        // SAFETY: the label is below the capacity.
        unsafe { *(self.entries as *mut Row).add(label as usize) = row };
        control.labels = label + 1;
        label
    }

    fn own(&mut self, label: u32) -> &mut Own {
        // SAFETY: as for `entry`.
        unsafe { &mut *self.own.add(label.min(self.capacity - 1) as usize) }
    }

    /// Looks among what was made of a label.
    fn look_in_list(&mut self, operand: u32, row: Row) -> Result<u32, Vacancy> {
        let mut link: *mut u32 = &mut self.own(operand).first;
        for _ in 0..MOST_LISTED {
            // SAFETY: a link of a label's own, which nobody else writes to meanwhile.
            let label = match unsafe { *link } & LABEL_MASK {
                0 => return Err(Vacancy::Link(link)),
                INDEXED => return self.look_up(row),
                label => label,
            };
            if is_same(self.row(label), row) {
                return Ok(label);
            }
            link = &mut self.own(label).next;
        }
        self.move_to_index(operand);
        self.look_up(row)
    }

    /// Moves a list that has become long.
    fn move_to_index(&mut self, operand: u32) {
        let mut label = core::mem::replace(&mut self.own(operand).first, INDEXED);
        while label != 0 {
            if let Err(Vacancy::Place(place, hash)) = self.look_up(self.row(label)) {
                self.put(place, hash, label);
            }
            label = self.own(label).next & LABEL_MASK;
        }
    }

    /// Looks in the index.
    fn look_up(&self, row: Row) -> Result<u32, Vacancy> {
        let hash = hash(row);
        let mut place = self.first_place(hash);
        loop {
            // SAFETY: a place is below the number of places of this size.
            let (found, label) = unpack(unsafe { *self.places.add(place) });
            if label == 0 {
                return Err(Vacancy::Place(place, hash));
            }
            if found == hash && is_same(self.row(label), row) {
                return Ok(label);
            }
            place = self.next_place(place);
        }
    }

    fn put(&mut self, place: usize, hash: u32, label: u32) {
        // SAFETY: a place is below the number of places of this size.
        unsafe { *self.places.add(place) = pack(hash, label) };
        self.indexed += 1;
        if is_full(self.indexed, self.bits) {
            self.grow();
        }
    }

    /// Where entries with this hash are looked for first.
    fn first_place(&self, hash: u32) -> usize {
        let line = hash >> (u32::BITS + LINE_BITS - self.bits);
        (line << LINE_BITS | hash & ((1 << LINE_BITS) - 1)) as usize
    }

    fn next_place(&self, place: usize) -> usize {
        (place + 1) & ((1 << self.bits) - 1)
    }

    /// An empty index would be read before it is written to, which makes two faults of one.
    fn populate_index(&self) {
        populate(self.places as *mut u8, size_of::<u64>() as u64 * (1 << self.bits));
    }

    /// Goes on with an index of twice the size.
    fn grow(&mut self) {
        let (old, count) = (self.places, 1 << self.bits);
        self.places = self.places.wrapping_add(count);
        self.bits += 1;
        self.populate_index();
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
    let last = bits_for(labels);
    size_of::<u64>() * ((2 << last) - (1 << FIRST_BITS))
}

/// The size of the smallest index with room for so many labels and one more.
fn bits_for(labels: u32) -> u32 {
    (FIRST_BITS..).find(|bits| !is_full(labels, *bits)).unwrap_or(FIRST_BITS)
}

/// Whether an index of this size has no room for another label.
fn is_full(labels: u32, bits: u32) -> bool {
    u64::from(labels) >= 1 << (bits - 1)
}

fn pack(hash: u32, label: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(label)
}

fn unpack(place: u64) -> (u32, u32) {
    ((place >> 32) as u32, place as u32)
}

/// An entry as it lies in memory, in registers: put together from its fields there, it could not be read again at once.
fn row(entry: &LabelEntry) -> Row {
    let head = u64::from(entry.op) | u64::from(entry.width) << 8 | u64::from(entry.aux) << 16;
    [head | u64::from(entry.l1) << 32, u64::from(entry.l2) | u64::from(entry.unused) << 32, entry.k]
}

/// Whether two rows are equal, with one decision.
fn is_same(a: Row, b: Row) -> bool {
    (a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) == 0
}

/// What a row is found by: its line from the top, its place there at the bottom.
fn hash(row: Row) -> u32 {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let [head, second, k] = row;
    let mut h = head.wrapping_mul(MULTIPLIER);
    h = (h ^ h >> 32 ^ second).wrapping_mul(MULTIPLIER);
    h = (h ^ h >> 29 ^ k >> LINE_BITS).wrapping_mul(MULTIPLIER);
    let in_line = (1 << LINE_BITS) - 1;
    (h >> 32) as u32 & !in_line | k as u32 & in_line
}

/// Where something that was not found belongs.
enum Vacancy {
    /// At the end of a list.
    Link(*mut u32),
    /// At a place of the index, with this hash.
    Place(usize, u32),
}
