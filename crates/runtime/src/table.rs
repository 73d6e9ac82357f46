//! The label table: hash-consed expressions, one row for each label.
//!
//! Rows lie in shared memory. A new expression is looked up by its *use list*: each label has a list of the
//! first few rows that use it as an operand (of two operands, the later one), in the order of their making.
//! Most lookups repeat a recent one, so these rows are mostly in the cache. Labels with more than
//! [`MAX_LISTED`] uses (a length that is compared with every position) and rows without operands are found by
//! a hash index instead.
//!
//! - A slot of the index holds a label and the hash of its row, so that only rows with the right hash are
//!   read.
//! - Rows that differ only in the low bits of their constant share a cache line of the index.
//! - The index doubles when it is half full. A line follows from the upper bits of the hash, so rows have the
//!   same order in the small and the large index, and growing walks through both sequentially.
//!
//! Use lists and index are private memory that every forked run gets fresh; persistent mode clears them. So
//! is the value that each label has in this run: a byte in memory with a label but another value was written
//! by uninstrumented code.

use crate::memory::{populate, reserve};
use cairn_wire::LabelEntry;
use cairn_wire::control::{Control, flag};
use cairn_wire::shadow::{LABEL_BITS, LABEL_MASK};
use core::mem::offset_of;
use core::ptr::null_mut;

/// Binary logarithm of the smallest index size: 512 slots are one page.
const MIN_INDEX_BITS: u32 = 9;
/// Binary logarithm of the slots in a cache line.
const LINE_BITS: u32 = 3;
/// Longest use list; a chosen bound on the steps of one lookup.
const MAX_LISTED: u32 = 12;
/// Marks a label with a longer list: all of its uses are in the index. No label is that large.
const INDEXED: u32 = LABEL_MASK;

/// Private data of a label in this run.
#[derive(Clone, Copy)]
#[repr(C)]
struct LabelInfo {
    /// Lowest 64 bits of its value.
    value: u64,
    /// First label that uses it, 0 if none does, or [`INDEXED`].
    first_use: u32,
    /// Next label in the use list that this one is in, or 0; above it the [`size_code`] of its width.
    next_use: u32,
}

/// Returns a code for the widths of whole values that are loaded often; 0 for all others.
const fn size_code(bits: usize) -> u32 {
    match bits {
        8 => 1,
        16 => 2,
        32 => 3,
        64 => 4,
        _ => 0,
    }
}

/// Offset of the capacity in the table; this and the next constants are for slow-path stubs
/// (`slow_path_stubs.rs`).
pub const CAPACITY_OFFSET: usize = offset_of!(LabelTable, capacity);
/// Offset of the pointer to the labels' private data.
pub const INFO_OFFSET: usize = offset_of!(LabelTable, info);
/// Offset of the value in a label's private data.
pub const VALUE_OFFSET: usize = offset_of!(LabelInfo, value);
/// Offset of the word with the size code in a label's private data.
pub const NEXT_USE_OFFSET: usize = offset_of!(LabelInfo, next_use);
/// Size code of one byte.
pub const BYTE_CODE: u32 = size_code(8);
/// Size code of four bytes.
pub const WORD_CODE: u32 = size_code(32);
/// Size code of eight bytes.
pub const LONG_CODE: u32 = size_code(64);
const _: () = assert!(size_of::<LabelInfo>() == 16);

/// A row as words.
type RowWords = [u64; size_of::<LabelEntry>() / size_of::<u64>()];

/// The table, its use lists and its index.
pub struct LabelTable {
    rows: *mut LabelEntry,
    info: *mut LabelInfo,
    /// Upper 64 bits of the values.
    high_values: *mut u64,
    capacity: u32,
    /// Slots of the index: the hash of a row in the upper half, its label in the lower one; 0 if empty.
    slots: *mut u64,
    /// Binary logarithm of the number of slots.
    index_bits: u32,
    /// The same at the start of the run.
    first_index_bits: u32,
    /// Rows in the index.
    indexed: u32,
}

