//! Minimises a test suite: a small set of tests with the same coverage.

use crate::execution::executor::Executor;
use crate::execution::trace_sanity;
use cairn_exec::{ExitKind, Input, Mode, RunError};
use cairn_program::{BranchId, Program};
use cairn_tree::Coverage;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

/// Coverage of one test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Covered {
    /// Exit status of the run.
    pub end: ExitKind,
    /// Covered branches of the user's code.
    pub branches: Vec<BranchId>,
}

/// Runs an input and returns its coverage; empty if the run overwrote its coverage.
pub fn covered(program: &Program, executor: &mut dyn Executor, input: &Input) -> Result<Covered, RunError> {
    let run = executor.run(input, Mode::NATIVE)?;
    let is_trusted = !run.flags.damaged && trace_sanity::is_sane(program, &run.coverage);
    let branches = if is_trusted { Coverage::new(program).merge(&run.coverage) } else { Vec::new() };
    Ok(Covered { end: run.end, branches })
}

/// Returns the indices of the tests to keep, in order; each test is given as its size and coverage. Greedy
/// set cover: the test that adds most comes next, the smaller one of equals; tests made redundant by later
/// ones are dropped.
pub fn smallest_cover(tests: &[(usize, Vec<BranchId>)]) -> Vec<usize> {
    let mut covered: HashSet<BranchId> = HashSet::new();
    let entry = |gain: usize, test: usize| (gain, Reverse(tests[test].0), Reverse(test));
    let mut heap: BinaryHeap<_> = (0..tests.len()).map(|test| entry(tests[test].1.len(), test)).collect();
    let mut kept = Vec::new();
    while let Some((gain, _, Reverse(test))) = heap.pop() {
        // The gain of a test never grows, so a test whose gain is up to date at the top of the heap is the
        // best.
        let now = tests[test].1.iter().filter(|branch| !covered.contains(branch)).count();
        if now == gain && now > 0 {
            covered.extend(&tests[test].1);
            kept.push(test);
        } else if now > 0 {
            heap.push(entry(now, test));
        }
    }
    drop_redundant(tests, &mut kept);
    kept.sort_unstable();
    kept
}

/// Drops tests whose branches others cover, the largest first.
fn drop_redundant(tests: &[(usize, Vec<BranchId>)], kept: &mut Vec<usize>) {
    let mut times: HashMap<BranchId, u32> = HashMap::new();
    for branch in kept.iter().flat_map(|test| &tests[*test].1) {
        *times.entry(*branch).or_default() += 1;
    }
    kept.sort_unstable_by_key(|test| (Reverse(tests[*test].0), Reverse(*test)));
    kept.retain(|test| {
        let branches = &tests[*test].1;
        let is_needed = branches.iter().any(|branch| times[branch] == 1);
        if !is_needed {
            branches.iter().for_each(|branch| *times.get_mut(branch).expect("it was counted") -= 1);
        }
        is_needed
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(tests: &[(usize, &[u32])]) -> Vec<usize> {
        let branches = |ids: &[u32]| ids.iter().map(|id| BranchId(*id)).collect();
        smallest_cover(&tests.iter().map(|(size, ids)| (*size, branches(ids))).collect::<Vec<_>>())
    }

    #[test]
    fn the_largest_gain_is_kept_and_of_equals_the_smaller_test() {
        assert_eq!(kept(&[(9, &[1, 2]), (3, &[1, 2]), (3, &[1, 2]), (1, &[2]), (5, &[3])]), [1, 4]);
        assert_eq!(kept(&[(0, &[]), (4, &[])]), [0_usize; 0]);
    }

    #[test]
    fn redundant_tests_are_dropped() {
        // The greedy choice is the first test; the other two cover everything.
        assert_eq!(kept(&[(8, &[1, 2, 3, 4]), (2, &[0, 1, 2]), (2, &[3, 4, 5])]), [1, 2]);
    }

    #[test]
    fn no_coverage_is_lost() {
        let mut state = 7_u32;
        let mut random = |bound: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % bound
        };
        let tests: Vec<(usize, Vec<BranchId>)> = (0..60)
            .map(|_| (random(9) as usize, (0..40).filter(|_| random(4) == 0).map(BranchId).collect()))
            .collect();
        let all = |of: &mut dyn Iterator<Item = usize>| {
            of.flat_map(|test| tests[test].1.clone()).collect::<HashSet<BranchId>>()
        };
        let kept = smallest_cover(&tests);
        assert_eq!(all(&mut kept.iter().copied()), all(&mut (0..tests.len())));
        for without in &kept {
            let others = all(&mut kept.iter().copied().filter(|test| test != without));
            assert!(others.len() < all(&mut (0..tests.len())).len(), "{without} is redundant");
        }
    }
}
