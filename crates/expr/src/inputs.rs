//! Sets of input bytes that expressions depend on.
//!
//! Every node has its set, so sets must share storage: a checksum over n bytes has n sums with sets
//! of 1, 2, … n bytes, and n copies would be quadratic. Sets are therefore hash-consed Patricia tries
//! (big-endian, after Okasaki and Gill's "Fast mergeable integer maps") over blocks of 64 neighbouring
//! bytes, one bit per byte. Equal sets have equal ids; adding a byte to a set makes O(log(n/64)) trie nodes
//! (one per level), so the checksum costs O(n log n) in all, in whatever order it visits the bytes;
//! union stops where two tries share a subtree. A flat, sorted slice is made only for sets that a caller
//! asks to see that way, once per distinct set.

use hashbrown::HashTable;
use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::sync::OnceLock;

/// A byte of a run's input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct InputByte {
    /// Index of the input object.
    pub object: u32,
    /// Offset in the object.
    pub offset: u32,
}

/// A set of input bytes; equal sets of one [`InputSets`] have equal ids.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SetId(u32);

impl SetId {
    /// The set without members.
    pub const EMPTY: SetId = SetId(0);

    /// Position in the arena, for tables indexed by set.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The structure of a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SetView {
    /// No members.
    Empty,
    /// Bit `i` of the bits stands for the byte `i` places after this one.
    Block(InputByte, u64),
    /// Two disjoint sets; all members of the first come before those of the second.
    Pair(SetId, SetId),
}

/// Bytes per block, as a shift.
const BLOCK_SHIFT: u32 = 6;
const OFFSET_BLOCK_BITS: u32 = 32 - BLOCK_SHIFT;

/// A trie node: a block (level 0), or two subtries that differ first in bit `level - 1` of the block number.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Trie {
    /// Block number; of an inner node that of some block in it.
    block: u64,
    /// Members of the block; of an inner node its two children.
    bits: u64,
    level: u8,
}

impl Trie {
    fn children(&self) -> (SetId, SetId) {
        (SetId(self.bits as u32), SetId((self.bits >> 32) as u32))
    }

    fn hash(&self) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write_u64(self.bits);
        // An inner node is told by its children alone.
        hasher.write_u64(if self.level == 0 { self.block } else { u64::MAX });
        hasher.finish()
    }

    fn same(&self, other: &Trie) -> bool {
        self.bits == other.bits && self.level == other.level && (self.level > 0 || self.block == other.block)
    }

    fn covers(&self, block: u64) -> bool {
        self.block >> self.level == block >> self.level
    }
}

/// The sets of a DAG, each stored once.
pub struct InputSets {
    tries: Vec<Trie>,
    flat: Vec<OnceLock<Box<[InputByte]>>>,
    table: HashTable<u32>,
}

impl Default for InputSets {
    fn default() -> Self {
        let empty = Trie { block: u64::MAX, bits: 0, level: 0 };
        InputSets { tries: vec![empty], flat: vec![OnceLock::new()], table: HashTable::new() }
    }
}

impl InputSets {
    /// Returns the number of sets and their parts, the empty one included: one more than the largest index.
    #[allow(clippy::len_without_is_empty, reason = "the empty set is always there")]
    pub fn len(&self) -> usize {
        self.tries.len()
    }

    /// Returns the memory of the sets in bytes, without flat slices.
    pub(crate) fn bytes(&self) -> u64 {
        let entry = size_of::<Trie>() + size_of::<OnceLock<Box<[InputByte]>>>() + 2 * size_of::<u32>();
        (self.tries.len() * entry) as u64
    }

    /// Returns the structure of a set.
    pub fn view(&self, set: SetId) -> SetView {
        let trie = self.tries[set.index()];
        if set == SetId::EMPTY {
            return SetView::Empty;
        }
        if trie.level > 0 {
            let (first, second) = trie.children();
            return SetView::Pair(first, second);
        }
        let object = (trie.block >> OFFSET_BLOCK_BITS) as u32;
        let offset = (trie.block as u32) << BLOCK_SHIFT;
        SetView::Block(InputByte { object, offset }, trie.bits)
    }

    /// Returns the members, sorted; the slice is built at the first call.
    pub fn members(&self, set: SetId) -> &[InputByte] {
        self.flat[set.index()].get_or_init(|| {
            let mut members = Vec::new();
            self.each(set, &mut |byte| members.push(byte));
            members.into()
        })
    }

    fn each(&self, set: SetId, found: &mut impl FnMut(InputByte)) {
        match self.view(set) {
            SetView::Empty => {}
            SetView::Block(first, mut bits) => {
                while bits != 0 {
                    found(InputByte { offset: first.offset + bits.trailing_zeros(), ..first });
                    bits &= bits - 1;
                }
            }
            // As deep as a block number has bits.
            SetView::Pair(a, b) => {
                self.each(a, found);
                self.each(b, found);
            }
        }
    }

