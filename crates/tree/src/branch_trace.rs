//! The concrete branches between a run's symbolic decisions.
//!
//! Few distinct sequences occur between decisions, however many runs there are: each is interned, and of a
//! long one only both ends are kept.

use cairn_program::BranchId;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// Number of branches kept of each end of a long sequence; a chosen bound.
const END: usize = 32;

/// The concrete branches of one run, grouped by the step of its path that follows them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BranchTraces {
    branches: Vec<BranchId>,
    /// End of the group before each step.
    ends: Vec<usize>,
}

impl BranchTraces {
    /// Returns an empty trace.
    pub fn new() -> BranchTraces {
        BranchTraces::default()
    }

    /// Records a branch on a concrete value.
    pub fn branch(&mut self, branch: BranchId) {
        self.branches.push(branch);
    }

    /// Records that the run reached the next step of its path.
    pub fn step(&mut self) {
        self.ends.push(self.branches.len());
    }

    /// Returns the branches between a step and the one before it; empty for steps that were not recorded.
    pub fn before(&self, step: usize) -> &[BranchId] {
        let Some(end) = self.ends.get(step) else { return &[] };
        let start = step.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.branches[start..*end]
    }
}

/// Index of an interned sequence of branches.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct BranchTraceId(u32);

impl BranchTraceId {
    pub const EMPTY: BranchTraceId = BranchTraceId(0);
}

/// The table of distinct sequences.
#[derive(Clone, Debug)]
pub(crate) struct BranchTraceStore {
    branches: Vec<BranchId>,
    /// Start and end of each sequence in `branches`.
    spans: Vec<(u32, u32)>,
    /// Every sequence but the empty one, with its hash.
    table: HashTable<(u64, BranchTraceId)>,
}

impl BranchTraceStore {
    pub fn new() -> BranchTraceStore {
        BranchTraceStore { branches: Vec::new(), spans: vec![(0, 0)], table: HashTable::new() }
    }

    pub fn intern(&mut self, branches: &[BranchId]) -> BranchTraceId {
        if branches.is_empty() {
            return BranchTraceId::EMPTY;
        }
        let start = self.branches.len();
        self.append_ends(branches);
        let new = &self.branches[start..];
        let hash = FxBuildHasher.hash_one(new);
        if let Some(&(_, known)) = self.table.find(hash, |(_, id)| self.get(*id) == new) {
            self.branches.truncate(start);
            return known;
        }
        let end = u32::try_from(self.branches.len()).expect("the tree is full");
        let id = BranchTraceId(self.spans.len() as u32);
        self.spans.push((start as u32, end));
        self.table.insert_unique(hash, (hash, id), |(hash, _)| *hash);
        id
    }

    fn append_ends(&mut self, branches: &[BranchId]) {
        if branches.len() <= 2 * END {
            self.branches.extend(branches);
        } else {
            self.branches.extend(&branches[..END]);
            self.branches.extend(&branches[branches.len() - END..]);
        }
    }

    pub fn get(&self, id: BranchTraceId) -> &[BranchId] {
        let (start, end) = self.spans[id.0 as usize];
        &self.branches[start as usize..end as usize]
    }

    pub fn bytes(&self) -> usize {
        let spans = self.spans.capacity() * size_of::<(u32, u32)>();
        self.branches.capacity() * size_of::<BranchId>() + spans + self.table.allocation_size()
    }
}
