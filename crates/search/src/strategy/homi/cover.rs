//! Greedy set cover: a small set of tests that covers what all of them cover.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A set of branches, a bit each.
pub(super) type BranchBits = Box<[u64]>;

/// Chooses repeatedly the set that adds most to those chosen, the first of equal ones, until none adds
/// anything.
///
/// The gain of a set only ever falls, so it is recomputed only for the one with the highest upper bound (lazy
/// greedy).
pub(super) fn greedy_cover(sets: &[&BranchBits]) -> Vec<usize> {
    let mut covered = vec![0; sets.iter().map(|set| set.len()).max().unwrap_or(0)];
    let size = |(index, set): (usize, &&BranchBits)| (gain(set, &covered), Reverse(index));
    let mut upper_bounds: BinaryHeap<_> = sets.iter().enumerate().map(size).collect();
    let mut chosen = Vec::new();
    while let Some((_, Reverse(index))) = upper_bounds.pop() {
        let now = (gain(sets[index], &covered), Reverse(index));
        if now.0 == 0 {
            continue;
        }
        if upper_bounds.peek().is_some_and(|next| *next > now) {
            upper_bounds.push(now);
            continue;
        }
        covered.iter_mut().zip(sets[index].iter()).for_each(|(all, word)| *all |= word);
        chosen.push(index);
    }
    chosen
}

fn gain(set: &BranchBits, covered: &[u64]) -> u32 {
    set.iter().zip(covered).map(|(word, covered)| (word & !covered).count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use super::{BranchBits, greedy_cover};
    use crate::rng::Rng;

    fn union<'a>(sets: impl IntoIterator<Item = &'a BranchBits>) -> u64 {
        sets.into_iter().fold(0, |all, set| all | set[0])
    }

    /// The published loop, implemented literally.
    fn plain_greedy(sets: &[&BranchBits]) -> Vec<usize> {
        let (mut covered, mut chosen) = (0, Vec::new());
        loop {
            let gain = |index: &usize| (sets[*index][0] & !covered).count_ones();
            let best = (0..sets.len()).rev().max_by_key(gain).filter(|index| gain(index) > 0);
            let Some(best) = best else { return chosen };
            covered |= sets[best][0];
            chosen.push(best);
        }
    }

    fn smallest_cover(sets: &[&BranchBits]) -> u32 {
        let all = union(sets.iter().copied());
        let covers = |chosen: &u32| {
            let some = sets.iter().enumerate().filter(|(index, _)| chosen >> index & 1 == 1);
            union(some.map(|(_, set)| *set)) == all
        };
        (0..1_u32 << sets.len()).filter(covers).map(u32::count_ones).min().unwrap()
    }

    #[test]
    fn greedy_covers_are_complete_and_hardly_larger_than_the_smallest() {
        let mut rng = Rng::new(3);
        for _ in 0..200 {
            let count = rng.below(11);
            let mut set = || (0..12).fold(0, |bits, at| bits | u64::from(rng.below(4) == 0) << at);
            let sets: Vec<BranchBits> = (0..count).map(|_| vec![set()].into()).collect();
            let sets: Vec<&BranchBits> = sets.iter().collect();
            let chosen = greedy_cover(&sets);
            assert_eq!(chosen, plain_greedy(&sets));
            assert_eq!(union(chosen.iter().map(|index| sets[*index])), union(sets.iter().copied()));
            // The bound for sets of at most 12 is their harmonic number.
            assert!(chosen.len() as f64 <= f64::from(smallest_cover(&sets)) * 3.11);
        }
    }
}