impl LabelTable {
    /// Returns a table with no room.
    pub const fn empty() -> LabelTable {
        let (rows, info, high_values, slots) = (null_mut(), null_mut(), null_mut(), null_mut());
        LabelTable {
            rows,
            info,
            high_values,
            capacity: 0,
            slots,
            index_bits: MIN_INDEX_BITS,
            first_index_bits: MIN_INDEX_BITS,
            indexed: 0,
        }
    }

    /// Gives the table its memory: rows in shared memory, everything else reserved here.
    pub fn attach(&mut self, rows: *mut LabelEntry, capacity: u32) {
        self.rows = rows;
        self.capacity = capacity.min(LABEL_MASK);
        self.slots = reserve(index_bytes(self.capacity)) as *mut u64;
        self.info = reserve(self.capacity as usize * size_of::<LabelInfo>()) as *mut LabelInfo;
        self.high_values = reserve(self.capacity as usize * size_of::<u64>()) as *mut u64;
    }

    /// Faults in the memory of an empty table for about so many labels.
    pub fn populate_for(&mut self, labels: u32) {
        let labels = u64::from(labels.min(self.capacity));
        self.populate_index();
        populate(self.info as *mut u8, size_of::<LabelInfo>() as u64 * labels);
        populate(self.rows as *mut u8, size_of::<LabelEntry>() as u64 * labels);
    }

    /// Empties the index, in all sizes that it had during the run; use lists start empty with each new label.
    /// Returns the index size that the next run should begin with.
    pub fn clear(&mut self) -> u32 {
        let smaller = (1 << self.index_bits) - (1 << self.first_index_bits);
        // SAFETY: the sizes that were in use lie one after the other, this many slots in all.
        unsafe {
            core::ptr::write_bytes(self.slots.wrapping_sub(smaller), 0, smaller + (1 << self.index_bits))
        };
        bits_for(self.indexed)
    }

    /// Starts with an empty index of a size that [`LabelTable::clear`] has returned.
    pub fn start_with_index(&mut self, bits: u32) {
        self.slots = self.slots.wrapping_add((1 << bits) - (1 << self.index_bits));
        (self.index_bits, self.first_index_bits) = (bits, bits);
    }

    /// Returns the row of a label.
    pub fn entry(&self, label: u32) -> LabelEntry {
        // SAFETY: labels come from this table (or, masked, from shadow memory the target may have
        // scribbled over; the clamp keeps such a label inside the mapping).
        unsafe { *self.rows.add(label.min(self.capacity - 1) as usize) }
    }

    fn row(&self, label: u32) -> RowWords {
        // SAFETY: as for `entry`; its fields leave no gap.
        unsafe { *(self.rows as *const RowWords).add(label.min(self.capacity - 1) as usize) }
    }

    /// Returns the value of a label in this run; its lowest 64 bits.
    pub fn value(&self, label: u32) -> u64 {
        // SAFETY: as for `entry`.
        unsafe { (*self.info.add(label.min(self.capacity - 1) as usize)).value }
    }

    /// True if a label is that of a value of so many bytes.
    pub fn has_value(&self, label: u32, bytes: usize, value: u64) -> bool {
        // SAFETY: as for `entry`.
        let info = unsafe { *self.info.add(label.min(self.capacity - 1) as usize) };
        let has_size = match size_code(bytes * 8) {
            0 => usize::from(self.entry(label).width) == bytes * 8,
            code => info.next_use >> LABEL_BITS == code,
        };
        has_size && info.value == value
    }

    /// Returns all bits of a label's value.
    pub fn wide_value(&self, label: u32) -> u128 {
        // SAFETY: as for `entry`.
        let high = unsafe { *self.high_values.add(label.min(self.capacity - 1) as usize) };
        u128::from(high) << 64 | u128::from(self.value(label))
    }

