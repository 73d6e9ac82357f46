//! Sets of byte values.

/// Some of the 256 values of a byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ByteSet([u64; 4]);

impl ByteSet {
    pub(super) const EMPTY: ByteSet = ByteSet([0; 4]);
    pub(super) const FULL: ByteSet = ByteSet([u64::MAX; 4]);

    /// From the first to the last value, both included.
    pub(super) fn range(first: u8, last: u8) -> ByteSet {
        (first..=last).collect()
    }

    pub(super) fn contains(&self, value: u8) -> bool {
        self.0[usize::from(value >> 6)] >> (value & 63) & 1 == 1
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == ByteSet::EMPTY
    }

    pub(super) fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    pub(super) fn and(&self, other: &ByteSet) -> ByteSet {
        ByteSet(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    /// The values, in the order in which they are wanted in an answer: what was there before, then what people can read.
    pub(super) fn by_taste(self, seed: u8) -> impl Iterator<Item = u8> {
        let readable = (b' '..=b'~').chain(0..b' ').chain(b'~' + 1..=u8::MAX);
        let others = readable.filter(move |&value| value != seed);
        std::iter::once(seed).chain(others).filter(move |&value| self.contains(value))
    }
}

impl FromIterator<u8> for ByteSet {
    fn from_iter<I: IntoIterator<Item = u8>>(values: I) -> ByteSet {
        let mut set = ByteSet::EMPTY;
        for value in values {
            set.0[usize::from(value >> 6)] |= 1 << (value & 63);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_given_once_and_the_seeds_first() {
        let set = ByteSet::range(30, 200).and(&ByteSet::range(0, 128));
        let given: Vec<u8> = set.by_taste(127).collect();
        assert_eq!(given[..3], [127, 32, 33]);
        assert_eq!((given.len(), set.len()), (99, 99));
        assert_eq!(given.iter().copied().collect::<ByteSet>(), set);
        assert_eq!(set.by_taste(201).next(), Some(b' '));
        assert!(set.contains(128) && !set.contains(129) && !set.contains(29));
        assert_eq!(ByteSet::FULL.by_taste(0).count(), 256);
    }
}
