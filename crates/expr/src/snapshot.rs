//! Snapshots: contents of a memory object when it was read at a symbolic index.

use crate::inputs::SetId;
use crate::node::{ExprId, SnapshotId};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A byte of a snapshot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    /// A constant.
    Known(u8),
    /// An expression of width 8 that is no constant.
    Part(ExprId),
}

impl Cell {
    /// Returns the expression, if it is one.
    pub fn expression(self) -> Option<ExprId> {
        match self {
            Cell::Known(_) => None,
            Cell::Part(e) => Some(e),
        }
    }
}

/// A snapshot: constant bytes in an array, the few symbolic ones in a sorted list by index, since most tables
/// are constant.
#[derive(Clone)]
struct Snapshot {
    bytes: Arc<[u8]>,
    parts: Arc<[(u32, ExprId)]>,
    inputs: SetId,
    is_uniform: bool,
}

impl Snapshot {
    fn hash(&self) -> u64 {
        let mut hasher = FxHasher::default();
        (&self.bytes, &self.parts).hash(&mut hasher);
        hasher.finish()
    }

    /// Returns its size in memory, in bytes.
    fn memory(&self) -> u64 {
        (size_of::<Snapshot>() + self.bytes.len() + size_of_val(&*self.parts)) as u64
    }

    fn same(&self, other: &Snapshot) -> bool {
        self.bytes == other.bytes && self.parts == other.parts
    }
}

/// The snapshots of a DAG, each stored once.
#[derive(Default)]
pub struct Snapshots {
    all: Vec<Snapshot>,
    table: HashTable<u32>,
    total_bytes: u64,
}

impl Snapshots {
    /// Returns the memory of all snapshots, in bytes.
    pub(crate) fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    /// Returns the length of a snapshot.
    #[allow(clippy::len_without_is_empty, reason = "the length of one of them")]
    pub fn len(&self, id: SnapshotId) -> u64 {
        self.get(id).bytes.len() as u64
    }

    /// Returns the bytes, with 0 for symbolic ones.
    pub fn bytes(&self, id: SnapshotId) -> &[u8] {
        &self.get(id).bytes
    }

    /// Returns the symbolic bytes with their indices, in order.
    pub fn parts(&self, id: SnapshotId) -> &[(u32, ExprId)] {
        &self.get(id).parts
    }

    /// Returns the byte at an index; outside of the snapshot it is 0.
    pub fn cell(&self, id: SnapshotId, place: u128) -> Cell {
        let Snapshot { bytes, parts, .. } = self.get(id);
        if place >= bytes.len() as u128 {
            return Cell::Known(0);
        }
        match parts.binary_search_by_key(&(place as u32), |&(p, _)| p) {
            Ok(found) => Cell::Part(parts[found].1),
            Err(_) => Cell::Known(bytes[place as usize]),
        }
    }

    /// Returns `count` bytes from an index on.
    pub fn cells(
        &self,
        id: SnapshotId,
        place: u128,
        count: u8,
    ) -> impl DoubleEndedIterator<Item = Cell> + use<'_> {
        (0..u128::from(count)).map(move |i| self.cell(id, place + i))
    }

    /// True if all bytes are constant and equal.
    pub(crate) fn is_uniform(&self, id: SnapshotId) -> bool {
        self.get(id).is_uniform
    }

    pub(crate) fn inputs(&self, id: SnapshotId) -> SetId {
        self.get(id).inputs
    }

    fn get(&self, id: SnapshotId) -> &Snapshot {
        &self.all[id.0 as usize]
    }

    /// Appends the snapshots that `original` got since this copy was updated, without the hash table.
    pub(crate) fn append(&mut self, original: &Snapshots) {
        self.all.extend_from_slice(&original.all[self.all.len()..]);
        // The contents are shared, and counted in each copy.
        self.total_bytes = original.total_bytes;
    }

    /// Returns the snapshot with these bytes and parts; the byte under a part is 0.
    pub(crate) fn intern(&mut self, bytes: Vec<u8>, parts: Vec<(u32, ExprId)>, inputs: SetId) -> SnapshotId {
        assert!(parts.is_sorted_by_key(|&(place, _)| place), "parts come in order");
        let is_uniform = parts.is_empty() && bytes.iter().all(|byte| *byte == bytes[0]);
        let snapshot = Snapshot { bytes: bytes.into(), parts: parts.into(), inputs, is_uniform };
        let Snapshots { all, table, total_bytes } = self;
        let entry = table.entry(
            snapshot.hash(),
            |&id| all[id as usize].same(&snapshot),
            |&id| all[id as usize].hash(),
        );
        match entry {
            Entry::Occupied(found) => SnapshotId(*found.get()),
            Entry::Vacant(place) => {
                let id = u32::try_from(all.len()).expect("fewer than 2^32 snapshots");
                place.insert(id);
                *total_bytes += snapshot.memory();
                all.push(snapshot);
                SnapshotId(id)
            }
        }
    }
}