    /// Returns the label of the expression, new or old; 0 when the table is full.
    pub fn intern(&mut self, entry: LabelEntry, value: u128, control: &mut Control) -> u32 {
        let row = row_words(&entry);
        let found = match entry.l1.max(entry.l2) {
            0 => self.find_in_index(row),
            operand => self.find_in_list(operand, row),
        };
        let vacancy = match found {
            Ok(label) => return label,
            Err(vacancy) => vacancy,
        };
        let label = self.append_row(row, control);
        if label == 0 {
            return 0;
        }
        // SAFETY: the label is below the capacity of all tables.
        unsafe {
            let next_use = size_code(entry.width.into()) << LABEL_BITS;
            *self.info.add(label as usize) = LabelInfo { value: value as u64, first_use: 0, next_use };
            if entry.width > 64 {
                *self.high_values.add(label as usize) = (value >> 64) as u64;
            }
        }
        match vacancy {
            // SAFETY: a link in a label's private data, with no label in it yet.
            Vacancy::Link(link) => unsafe { *link |= label },
            Vacancy::Slot(slot, hash) => self.insert(slot, hash, label),
        }
        label
    }

    /// Appends a row without hash-consing and without a value, for comparisons that are used only by their
    /// own branch. Returns 0 when the table is full.
    pub fn append(&mut self, entry: LabelEntry, control: &mut Control) -> u32 {
        self.append_row(row_words(&entry), control)
    }

    fn append_row(&mut self, row: RowWords, control: &mut Control) -> u32 {
        let label = control.labels;
        if label >= self.capacity {
            control.flags |= flag::LABELS_FULL;
            return 0;
        }
        // SAFETY: the label is below the capacity.
        unsafe { *(self.rows as *mut RowWords).add(label as usize) = row };
        control.labels = label + 1;
        label
    }

    fn info(&mut self, label: u32) -> &mut LabelInfo {
        // SAFETY: as for `entry`.
        unsafe { &mut *self.info.add(label.min(self.capacity - 1) as usize) }
    }

    /// Searches the uses of a label for a row.
    fn find_in_list(&mut self, operand: u32, row: RowWords) -> Result<u32, Vacancy> {
        let mut link: *mut u32 = &mut self.info(operand).first_use;
        for _ in 0..MAX_LISTED {
            // SAFETY: a link in a label's private data; the caller holds the lock.
            let label = match unsafe { *link } & LABEL_MASK {
                0 => return Err(Vacancy::Link(link)),
                INDEXED => return self.find_in_index(row),
                label => label,
            };
            if is_same(self.row(label), row) {
                return Ok(label);
            }
            link = &mut self.info(label).next_use;
        }
        self.move_to_index(operand);
        self.find_in_index(row)
    }

    /// Moves a use list that has become long to the index.
    fn move_to_index(&mut self, operand: u32) {
        let mut label = core::mem::replace(&mut self.info(operand).first_use, INDEXED);
        while label != 0 {
            if let Err(Vacancy::Slot(slot, hash)) = self.find_in_index(self.row(label)) {
                self.insert(slot, hash, label);
            }
            label = self.info(label).next_use & LABEL_MASK;
        }
    }

    fn find_in_index(&self, row: RowWords) -> Result<u32, Vacancy> {
        let hash = hash(row);
        let mut slot = self.first_slot(hash);
        loop {
            // SAFETY: the slot is below the number of slots.
            let (found, label) = unpack(unsafe { *self.slots.add(slot) });
            if label == 0 {
                return Err(Vacancy::Slot(slot, hash));
            }
            if found == hash && is_same(self.row(label), row) {
                return Ok(label);
            }
            slot = self.next_slot(slot);
        }
    }

    fn insert(&mut self, slot: usize, hash: u32, label: u32) {
        // SAFETY: the slot is below the number of slots.
        unsafe { *self.slots.add(slot) = pack(hash, label) };
        self.indexed += 1;
        if is_full(self.indexed, self.index_bits) {
            self.grow();
        }
    }

    /// Returns the slot at which the search for a hash starts.
    fn first_slot(&self, hash: u32) -> usize {
        let line = hash >> (u32::BITS + LINE_BITS - self.index_bits);
        (line << LINE_BITS | hash & ((1 << LINE_BITS) - 1)) as usize
    }

    fn next_slot(&self, slot: usize) -> usize {
        (slot + 1) & ((1 << self.index_bits) - 1)
    }

