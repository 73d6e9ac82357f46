//! Which branches runs have taken.

use cairn_program::{BranchId, Program};

/// A set of branches, those of the user's code counted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coverage {
    covered: Bits,
    counted: Bits,
    counted_covered: usize,
}

impl Coverage {
    /// No branch of this program is covered.
    pub fn new(program: &Program) -> Coverage {
        let mut counted = Bits::new(program.branch_count());
        for (_, site) in program.sites().filter(|(_, site)| site.counted) {
            for branch in site.branches() {
                counted.insert(branch);
            }
        }
        Coverage { covered: Bits::new(program.branch_count()), counted, counted_covered: 0 }
    }

    /// Adds what one run covered, a byte per branch, not 0 if it was taken. Gives the branches that
    /// are new and the user's, in order.
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

    /// Whether a run took this branch.
    pub fn is_covered(&self, branch: BranchId) -> bool {
        self.covered.contains(branch)
    }

    /// How many branches of the user's code were taken.
    pub fn covered(&self) -> usize {
        self.counted_covered
    }
}

/// Indices of the bytes that are not 0. Most are, so eight are looked at at once.
pub fn taken(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let (words, rest) = bytes.as_chunks::<8>();
    let words = words.iter().enumerate().filter(|(_, word)| u64::from_ne_bytes(**word) != 0);
    words.flat_map(|(index, word)| indices(index * 8, word)).chain(indices(bytes.len() - rest.len(), rest))
}

fn indices(first: usize, bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    bytes.iter().enumerate().filter(|(_, byte)| **byte != 0).map(move |(at, _)| first + at)
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    fn new(len: u32) -> Bits {
        Bits { words: vec![0; len.div_ceil(64) as usize], len: len as usize }
    }

    fn contains(&self, branch: BranchId) -> bool {
        self.words.get(branch.0 as usize / 64).is_some_and(|word| word >> (branch.0 % 64) & 1 != 0)
    }

    /// Whether it was not in before.
    fn insert(&mut self, branch: BranchId) -> bool {
        let word = &mut self.words[branch.0 as usize / 64];
        let bit = 1 << (branch.0 % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}
