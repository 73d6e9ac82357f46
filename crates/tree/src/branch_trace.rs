//! The concrete branches between a run's decisions.
//!
//! Few different pieces of trail lie between decisions, however many runs there are: each is kept once, and of a long
//! one only both ends.

use cairn_program::BranchId;
use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// How many branches are kept of each end of a piece.
const END: usize = 32;

/// The concrete branches of one run, cut into a piece before each step of its path.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BranchTraces {
    branches: Vec<BranchId>,
    /// Where the piece before each step ends.
    ends: Vec<usize>,
}

impl BranchTraces {
    /// The trails of a run that has not begun.
    pub fn new() -> BranchTraces {
        BranchTraces::default()
    }

    /// The run took a branch without deciding on symbolic values.
    pub fn branch(&mut self, branch: BranchId) {
        self.branches.push(branch);
    }

    /// The run came to the next step of its path.
    pub fn step(&mut self) {
        self.ends.push(self.branches.len());
    }

    /// The branches between a step and the one before it; none for steps that were not told of.
    pub fn before(&self, step: usize) -> &[BranchId] {
        let Some(end) = self.ends.get(step) else { return &[] };
        let start = step.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.branches[start..*end]
    }
}

/// A piece of trail that is kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct BranchTraceId(u32);

impl BranchTraceId {
    pub const EMPTY: BranchTraceId = BranchTraceId(0);
}

/// All different pieces.
#[derive(Clone, Debug)]
pub(crate) struct BranchTraceStore {
    branches: Vec<BranchId>,
    /// Where each piece starts and ends.
    pieces: Vec<(u32, u32)>,
    /// Every piece but the empty one, with its hash.
    table: HashTable<(u64, BranchTraceId)>,
}

impl BranchTraceStore {
    pub fn new() -> BranchTraceStore {
        BranchTraceStore { branches: Vec::new(), pieces: vec![(0, 0)], table: HashTable::new() }
    }

    pub fn intern(&mut self, piece: &[BranchId]) -> BranchTraceId {
        if piece.is_empty() {
            return BranchTraceId::EMPTY;
        }
        let start = self.branches.len();
        self.append_ends_of(piece);
        let new = &self.branches[start..];
        let hash = FxBuildHasher.hash_one(new);
        if let Some(&(_, known)) = self.table.find(hash, |(_, id)| self.get(*id) == new) {
            self.branches.truncate(start);
            return known;
        }
        let end = u32::try_from(self.branches.len()).expect("the tree is full");
        let id = BranchTraceId(self.pieces.len() as u32);
        self.pieces.push((start as u32, end));
        self.table.insert_unique(hash, (hash, id), |(hash, _)| *hash);
        id
    }

    fn append_ends_of(&mut self, piece: &[BranchId]) {
        if piece.len() <= 2 * END {
            self.branches.extend(piece);
        } else {
            self.branches.extend(&piece[..END]);
            self.branches.extend(&piece[piece.len() - END..]);
        }
    }

    pub fn get(&self, id: BranchTraceId) -> &[BranchId] {
        let (start, end) = self.pieces[id.0 as usize];
        &self.branches[start as usize..end as usize]
    }

    pub fn bytes(&self) -> usize {
        let pieces = self.pieces.capacity() * size_of::<(u32, u32)>();
        self.branches.capacity() * size_of::<BranchId>() + pieces + self.table.allocation_size()
    }
}