    /// Faults in the index: slots are read before they are written, which would make two page faults of one.
    fn populate_index(&self) {
        populate(self.slots as *mut u8, size_of::<u64>() as u64 * (1 << self.index_bits));
    }

    /// Continues with an index of twice the size, which lies right after the old one.
    fn grow(&mut self) {
        let (old, count) = (self.slots, 1 << self.index_bits);
        self.slots = self.slots.wrapping_add(count);
        self.index_bits += 1;
        self.populate_index();
        for index in 0..count {
            // SAFETY: the old index has so many slots.
            let packed = unsafe { *old.add(index) };
            let (hash, label) = unpack(packed);
            if label == 0 {
                continue;
            }
            let mut slot = self.first_slot(hash);
            // SAFETY: the slot is below the number of slots, and some are empty.
            unsafe {
                while *self.slots.add(slot) != 0 {
                    slot = self.next_slot(slot);
                }
                *self.slots.add(slot) = packed;
            }
        }
    }
}

/// Returns the bytes of indexes of all sizes that so many labels can require, one after the other.
fn index_bytes(labels: u32) -> usize {
    let last = bits_for(labels);
    size_of::<u64>() * ((2 << last) - (1 << MIN_INDEX_BITS))
}

/// Returns the size of the smallest index with room for so many labels and one more.
fn bits_for(labels: u32) -> u32 {
    (MIN_INDEX_BITS..).find(|bits| !is_full(labels, *bits)).unwrap_or(MIN_INDEX_BITS)
}

/// True if an index of this size must grow: it is half full.
fn is_full(labels: u32, bits: u32) -> bool {
    u64::from(labels) >= 1 << (bits - 1)
}

fn pack(hash: u32, label: u32) -> u64 {
    u64::from(hash) << 32 | u64::from(label)
}

fn unpack(slot: u64) -> (u32, u32) {
    ((slot >> 32) as u32, slot as u32)
}

/// Returns an entry as it lies in memory, assembled in registers: written field by field and read back as
/// words, it would miss store forwarding.
fn row_words(entry: &LabelEntry) -> RowWords {
    let head = u64::from(entry.op) | u64::from(entry.width) << 8 | u64::from(entry.aux) << 16;
    [head | u64::from(entry.l1) << 32, u64::from(entry.l2) | u64::from(entry.unused) << 32, entry.k]
}

/// True if two rows are equal; one branch instead of three.
fn is_same(a: RowWords, b: RowWords) -> bool {
    (a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) == 0
}

/// Hashes a row: the upper bits choose its cache line in the index, the lowest ones, from the constant, the
/// slot there.
fn hash(row: RowWords) -> u32 {
    /// 2^64 divided by the golden ratio.
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let [head, second, k] = row;
    let mut h = head.wrapping_mul(MULTIPLIER);
    h = (h ^ h >> 32 ^ second).wrapping_mul(MULTIPLIER);
    h = (h ^ h >> 29 ^ k >> LINE_BITS).wrapping_mul(MULTIPLIER);
    let in_line = (1 << LINE_BITS) - 1;
    (h >> 32) as u32 & !in_line | k as u32 & in_line
}

/// The position at which a row that was not found belongs.
enum Vacancy {
    /// End of a use list.
    Link(*mut u32),
    /// A slot of the index, for a row with this hash.
    Slot(usize, u32),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::exclusive;
    use cairn_wire::Op;
    use std::sync::MutexGuard;

    /// A table over rows of its own, as if in shared memory.
    struct Fixture {
        table: LabelTable,
        control: Control,
        rows: Vec<LabelEntry>,
        _exclusive: MutexGuard<'static, ()>,
    }

    impl Fixture {
        fn new(capacity: u32) -> Fixture {
            let _exclusive = exclusive();
            let mut rows = vec![LabelEntry::default(); capacity as usize];
            let mut table = LabelTable::empty();
            table.attach(rows.as_mut_ptr(), capacity);
            Fixture { table, control: Control { labels: 1, ..Control::default() }, rows, _exclusive }
        }

        fn intern(&mut self, entry: LabelEntry) -> u32 {
            self.table.intern(entry, entry.k.into(), &mut self.control)
        }

