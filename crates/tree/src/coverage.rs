//! Branch coverage.

use cairn_program::{BranchId, Program};

/// The set of covered branches, with the count of those in user code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coverage {
    covered: BranchSet,
    counted: BranchSet,
    counted_covered: usize,
}

impl Coverage {
    /// Returns the empty coverage of `program`.
    pub fn new(program: &Program) -> Coverage {
        let mut counted = BranchSet::new(program.branch_count());
        for (_, site) in program.sites().filter(|(_, site)| site.counted) {
            for branch in site.branches() {
                counted.insert(branch);
            }
        }
        Coverage { covered: BranchSet::new(program.branch_count()), counted, counted_covered: 0 }
    }

    /// Merges the coverage bytes of one run, one per branch, nonzero if taken. Returns the newly covered
    /// branches of user code, in order.
    pub fn merge(&mut self, bytes: &[u8]) -> Vec<BranchId> {
        let mut new = Vec::new();
        let bytes = &bytes[..bytes.len().min(self.covered.len)];
        for index in taken(bytes) {
            let branch = BranchId(index as u32);
            if self.covered.insert(branch) && self.counted.contains(branch) {
                new.push(branch);
            }
        }
        self.counted_covered += new.len();
        new
    }

    /// Returns a byte for each of `len` branches: 0xff if it is an uncovered one of user code, otherwise 0.
    pub fn wanted(&self, len: usize) -> Vec<u8> {
        let is_wanted = |branch| self.counted.contains(branch) && !self.covered.contains(branch);
        (0..len as u32).map(|index| if is_wanted(BranchId(index)) { 0xff } else { 0 }).collect()
    }

    /// True if a run took this branch.
    pub fn is_covered(&self, branch: BranchId) -> bool {
        self.covered.contains(branch)
    }

    /// Returns the number of covered branches of user code.
    pub fn covered(&self) -> usize {
        self.counted_covered
    }
}

/// Returns the indices of nonzero bytes. Most bytes are 0, so eight are tested at once.
pub fn taken(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let (words, rest) = bytes.as_chunks::<8>();
    let words = words.iter().enumerate().filter(|(_, word)| u64::from_ne_bytes(**word) != 0);
    words.flat_map(|(index, word)| indices(index * 8, word)).chain(indices(bytes.len() - rest.len(), rest))
}

fn indices(first: usize, bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    bytes.iter().enumerate().filter(|(_, byte)| **byte != 0).map(move |(at, _)| first + at)
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct BranchSet {
    words: Vec<u64>,
    len: usize,
}

impl BranchSet {
    fn new(len: u32) -> BranchSet {
        BranchSet { words: vec![0; len.div_ceil(64) as usize], len: len as usize }
    }

    fn contains(&self, branch: BranchId) -> bool {
        self.words.get(branch.0 as usize / 64).is_some_and(|word| word >> (branch.0 % 64) & 1 != 0)
    }

    /// Inserts a branch; true if it was not in the set.
    fn insert(&mut self, branch: BranchId) -> bool {
        let word = &mut self.words[branch.0 as usize / 64];
        let bit = 1 << (branch.0 % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}
