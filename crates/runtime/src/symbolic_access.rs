//! Loads and stores at symbolic addresses.
//!
//! If the window of memory in which the address can move is known, the loaded value is an expression over a
//! snapshot of that window, and only the fact that the address is inside is concretized. Otherwise the
//! address itself is concretized.

use crate::io;
use crate::objects::{self, Extent};
use crate::ops::{concretize, intern, out_of_bounds};
use crate::recorder::recorder;
use crate::shadow::load;
use crate::snapshot::{Snapshot, Window, take};
use cairn_wire::site::SiteRecord;
use cairn_wire::snapshot::MAX_LEN;
use cairn_wire::{Op, OutOfBounds};

/// Binary logarithm of the part of a window larger than [`MAX_LEN`] that is copied; which part is
/// concretized.
const PART_BITS: u64 = 11;
/// Bytes of the widest value, which may reach into the next part.
const WIDEST: u64 = 16;
/// Terms of an address that are searched for its constant part; a chosen bound.
const MAX_TERMS: usize = 64;

/// Description of an access by the pass: bytes of the value, and what it knows of the window.
#[derive(Clone, Copy)]
struct AccessShape(u64);

impl AccessShape {
    fn size(self) -> u64 {
        self.0 & 0xff
    }

    /// True if all of the window lies in an object of the program.
    fn is_certain(self) -> bool {
        self.0 & 1 << 8 != 0
    }

    fn is_constant(self) -> bool {
        self.0 & 1 << 9 != 0
    }

    /// True if the search should try to leave the window.
    fn wants_flip(self) -> bool {
        self.0 & 1 << 10 != 0
    }

    fn len(self) -> u64 {
        self.0 >> 16
    }
}

/// Returns the label of the value that was loaded from `address`, which has a label itself. `base` is the
/// start of the array that is indexed, 0 if the pass does not know.
pub extern "C" fn symbolic_load(
    record: *const SiteRecord,
    label: u32,
    address: u64,
    base: u64,
    shape: u64,
    value: u64,
) -> u32 {
    let shape = AccessShape(shape);
    if label == 0 {
        return load(address, shape.size() as u32, value);
    }
    let access = Access { record, label, address, size: shape.size(), value };
    let found = window(base, shape, label, address).and_then(|window| access.read(window));
    found.unwrap_or_else(|| {
        concretize(record, label, address);
        load(address, shape.size() as u32, value)
    })
}

/// Concretizes the address of a store, and records if it is out of bounds; arguments as for [`symbolic_load`].
pub extern "C" fn symbolic_store(record: *const SiteRecord, label: u32, address: u64, base: u64, shape: u64) {
    if label == 0 {
        return;
    }
    let shape = AccessShape(shape);
    let access = Access { record, label, address, size: shape.size(), value: 0 };
    if let Some(window) = window(base, shape, label, address)
        && let Some((is_inside, condition)) = access.inside(window)
    {
        if shape.wants_flip() {
            concretize(record, condition, is_inside.into());
        }
        if !is_inside {
            out_of_bounds(record, label, OutOfBounds::Write);
        }
    }
    concretize(record, label, address);
}

/// Returns the memory in which the address can move, by what the pass knows or by the terms of the address.
fn window(base: u64, shape: AccessShape, label: u32, address: u64) -> Option<Window> {
    let constant = shape.is_constant();
    if base == 0 {
        let Extent { start, end } = objects::find(constant_part(label))?;
        return Some(Window { base: start, len: end - start, constant });
    }
    let len = match shape.is_certain() {
        true => shape.len(),
        false => shape.len().min(objects::readable_from(base, address).checked_sub(base)?),
    };
    Some(Window { base, len, constant })
}

/// Returns the sum of the constant terms of an address: most likely the start of its object.
fn constant_part(mut label: u32) -> u64 {
    let mut sum = 0u64;
    for _ in 0..MAX_TERMS {
        let entry = recorder().entry(label);
        if entry.op != Op::Add as u8 {
            break;
        }
        if entry.l1 == 0 || entry.l2 == 0 {
            sum = sum.wrapping_add(entry.k);
        }
        label = if entry.l1 == 0 { entry.l2 } else { entry.l1 };
    }
    sum
}

/// A load or store at a labelled address.
struct Access {
    record: *const SiteRecord,
    label: u32,
    address: u64,
    size: u64,
    value: u64,
}

impl Access {
    /// Returns the label of the value read in a window; `None` if the address has to be concretized. Whether
    /// it is inside becomes part of the path either way.
    fn read(&self, window: Window) -> Option<u32> {
        let (is_inside, condition) = self.inside(window)?;
        concretize(self.record, condition, is_inside.into());
        if !is_inside {
            out_of_bounds(self.record, self.label, OutOfBounds::Read);
            return None;
        }
        let index = self.address.wrapping_sub(window.base);
        let index_label = self.offset_from(window.base);
        let (index_label, window) =
            if window.len > MAX_LEN { self.part(index, index_label, window) } else { (index_label, window) };
        let Snapshot { offset, is_new } = take(window)?;
        if is_new && !window.constant {
            io::concretize_lengths(self.record, window.words());
        }
        let label = intern(Op::Read, self.size as u32 * 8, 0, [index_label, 0], offset, self.value);
        Some(recorder().check(label, self.value))
    }

    /// Returns whether all of the access is inside a window, and the label of that condition.
    fn inside(&self, window: Window) -> Option<(bool, u32)> {
        let last = window.len.checked_sub(self.size)?;
        let is_inside = self.address.wrapping_sub(window.base) <= last;
        let index = self.offset_from(window.base);
        Some((is_inside, intern(Op::Ule, 1, 64, [index, 0], last, is_inside.into())))
    }

    fn offset_from(&self, base: u64) -> u32 {
        intern(Op::Sub, 64, 0, [self.label, 0], base, self.address.wrapping_sub(base))
    }

    /// Returns the part of a large window that the address is in, and the label of the offset in it.
    fn part(&self, index: u64, index_label: u32, window: Window) -> (u32, Window) {
        let number = index >> PART_BITS;
        let number_label = intern(Op::LShr, 64, 0, [index_label, 0], PART_BITS, number);
        concretize(self.record, number_label, number);
        let start = number << PART_BITS;
        let len = (window.len - start).min((1 << PART_BITS) + WIDEST);
        let base = window.base + start;
        (self.offset_from(base), Window { base, len, ..window })
    }
}