        /// Interns and returns the labels in order.
        fn intern_all(&mut self, entries: &[LabelEntry]) -> Vec<u32> {
            entries.iter().map(|entry| self.intern(*entry)).collect()
        }

        /// Does what persistent mode does between two runs: clears the index and restores the memory of the process.
        fn next_run(&mut self, before: LabelTable) {
            let bits = self.table.clear();
            self.table = before;
            self.table.start_with_index(bits);
            self.control.labels = 1;
        }

        /// Copies the table as the memory image does, byte by byte.
        fn image(&self) -> LabelTable {
            // SAFETY: plain data and pointers to memory that outlives the test; one of the copies is used at a time.
            unsafe { core::ptr::read(&self.table) }
        }
    }

    fn constant(k: u64) -> LabelEntry {
        LabelEntry { op: Op::Const as u8, width: 32, k, ..LabelEntry::default() }
    }

    fn comparison(operand: u32, k: u64) -> LabelEntry {
        LabelEntry { op: Op::Eq as u8, width: 1, aux: 32, l1: operand, k, ..LabelEntry::default() }
    }

    #[test]
    fn the_same_row_has_the_same_label_and_another_row_another() {
        let mut fixture = Fixture::new(100);
        let [a, b] = [1, 2].map(|k| fixture.intern(constant(k)));
        let row = LabelEntry { op: Op::Add as u8, width: 32, aux: 1, l1: a, l2: 0, unused: 0, k: 5 };
        let different = [
            row,
            LabelEntry { op: Op::Sub as u8, ..row },
            LabelEntry { width: 16, ..row },
            LabelEntry { aux: 2, ..row },
            LabelEntry { l1: b, ..row },
            LabelEntry { l2: b, ..row },
            LabelEntry { k: 6, ..row },
        ];
        let labels = fixture.intern_all(&different);
        assert_eq!(labels, (b + 1..b + 1 + different.len() as u32).collect::<Vec<_>>());
        assert_eq!(fixture.intern_all(&different), labels);
        assert_eq!(fixture.control.labels, labels[labels.len() - 1] + 1);
        for (label, entry) in labels.iter().zip(different) {
            assert_eq!((fixture.table.entry(*label), fixture.rows[*label as usize]), (entry, entry));
        }
    }

    #[test]
    fn rows_are_found_after_a_long_use_list_moved_to_the_index() {
        let mut fixture = Fixture::new(1000);
        let operands = [1, 2].map(|k| fixture.intern(constant(k)));
        let rows: Vec<LabelEntry> =
            (0..50).flat_map(|k| operands.map(|label| comparison(label, k))).collect();
        let labels = fixture.intern_all(&rows);
        assert_eq!(fixture.table.info(operands[0]).first_use, INDEXED);
        assert_eq!(fixture.intern_all(&rows), labels);
        assert_eq!(fixture.control.labels as usize, 1 + 2 + rows.len());
    }

    #[test]
    fn rows_are_found_after_the_index_has_grown() {
        let mut fixture = Fixture::new(20_000);
        // Distinct constants, some of which share a cache line of the index.
        let rows: Vec<LabelEntry> = (0..10_000).map(|k| constant(k * k)).collect();
        let labels = fixture.intern_all(&rows);
        assert!(fixture.table.index_bits > MIN_INDEX_BITS + 4, "{}", fixture.table.index_bits);
        assert_eq!(fixture.intern_all(&rows), labels);
        assert_eq!(fixture.control.labels as usize, 1 + rows.len());
    }

    #[test]
    fn a_full_table_gives_no_new_labels_and_says_so() {
        let mut fixture = Fixture::new(10);
        let labels = fixture.intern_all(&(0..9).map(constant).collect::<Vec<_>>());
        assert_eq!((labels, fixture.control.flags), ((1..10).collect(), 0));
        assert_eq!(fixture.intern(constant(3)), 4, "known rows are still found");
        assert_eq!(fixture.control.flags, 0);
        assert_eq!(fixture.intern(constant(9)), 0);
        assert_eq!(fixture.intern(comparison(1, 9)), 0);
        assert_eq!(fixture.table.append(constant(9), &mut fixture.control), 0);
        assert_eq!((fixture.control.labels, fixture.control.flags), (10, flag::LABELS_FULL));
        assert_eq!(fixture.intern(constant(3)), 4);
    }

