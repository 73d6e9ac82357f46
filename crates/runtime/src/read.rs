//! Loads at symbolic addresses.
//!
//! Where it is known in which memory the address can move, the value is an expression over a copy of that
//! memory, and only that the address stays inside is pinned. Otherwise the address itself is.

use crate::objects::{self, Extent};
use crate::ops::{intern, outside, pin};
use crate::shadow::load;
use crate::snapshot::{Window, take};
use crate::state::state;
use cairn_wire::site::SiteRecord;
use cairn_wire::snapshot::MAX_LEN;
use cairn_wire::{Op, OutOfBounds};

/// Part of a larger object that is looked at, once it is pinned which part that is.
const PART_BITS: u64 = 11;
/// Bytes that a value may reach into the next part.
const WIDEST: u64 = 16;
/// Most terms of an address that are looked through for its constant part.
const MAX_TERMS: usize = 64;

/// How the pass describes a load: bytes of the value, and what it knows of the window.
#[derive(Clone, Copy)]
struct Shape(u64);

impl Shape {
    fn size(self) -> u64 {
        self.0 & 0xff
    }

    /// All of the window lies in an object of the program.
    fn is_sure(self) -> bool {
        self.0 & 1 << 8 != 0
    }

    fn is_constant(self) -> bool {
        self.0 & 1 << 9 != 0
    }

    /// The search is to ask what lies outside.
    fn is_asked(self) -> bool {
        self.0 & 1 << 10 != 0
    }

    fn len(self) -> u64 {
        self.0 >> 16
    }
}

/// Label of the value that was loaded from `address`, which has a label itself. `base` is where the array
/// starts that is indexed, 0 if the pass does not know.
pub extern "C" fn read(
    record: *const SiteRecord,
    label: u32,
    address: u64,
    base: u64,
    shape: u64,
    value: u64,
) -> u32 {
    let shape = Shape(shape);
    if label == 0 {
        return load(address, shape.size() as u32, value);
    }
    let access = Access { record, label, address, size: shape.size(), value };
    let found = window(base, shape, label, address).and_then(|window| access.read(window));
    found.unwrap_or_else(|| {
        pin(record, label, address);
        load(address, shape.size() as u32, value)
    })
}

/// Something was written to `address`, whose label is pinned; the rest is as for [`read`].
pub extern "C" fn written(record: *const SiteRecord, label: u32, address: u64, base: u64, shape: u64) {
    if label == 0 {
        return;
    }
    let shape = Shape(shape);
    let access = Access { record, label, address, size: shape.size(), value: 0 };
    if let Some(window) = window(base, shape, label, address)
        && let Some((is_inside, condition)) = access.inside(window)
    {
        if shape.is_asked() {
            pin(record, condition, is_inside.into());
        }
        if !is_inside {
            outside(record, label, OutOfBounds::Write);
        }
    }
    pin(record, label, address);
}

/// The memory in which the address can move, by what the pass knows or what the address is made of.
fn window(base: u64, shape: Shape, label: u32, address: u64) -> Option<Window> {
    let constant = shape.is_constant();
    if base == 0 {
        let Extent { start, end } = objects::find(constant_part(label))?;
        return Some(Window { base: start, len: end - start, constant });
    }
    let len = match shape.is_sure() {
        true => shape.len(),
        false => shape.len().min(objects::readable_from(base, address).checked_sub(base)?),
    };
    Some(Window { base, len, constant })
}

/// The constant that the terms of an address are added to: most likely where its object is.
fn constant_part(mut label: u32) -> u64 {
    let mut sum = 0u64;
    for _ in 0..MAX_TERMS {
        let entry = state().entry(label);
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

/// One load.
struct Access {
    record: *const SiteRecord,
    label: u32,
    address: u64,
    size: u64,
    value: u64,
}

impl Access {
    /// Label of what was read in a window; `None` if the address has to be pinned. That it is inside or
    /// not is part of the path either way.
    fn read(&self, window: Window) -> Option<u32> {
        let (is_inside, condition) = self.inside(window)?;
        pin(self.record, condition, is_inside.into());
        if !is_inside {
            outside(self.record, self.label, OutOfBounds::Read);
            return None;
        }
        let index = self.address.wrapping_sub(window.base);
        let index_label = self.offset_from(window.base);
        let (index_label, window) =
            if window.len > MAX_LEN { self.part(index, index_label, window) } else { (index_label, window) };
        let offset = take(window)?;
        let label = intern(Op::Read, self.size as u32 * 8, 0, [index_label, 0], offset, self.value);
        Some(state().check(label, self.value))
    }

    /// Whether all of it is inside a window, and the label of that.
    fn inside(&self, window: Window) -> Option<(bool, u32)> {
        let last = window.len.checked_sub(self.size)?;
        let is_inside = self.address.wrapping_sub(window.base) <= last;
        let index = self.offset_from(window.base);
        Some((is_inside, intern(Op::Ule, 1, 64, [index, 0], last, is_inside.into())))
    }

    fn offset_from(&self, base: u64) -> u32 {
        intern(Op::Sub, 64, 0, [self.label, 0], base, self.address.wrapping_sub(base))
    }

    /// The part of a large window that the address is in, and the place in it.
    fn part(&self, index: u64, index_label: u32, window: Window) -> (u32, Window) {
        let number = index >> PART_BITS;
        let number_label = intern(Op::LShr, 64, 0, [index_label, 0], PART_BITS, number);
        pin(self.record, number_label, number);
        let start = number << PART_BITS;
        let len = (window.len - start).min((1 << PART_BITS) + WIDEST);
        let base = window.base + start;
        (self.offset_from(base), Window { base, len, ..window })
    }
}
