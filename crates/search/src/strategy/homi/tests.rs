//! The tests a campaign has made so far, as far as they may still be good ones.

use crate::strategy::homi::cover::{Branches, greedy_cover};
use crate::strategy::homi::learning::Sample;
use cairn_program::{BranchId, Program};
use cairn_tree::RunId;
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::hash::BuildHasher;
use std::sync::Arc;

/// A run, what it covered and what it was made with.
#[derive(Clone, Debug)]
pub(super) struct Test {
    pub run: RunId,
    pub sample: Option<Arc<Sample>>,
    /// Of its round, as an index of the steps.
    pub budget: usize,
    branches: Branches,
    /// Whether it was the first to cover some branch.
    is_first: bool,
}

/// The tests. One that covers just what another does is not kept, nor, at a round's end, one that is no good test and was
/// the first to cover nothing: there are no more than two for every branch then.
#[derive(Clone, Debug)]
pub(super) struct Tests {
    tests: Vec<Test>,
    /// Hashes of all sets of branches that were covered.
    known: FxHashSet<u64>,
    /// A bit for every branch of the user's.
    counted: Branches,
}

impl Tests {
    pub fn new(program: &Program) -> Tests {
        let mut counted = vec![0; program.branch_count().div_ceil(64) as usize];
        for branch in (0..program.branch_count()).filter(|branch| program.is_counted(BranchId(*branch))) {
            counted[branch as usize / 64] |= 1 << (branch % 64);
        }
        Tests { tests: Vec::new(), known: FxHashSet::default(), counted: counted.into() }
    }

    /// A run covered these branches, a byte each.
    pub fn add(&mut self, run: RunId, covered: &[u8], made: (Option<Arc<Sample>>, usize), is_first: bool) {
        let words = covered.chunks(64).zip(&self.counted);
        let branches: Branches = words.map(|(bytes, counted)| bits(bytes) & counted).collect();
        if self.known.insert(FxBuildHasher.hash_one(&branches)) {
            let (sample, budget) = made;
            self.tests.push(Test { run, sample, budget, branches, is_first });
        }
    }

    /// The good tests: few that cover all.
    pub fn good(&mut self) -> Vec<Test> {
        let sets: Vec<&Branches> = self.tests.iter().map(|test| &test.branches).collect();
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
