//! Snapshots: copies of memory that was read at a symbolic address.
//!
//! A table is read over and over, and seldom changes in between: the last snapshot of each window is cached,
//! and used again while the memory is unchanged.

use crate::lock;
use crate::recorder::{Recorder, recorder};
use crate::shadow::{any, words};
use cairn_wire::control::Control;
use cairn_wire::shadow::{LABEL_BITS, LABEL_MASK};
use cairn_wire::snapshot::{ALIGNMENT, Header};
use core::cell::UnsafeCell;
use core::ptr::null_mut;

/// Entries of the cache, which is direct-mapped by a hash of the window's address; a chosen bound.
const CACHED: usize = 256;

/// A range of memory that can be read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// First address.
    pub base: u64,
    /// Number of bytes.
    pub len: u64,
    /// True if it never changes and has no labels.
    pub constant: bool,
}

impl Window {
    /// Returns the shadow words of its bytes.
    pub fn words(&self) -> &'static [u32] {
        words(self.base, self.len)
    }

    fn bytes(&self) -> &'static [u8] {
        // SAFETY: windows are made only of readable memory.
        unsafe { core::slice::from_raw_parts(self.base as *const u8, self.len as usize) }
    }
}

#[derive(Clone, Copy)]
struct CachedSnapshot {
    window: Window,
    offset: u64,
}

const EMPTY: CachedSnapshot =
    CachedSnapshot { window: Window { base: 0, len: 0, constant: false }, offset: 0 };

/// The snapshot region of the shared memory, and the cache.
struct Snapshots {
    region: *mut u8,
    size: u64,
    cache: [CachedSnapshot; CACHED],
}

struct SnapshotsCell(UnsafeCell<Snapshots>);

// SAFETY: used under the lock of table and logs only, once attached.
unsafe impl Sync for SnapshotsCell {}

static SNAPSHOTS: SnapshotsCell =
    SnapshotsCell(UnsafeCell::new(Snapshots { region: null_mut(), size: 0, cache: [EMPTY; CACHED] }));

/// Connects the snapshots to a mapped shared memory.
///
/// # Safety
/// `base` must be the start of a mapping as large as its control page says, and the process have one thread.
pub unsafe fn attach(base: *mut u8) {
    // SAFETY: the mapping begins with a control page the driver has filled in; no other thread looks.
    unsafe {
        let layout = (*(base as *const Control)).layout;
        let snapshots = &mut *SNAPSHOTS.0.get();
        snapshots.region = base.wrapping_add(layout.snapshots as usize);
        snapshots.size = layout.snapshot_size;
    }
}

/// A snapshot of a window.
pub struct Snapshot {
    /// Its offset in the region.
    pub offset: u64,
    /// True if the cache had none.
    pub is_new: bool,
}

/// Returns a snapshot of the window as it is now, new or cached; `None` if there is no room left.
pub fn take(window: Window) -> Option<Snapshot> {
    let _guard = lock::take()?;
    // SAFETY: under the lock.
    let snapshots = unsafe { &mut *SNAPSHOTS.0.get() };
    let slot = cache_slot(window.base);
    let last = snapshots.cache[slot];
    if last.window == window && (window.constant || snapshots.is_unchanged(&last)) {
        return Some(Snapshot { offset: last.offset, is_new: false });
    }
    let offset = snapshots.copy(window)?;
    snapshots.cache[slot] = CachedSnapshot { window, offset };
    Some(Snapshot { offset, is_new: true })
}

fn cache_slot(base: u64) -> usize {
    (base.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize % CACHED
}

impl Snapshots {
    fn is_unchanged(&self, cached: &CachedSnapshot) -> bool {
        let CachedSnapshot { window, offset } = cached;
        // SAFETY: a header was written there, and bytes and words as it says.
        let (header, bytes, old_words) = unsafe {
            let at = self.region.add(*offset as usize);
            let header = *(at as *const Header);
            let bytes = core::slice::from_raw_parts(at.add(size_of::<Header>()), header.len as usize);
            let labelled = if header.labelled != 0 { header.len as usize } else { 0 };
            let words =
                core::slice::from_raw_parts(at.add(header.words_at() as usize) as *const u32, labelled);
            (header, bytes, words)
        };
        let words = words(window.base, window.len);
        let same_labels =
            if header.labelled != 0 { same(old_words, words) } else { !any(window.base, window.len) };
        same_labels && same(bytes, window.bytes())
    }

    /// Appends a copy to the region.
    fn copy(&self, window: Window) -> Option<u64> {
        let labelled = !window.constant && drop_stale_labels(recorder(), window);
        let header = Header { len: window.len as u32, labelled: labelled.into() };
        let control = recorder().control();
        let offset = control.snapshots_used.next_multiple_of(ALIGNMENT);
        let end = offset.checked_add(header.size()).filter(|end| *end <= self.size)?;
        control.snapshots_used = end;
        let bytes = window.bytes();
        // SAFETY: the region has room for header, bytes and words from the offset on.
        unsafe {
            let at = self.region.add(offset as usize);
            *(at as *mut Header) = header;
            core::ptr::copy_nonoverlapping(bytes.as_ptr(), at.add(size_of::<Header>()), bytes.len());
            if labelled {
                let to = at.add(header.words_at() as usize) as *mut u32;
                core::ptr::copy_nonoverlapping(words(window.base, window.len).as_ptr(), to, bytes.len());
            }
        }
        Some(offset)
    }
}

/// True if two slices of one length are equal. Plain `==` would call a `memcmp` that the program may define.
fn same<T: Copy + Into<u32>>(a: &[T], b: &[T]) -> bool {
    let differs = |(a, b): (&T, &T)| (*a).into() ^ (*b).into();
    a.chunks(64).zip(b.chunks(64)).all(|(a, b)| a.iter().zip(b).map(differs).fold(0, |or, x| or | x) == 0)
}

/// Takes labels off bytes that uninstrumented code has overwritten; true if any labels are left.
fn drop_stale_labels(recorder: &mut Recorder, window: Window) -> bool {
    if !any(window.base, window.len) {
        return false;
    }
    for (word, byte) in
        words(window.base, window.len).iter_mut().zip(window.bytes()).filter(|(word, _)| **word != 0)
    {
        let value = recorder.value(*word & LABEL_MASK) >> ((*word >> LABEL_BITS) * 8);
        if value as u8 != *byte {
            *word = 0;
            recorder.control().stale += 1;
        }
    }
    any(window.base, window.len)
}