    #[test]
    fn the_capacity_leaves_out_the_largest_label() {
        let mut fixture = Fixture::new(1);
        let rows = fixture.rows.as_mut_ptr();
        fixture.table.attach(rows, u32::MAX);
        assert_eq!(fixture.table.capacity, LABEL_MASK);
    }

    #[test]
    fn values_have_sizes_and_upper_halves() {
        let mut fixture = Fixture::new(100);
        for (width, value) in [(8, 0xab), (16, 0xabcd), (32, 0xabcd_ef01), (64, 1 << 63), (24, 0x12_3456)] {
            let entry = LabelEntry { width, ..constant(value) };
            let label = fixture.intern(entry);
            let bytes = usize::from(width) / 8;
            assert_eq!(fixture.table.value(label), value);
            assert!(fixture.table.has_value(label, bytes, value), "{width}");
            assert!(!fixture.table.has_value(label, bytes, value + 1), "{width}");
            assert!(!fixture.table.has_value(label, bytes + 1, value), "{width}");
        }
        let wide = LabelEntry { op: Op::Concat as u8, width: 128, l1: 1, l2: 2, ..LabelEntry::default() };
        let value = 7u128 << 64 | 9;
        let label = fixture.table.intern(wide, value, &mut fixture.control);
        assert_eq!((fixture.table.wide_value(label), fixture.table.value(label)), (value, 9));
    }

    #[test]
    fn appended_rows_are_not_looked_up() {
        let mut fixture = Fixture::new(100);
        let operand = fixture.intern(constant(1));
        let [a, b] = [(); 2].map(|()| fixture.table.append(comparison(operand, 7), &mut fixture.control));
        let interned = fixture.intern(comparison(operand, 7));
        assert_eq!((a, b, interned), (operand + 1, operand + 2, operand + 3));
    }

    #[test]
    fn the_next_run_starts_empty_with_an_index_of_the_size_needed() {
        let mut fixture = Fixture::new(20_000);
        let rows: Vec<LabelEntry> = (0..3000).map(constant).collect();
        let before = fixture.image();
        let first = fixture.intern_all(&rows);
        let grown = fixture.table.index_bits;
        fixture.next_run(before);
        assert_eq!((fixture.table.index_bits, fixture.table.indexed), (grown, 0));
        // In reverse, so that a row left in the index would give its old label.
        let reversed: Vec<LabelEntry> = rows.iter().rev().copied().collect();
        let before = fixture.image();
        assert_eq!(fixture.intern_all(&reversed), first);
        assert_eq!(fixture.table.index_bits, grown, "the pages of the first run are used again");
        assert_eq!(fixture.intern_all(&reversed), first);
        // A smaller run, and another large one that has to grow again.
        fixture.next_run(before);
        let before = fixture.image();
        assert_eq!(fixture.intern_all(&rows[..10]), first[..10]);
        fixture.next_run(before);
        assert_eq!(fixture.table.index_bits, MIN_INDEX_BITS);
        assert_eq!(fixture.intern_all(&reversed), first);
        assert_eq!(fixture.intern_all(&reversed), first);
    }

    #[test]
    fn use_lists_of_the_next_run_start_empty() {
        // As a list, and moved to the index.
        for uses in [5, 100] {
            let mut fixture = Fixture::new(1000);
            let before = fixture.image();
            let operand = fixture.intern(constant(1));
            (0..uses).for_each(|k| _ = fixture.intern(comparison(operand, k)));
            fixture.next_run(before);
            assert_eq!(fixture.intern(constant(2)), operand);
            let labels: Vec<u32> = (0..20).map(|k| fixture.intern(comparison(operand, k))).collect();
            assert_eq!(labels, (operand + 1..operand + 21).collect::<Vec<_>>());
            assert_eq!(fixture.control.labels, operand + 21, "each is a row of this run");
        }
    }
}
