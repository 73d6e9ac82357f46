//! Fenwick tree (binary indexed tree) of counts that grows at its end (P. Fenwick: A new data structure for
//! cumulative frequency tables, 1994).
//!
//! Adding to the last count takes constant time, everything else logarithmic time.

/// A growing sequence of counts with prefix sums.
#[derive(Clone, Debug, Default)]
pub(crate) struct FenwickTree {
    /// Partial sums: the one at `i` covers the counts from `i & (i + 1)` to `i`.
    sums: Vec<u64>,
    total: u64,
}

impl FenwickTree {
    /// Appends a count of 0.
    pub fn push(&mut self) {
        let index = self.sums.len();
        let sum = self.before(index) - self.before(index & (index + 1));
        self.sums.push(sum);
    }

    pub fn add(&mut self, index: usize, amount: u64) {
        self.total += amount;
        self.update(index, |sum| *sum += amount);
    }

    pub fn subtract_one(&mut self, index: usize) {
        self.total -= 1;
        self.update(index, |sum| *sum -= 1);
    }

    fn update(&mut self, mut index: usize, change: impl Fn(&mut u64)) {
        while let Some(sum) = self.sums.get_mut(index) {
            change(sum);
            index |= index + 1;
        }
    }

    /// Returns the sum of the counts before `index`.
    pub fn before(&self, mut index: usize) -> u64 {
        let mut sum = 0;
        while index > 0 {
            sum += self.sums[index - 1];
            index &= index - 1;
        }
        sum
    }

    /// Returns the sum of all counts.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the index of the count that holds the `n`-th counted item, and the item's position within it,
    /// both from 0.
    pub fn find(&self, mut n: u64) -> (usize, u64) {
        let mut index = 0;
        let mut step = (self.sums.len() + 1).next_power_of_two();
        while step > 0 {
            match self.sums.get(index + step - 1) {
                Some(sum) if *sum <= n => {
                    n -= sum;
                    index += step;
                }
                _ => {}
            }
            step /= 2;
        }
        (index, n)
    }

    pub fn bytes(&self) -> usize {
        self.sums.capacity() * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::FenwickTree;

    #[test]
    fn sums_and_positions_agree_with_a_plain_list() {
        let (mut counts, mut plain) = (FenwickTree::default(), Vec::new());
        for round in 0..70_u64 {
            counts.push();
            plain.push(0);
            for (index, amount) in [(plain.len() - 1, round % 4), ((round * 7) as usize % plain.len(), 2)] {
                counts.add(index, amount);
                plain[index] += amount;
            }
            if let Some(index) = plain.iter().rposition(|n| *n > 2) {
                counts.subtract_one(index);
                plain[index] -= 1;
            }
            let all = plain.iter().enumerate();
            let positions: Vec<_> =
                all.flat_map(|(index, n)| (0..*n).map(move |rest| (index, rest))).collect();
            let found: Vec<_> = (0..counts.total()).map(|n| counts.find(n)).collect();
            assert_eq!(found, positions);
            for index in 0..=plain.len() {
                assert_eq!(counts.before(index), plain[..index].iter().sum::<u64>());
            }
        }
    }
}
