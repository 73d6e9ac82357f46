//! Snapshots of the target's memory, read from shared memory and checked.

use crate::shm::SharedMemory;
use cairn_expr::{Dag, ExprId, SnapshotId};
use cairn_wire::snapshot::{ALIGNMENT, Header, MAX_LEN};
use cairn_wire::{Layout, shadow};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// Bytes of memory, with their shadow.
#[derive(PartialEq, Eq)]
struct Snapshot {
    bytes: Vec<u8>,
    /// Shadow word of each byte, or empty.
    words: Vec<u32>,
}

impl Snapshot {
    /// Loads the snapshot at an offset of the region; `None` if it is implausible.
    fn load(memory: &SharedMemory, layout: &Layout, offset: u64) -> Option<Snapshot> {
        let header_size = size_of::<Header>() as u64;
        let room = layout.snapshot_size.checked_sub(offset)?;
        if !offset.is_multiple_of(ALIGNMENT) || room < header_size {
            return None;
        }
        let at = layout.snapshots + offset;
        let header = header(&memory.read(at, size_of::<Header>()));
        if header.len == 0 || u64::from(header.len) > MAX_LEN || header.size() > room {
            return None;
        }
        let mut bytes = memory.read(at + header_size, (header.size() - header_size) as usize);
        let words = bytes[(header.words_at() - header_size) as usize..].chunks_exact(4).map(word).collect();
        bytes.truncate(header.len as usize);
        Some(Snapshot { bytes, words })
    }

    /// Returns the bytes that it takes in the region.
    fn region_bytes(&self) -> u64 {
        let (len, labelled) = (self.bytes.len() as u32, u32::from(!self.words.is_empty()));
        Header { len, labelled }.size()
    }

    fn labels(&self) -> impl Iterator<Item = u32> {
        self.words.iter().map(|word| word & shadow::LABEL_MASK).filter(|&label| label != 0)
    }

    /// Builds the snapshot for expressions, if all its labels are valid.
    fn build(&self, dag: &mut Dag, built: impl Fn(u32) -> Option<ExprId>) -> Option<SnapshotId> {
        let mut parts = Vec::new();
        for (position, word) in (0..).zip(&self.words).filter(|(_, word)| **word != 0) {
            let value = built(word & shadow::LABEL_MASK)?;
            let first_bit = (word >> shadow::LABEL_BITS) as u8 * 8;
            let width = dag.width(value).checked_sub(first_bit).filter(|width| *width > 0)?.min(8);
            // A value narrower than a byte is zero-extended.
            let part = dag.extract(value, first_bit, width);
            parts.push((position, dag.zext(part, 8)));
        }
        Some(dag.snapshot(&self.bytes, &parts))
    }
}

fn header(bytes: &[u8]) -> Header {
    Header { len: word(&bytes[..4]), labelled: word(&bytes[4..]) }
}

fn word(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))
}

/// The snapshots of one run, each loaded and built once.
#[derive(Default)]
pub(crate) struct Snapshots {
    /// Bytes of the region that are loaded. Snapshots do not overlap: a table with overlapping ones is
    /// rejected, or a region of megabytes would become gigabytes here.
    region_bytes: u64,
    loaded: HashMap<u64, Arc<Option<Snapshot>>>,
    built: HashMap<u64, Option<SnapshotId>>,
}

impl Snapshots {
    /// Returns the snapshots at some of the offsets.
    pub(crate) fn subset(&self, offsets: impl Iterator<Item = u64>) -> Snapshots {
        let mut subset = Snapshots::default();
        for offset in offsets {
            if let (Some(loaded), Entry::Vacant(slot)) =
                (self.loaded.get(&offset), subset.loaded.entry(offset))
            {
                subset.region_bytes += loaded.as_ref().as_ref().map_or(0, Snapshot::region_bytes);
                slot.insert(Arc::clone(loaded));
            }
            subset.built.extend(self.built.get(&offset).map(|built| (offset, *built)));
        }
        subset
    }

    /// True if the snapshot loaded from an offset equals that of another run there.
    pub(crate) fn is_unchanged(&self, memory: &SharedMemory, layout: &Layout, offset: u64) -> bool {
        let loaded = self.loaded.get(&offset);
        loaded.is_some_and(|loaded| **loaded == Snapshot::load(memory, layout, offset))
    }

    /// Loads a snapshot and returns the labels it depends on; none if it was loaded before.
    pub(crate) fn load(&mut self, memory: &SharedMemory, layout: &Layout, offset: u64) -> Vec<u32> {
        match self.loaded.entry(offset) {
            Entry::Occupied(_) => Vec::new(),
            Entry::Vacant(slot) => {
                let is_full = self.region_bytes > layout.snapshot_size;
                let load = || Snapshot::load(memory, layout, offset);
                let loaded = (!is_full).then(load).flatten().filter(|snapshot| {
                    self.region_bytes += snapshot.region_bytes();
                    self.region_bytes <= layout.snapshot_size
                });
                let loaded = slot.insert(Arc::new(loaded));
                loaded.iter().flat_map(Snapshot::labels).collect()
            }
        }
    }

    /// Builds the snapshot at an offset, which was loaded before.
    pub(crate) fn build(
        &mut self,
        dag: &mut Dag,
        offset: u64,
        built: impl Fn(u32) -> Option<ExprId>,
    ) -> Option<SnapshotId> {
        let loaded = self.loaded.get(&offset)?.as_ref().as_ref()?;
        *self.built.entry(offset).or_insert_with(|| loaded.build(dag, built))
    }
}
