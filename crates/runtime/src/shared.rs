//! Files that the program has mapped.
//!
//! Shadow memory goes by address, and a file that is mapped twice has two. So the second mapping of a file of which one
//! is shared and can be written to counts as a loss, whatever is written there; and so does reading such a file by a
//! descriptor, or unmapping it, if there are labels in the mapping.

use crate::io::Identity;
use crate::ops::lost;
use crate::outputs::__cairn_lost_unseen;
use crate::shadow::first_label;
use crate::state::state;
use cairn_wire::Loss;
use core::cell::UnsafeCell;
use core::ptr::null;

/// Mappings that are remembered; one more that is shared counts as a loss.
const MOST: usize = 32;

#[derive(Clone, Copy)]
struct Mapping {
    file: Identity,
    start: u64,
    len: u64,
    /// Shared, and can be written to.
    carries: bool,
}

impl Mapping {
    fn label(&self) -> u32 {
        if self.carries { first_label(self.start, self.len) } else { 0 }
    }

    fn overlaps(&self, start: u64, len: u64) -> bool {
        self.start < start.saturating_add(len) && start < self.start.saturating_add(self.len)
    }
}

struct Cell(UnsafeCell<[Option<Mapping>; MOST]>);

// SAFETY: as for the runtime's state.
unsafe impl Sync for Cell {}

static MAPPINGS: Cell = Cell(UnsafeCell::new([None; MOST]));

fn mappings() -> &'static mut [Option<Mapping>; MOST] {
    // SAFETY: short exclusive borrows, as for the runtime's state.
    unsafe { &mut *MAPPINGS.0.get() }
}

/// True if a file is mapped.
pub fn any() -> bool {
    mappings().iter().any(Option::is_some)
}

fn lose(label: u32) {
    lost(null(), label, Loss::Output as u32);
}

/// Notes a new mapping of a file. `carries` says that it is shared and can be written to.
pub fn mapped(file: Identity, start: u64, len: u64, carries: bool) {
    if !state().tracing {
        return;
    }
    let mut others = mappings().iter().flatten();
    let is_aliased = others.any(|other| other.file == file && (other.carries || carries));
    let free = mappings().iter_mut().find(|place| place.is_none());
    if is_aliased || (free.is_none() && carries) {
        __cairn_lost_unseen();
    }
    if let Some(place) = free {
        *place = Some(Mapping { file, start, len, carries });
    }
}

/// Memory is about to be unmapped: what it holds stays in its file.
#[unsafe(no_mangle)]
extern "C" fn __cairn_unmapped(start: u64, len: u64) {
    for place in mappings() {
        if let Some(mapping) = place.filter(|mapping| mapping.overlaps(start, len)) {
            lose(mapping.label());
            *place = None;
        }
    }
}

/// The program reads a file without looking at its mappings.
pub fn is_read(file: Identity) {
    for mapping in mappings().iter().flatten().filter(|mapping| mapping.file == file) {
        lose(mapping.label());
    }
}
