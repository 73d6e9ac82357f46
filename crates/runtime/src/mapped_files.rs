//! Files that the program has mapped.
//!
//! The shadow is indexed by address, and a file that is mapped twice has two. So a second mapping of a file
//! counts as a loss if one of the two is shared and writable, whatever is written there; and so does reading
//! such a file by a descriptor, or unmapping it, if there are labels in the mapping.

use crate::ops::lost;
use crate::outputs::__cairn_lost_unlabelled;
use crate::recorder::recorder;
use crate::shadow::first_label;
use cairn_wire::Loss;
use core::cell::UnsafeCell;
use core::ptr::null;
use libc::{dev_t, ino_t};

/// Mappings that are tracked, a chosen bound; one more that is shared counts as a loss.
const MAX_MAPPINGS: usize = 32;

/// Device and inode of a file on disk or in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FileIdentity(pub dev_t, pub ino_t);

#[derive(Clone, Copy)]
struct FileMapping {
    file: FileIdentity,
    start: u64,
    len: u64,
    /// Shared and writable, so that what is written reaches the file.
    carries: bool,
}

impl FileMapping {
    fn label(&self) -> u32 {
        if self.carries { first_label(self.start, self.len) } else { 0 }
    }

    fn overlaps(&self, start: u64, len: u64) -> bool {
        self.start < start.saturating_add(len) && start < self.start.saturating_add(self.len)
    }
}

struct MappingsCell(UnsafeCell<[Option<FileMapping>; MAX_MAPPINGS]>);

// SAFETY: as for the recorder.
unsafe impl Sync for MappingsCell {}

static MAPPINGS: MappingsCell = MappingsCell(UnsafeCell::new([None; MAX_MAPPINGS]));

fn mappings() -> &'static mut [Option<FileMapping>; MAX_MAPPINGS] {
    // SAFETY: short exclusive borrows, as for the recorder.
    unsafe { &mut *MAPPINGS.0.get() }
}

/// True if a file is mapped.
pub fn any() -> bool {
    mappings().iter().any(Option::is_some)
}

fn lose(label: u32) {
    lost(null(), label, Loss::Output as u32);
}

/// Notes a new mapping of a file; `carries` if it is shared and writable.
pub fn note_mapping(file: FileIdentity, start: u64, len: u64, carries: bool) {
    if !recorder().tracing {
        return;
    }
    let mut others = mappings().iter().flatten();
    let is_aliased = others.any(|other| other.file == file && (other.carries || carries));
    let free = mappings().iter_mut().find(|slot| slot.is_none());
    if is_aliased || (free.is_none() && carries) {
        __cairn_lost_unlabelled();
    }
    if let Some(slot) = free {
        *slot = Some(FileMapping { file, start, len, carries });
    }
}

/// Notes that memory is about to be unmapped: what it holds stays in its file.
#[unsafe(no_mangle)]
extern "C" fn __cairn_unmapped(start: u64, len: u64) {
    for slot in mappings() {
        if let Some(mapping) = slot.filter(|mapping| mapping.overlaps(start, len)) {
            lose(mapping.label());
            *slot = None;
        }
    }
}

/// Notes that the program reads a file by a descriptor, past the shadow of its mappings.
pub fn note_read(file: FileIdentity) {
    for mapping in mappings().iter().flatten().filter(|mapping| mapping.file == file) {
        lose(mapping.label());
    }
}