    /// Appends the sets that `original` got since this copy was updated, without the hash table.
    pub(crate) fn append(&mut self, original: &InputSets) {
        self.tries.extend_from_slice(&original.tries[self.tries.len()..]);
        self.flat.resize_with(self.tries.len(), OnceLock::new);
    }

    pub(crate) fn single(&mut self, byte: InputByte) -> SetId {
        let block = (byte.object as u64) << OFFSET_BLOCK_BITS | (byte.offset >> BLOCK_SHIFT) as u64;
        self.intern(Trie { block, bits: 1 << (byte.offset & 63), level: 0 })
    }

    pub(crate) fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b == SetId::EMPTY {
            return a;
        }
        if a == SetId::EMPTY {
            return b;
        }
        let (ta, tb) = (self.tries[a.index()], self.tries[b.index()]);
        if ta.level < tb.level { self.merge((b, tb), (a, ta)) } else { self.merge((a, ta), (b, tb)) }
    }

    /// Returns the union of two different sets, the first at least as high as the second.
    fn merge(&mut self, (a, ta): (SetId, Trie), (b, tb): (SetId, Trie)) -> SetId {
        if !ta.covers(tb.block) {
            return self.join((a, ta.block), (b, tb.block));
        }
        if ta.level == 0 {
            let bits = ta.bits | tb.bits;
            return if bits == ta.bits { a } else { self.intern(Trie { bits, ..ta }) };
        }
        let (zero, one) = ta.children();
        let (new_zero, new_one) = if ta.level == tb.level {
            let (other_zero, other_one) = tb.children();
            (self.union(zero, other_zero), self.union(one, other_one))
        } else if tb.block >> (ta.level - 1) & 1 == 0 {
            (self.union(zero, b), one)
        } else {
            (zero, self.union(one, b))
        };
        // Mostly nothing is new: then there is nothing to look up.
        if (new_zero, new_one) == (zero, one) {
            return a;
        }
        self.pair(new_zero, new_one, ta.block, ta.level)
    }

    /// Returns the union of two sets whose blocks differ above both levels.
    fn join(&mut self, (a, block_a): (SetId, u64), (b, block_b): (SetId, u64)) -> SetId {
        let level = 64 - (block_a ^ block_b).leading_zeros() as u8;
        let (zero, one) = if block_a < block_b { (a, b) } else { (b, a) };
        self.pair(zero, one, block_a, level)
    }

    fn pair(&mut self, zero: SetId, one: SetId, block: u64, level: u8) -> SetId {
        self.intern(Trie { block, bits: zero.0 as u64 | (one.0 as u64) << 32, level })
    }

    fn intern(&mut self, trie: Trie) -> SetId {
        let InputSets { tries, flat, table } = self;
        let entry =
            table.entry(trie.hash(), |&id| tries[id as usize].same(&trie), |&id| tries[id as usize].hash());
        match entry {
            hashbrown::hash_table::Entry::Occupied(found) => SetId(*found.get()),
            hashbrown::hash_table::Entry::Vacant(place) => {
                let id = tries.len() as u32;
                place.insert(id);
                tries.push(trie);
                flat.push(OnceLock::new());
                SetId(id)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn byte(object: u32, offset: u32) -> InputByte {
        InputByte { object, offset }
    }

    #[test]
    fn unions_are_what_a_set_of_bytes_would_be() {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut sets = InputSets::default();
        let mut known = vec![(SetId::EMPTY, BTreeSet::new())];
        for _ in 0..400 {
            let (id, expected) = if rng.bool() {
                let shift = rng.u32(0..32);
                let b = byte(rng.u32(0..3), rng.u32(..) >> shift);
                (sets.single(b), BTreeSet::from([b]))
            } else {
                let (a, b) = (rng.usize(..known.len()), rng.usize(..known.len()));
                let id = sets.union(known[a].0, known[b].0);
                (id, known[a].1.union(&known[b].1).copied().collect())
            };
            assert!(sets.members(id).iter().eq(expected.iter()));
            for (other, members) in &known {
                assert_eq!(*other == id, *members == expected, "equal sets have equal ids");
            }
            known.push((id, expected));
        }
    }

    #[test]
    fn a_growing_set_shares_its_storage() {
        let mut sets = InputSets::default();
        let mut rng = fastrand::Rng::with_seed(2);
        let mut order: Vec<u32> = (0..10_000).map(|i| i * 3).collect();
        rng.shuffle(&mut order);
        let mut all = SetId::EMPTY;
        for offset in order {
            let one = sets.single(byte(0, offset));
            all = sets.union(all, one);
        }
        assert_eq!(sets.members(all).len(), 10_000);
        assert!(sets.len() < 120_000, "{} trie nodes", sets.len());
    }
}
