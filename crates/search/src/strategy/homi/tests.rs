//! The tests of the campaign that may still be good ones.

use crate::strategy::homi::cover::{BranchBits, greedy_cover};
use crate::strategy::homi::learning::PruningSample;
use cairn_program::{BranchId, Program};
use cairn_tree::RunId;
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::hash::BuildHasher;
use std::sync::Arc;

/// A run with its coverage and the parameters it was found with.
#[derive(Clone, Debug)]
pub(super) struct KeptTest {
    pub run: RunId,
    pub sample: Option<Arc<PruningSample>>,
    /// Budget of its round, as an index of the steps.
    pub budget: usize,
    branches: BranchBits,
    /// True if it was the first to cover some branch.
    is_first: bool,
}

/// The tests. A test with the same coverage as another is not kept, nor, at a round's end, one that is not
/// good and was the first to cover nothing: at most two per branch are left then.
#[derive(Clone, Debug)]
pub(super) struct KeptTests {
    tests: Vec<KeptTest>,
    /// Hashes of all coverage sets seen.
    known: FxHashSet<u64>,
    /// BranchBits of user code, a bit each.
    counted: BranchBits,
}

impl KeptTests {
    pub fn new(program: &Program) -> KeptTests {
        let mut counted = vec![0; program.branch_count().div_ceil(64) as usize];
        for branch in (0..program.branch_count()).filter(|branch| program.is_counted(BranchId(*branch))) {
            counted[branch as usize / 64] |= 1 << (branch % 64);
        }
        KeptTests { tests: Vec::new(), known: FxHashSet::default(), counted: counted.into() }
    }

    /// Adds a run that covered these branches, a byte each.
    pub fn add(
        &mut self,
        run: RunId,
        covered: &[u8],
        parameters: (Option<Arc<PruningSample>>, usize),
        is_first: bool,
    ) {
        let words = covered.chunks(64).zip(&self.counted);
        let branches: BranchBits = words.map(|(bytes, counted)| bits(bytes) & counted).collect();
        if self.known.insert(FxBuildHasher.hash_one(&branches)) {
            let (sample, budget) = parameters;
            self.tests.push(KeptTest { run, sample, budget, branches, is_first });
        }
    }

    /// Returns the good tests: few that together cover everything.
    pub fn good(&mut self) -> Vec<KeptTest> {
        let sets: Vec<&BranchBits> = self.tests.iter().map(|test| &test.branches).collect();
        let chosen = greedy_cover(&sets);
        let good = chosen.iter().map(|index| self.tests[*index].clone()).collect();
        let chosen: FxHashSet<usize> = chosen.into_iter().collect();
        let mut index = 0;
        self.tests.retain(|test| {
            index += 1;
            test.is_first || chosen.contains(&(index - 1))
        });
        good
    }
}

fn bits(bytes: &[u8]) -> u64 {
    bytes.iter().enumerate().fold(0, |bits, (at, byte)| bits | u64::from(*byte != 0) << at)
}
