//! Sets of byte values.

/// A set of byte values, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ByteSet([u64; 4]);

impl ByteSet {
    pub(super) const EMPTY: ByteSet = ByteSet([0; 4]);
    pub(super) const FULL: ByteSet = ByteSet([u64::MAX; 4]);

    /// Returns the values from `first` to `last`, both included.
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

    /// Returns the values in ascending order.
    pub(super) fn values(&self) -> impl Iterator<Item = u8> + use<> {
        let mut words = self.0;
        (0..4u8).flat_map(move |index| {
            let mut word = std::mem::take(&mut words[usize::from(index)]);
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as u8)?;
                word &= word - 1;
                Some(index << 6 | bit)
            })
        })
    }

    pub(super) fn and(&self, other: &ByteSet) -> ByteSet {
        ByteSet(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    /// Returns the values in the order in which they are preferred in a model, by distance from the seed's: a
    /// count should become one more rather than a hundred more, and readable text should stay readable.
    pub(super) fn nearest_first(self, seed: u8) -> impl Iterator<Item = u8> {
        let above_and_below = move |distance| [seed.checked_add(distance), seed.checked_sub(distance)];
        let others = (1..=u8::MAX).flat_map(above_and_below).flatten();
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
    fn every_value_is_returned_once_and_the_seeds_first() {
        let set = ByteSet::range(30, 200).and(&ByteSet::range(0, 128));
        let given: Vec<u8> = set.nearest_first(127).collect();
        assert_eq!(given[..4], [127, 128, 126, 125]);
        assert_eq!((given.len(), set.len()), (99, 99));
        assert_eq!(given.iter().copied().collect::<ByteSet>(), set);
        assert_eq!(set.values().collect::<Vec<u8>>(), (30..=128).collect::<Vec<u8>>());
        assert_eq!(set.nearest_first(201).next(), Some(128));
        assert!(set.contains(128) && !set.contains(129) && !set.contains(29));
        assert_eq!(ByteSet::FULL.nearest_first(0).count(), 256);
    }
}
