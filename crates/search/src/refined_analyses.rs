//! Analyses of the program that are made again when runs show more of it.
//!
//! Through a cast a call may reach a function of another type than it names: analyses do not know of that until a run has
//! been there. What could be called by its type stays, since not seen is not impossible.
//!
//! To make an analysis again takes 90 ms for a program of 35,000 branches, and whoever has sorted flips by it must look
//! at them all. So it is done at most once in as many runs as make this cheap, and ever more rarely in a long campaign.

use crate::traits::RunView;
use cairn_program::{BranchId, CallGraph, ControlDependence, Distances, Dominators, Program};
use std::ops::Deref;

/// Sites of the program for each run that passes until it is made again: about a twentieth of the time these runs take.
const SITES_PER_RUN: u64 = 16;
/// The share of all runs so far that pass at least until it is made again.
const SHARE_OF_RUNS: u64 = 4;

/// What can be made from a program and whom its calls reach.
pub(crate) trait Analysis {
    /// These branches are uncovered no more.
    fn cover(&mut self, _: &[BranchId]) {}
}

impl Analysis for Dominators {}

impl Analysis for ControlDependence {}

impl Analysis for Distances {
    fn cover(&mut self, branches: &[BranchId]) {
        Distances::cover(self, branches);
    }
}

/// How an analysis is made.
type Make<A> = fn(&Program, &CallGraph) -> A;

/// An analysis that keeps up with what runs show.
#[derive(Clone, Debug)]
pub(crate) struct Refined<A> {
    analysis: A,
    make: Make<A>,
    calls: CallGraph,
    /// All branches of the user's that were covered.
    covered: Vec<BranchId>,
    runs: u64,
    /// Whether the calls are known better than when the analysis was made.
    outdated: bool,
    /// The number of runs before which it is not made again.
    due: u64,
}

impl<A: Analysis> Refined<A> {
    /// The analysis before any run.
    pub fn new(program: &Program, make: Make<A>) -> Refined<A> {
        let calls = CallGraph::new(program);
        let analysis = make(program, &calls);
        let due = pause(program, 0);
        Refined { analysis, make, calls, covered: Vec::new(), runs: 0, outdated: false, due }
    }

    /// Takes in what a run covered and whom it called. True if the analysis was made again: anything may be different.
    pub fn see(&mut self, run: &RunView) -> bool {
        self.runs += 1;
        self.covered.extend(run.new_branches);
        for (type_hash, callee) in run.callees {
            self.outdated |= self.calls.observe(*type_hash, *callee);
        }
        if !self.outdated || self.runs < self.due {
            self.analysis.cover(run.new_branches);
            return false;
        }
        self.outdated = false;
        self.due = self.runs + pause(run.program, self.runs);
        self.analysis = (self.make)(run.program, &self.calls);
        self.analysis.cover(&self.covered);
        true
    }
}

/// Runs to wait after so many.
fn pause(program: &Program, runs: u64) -> u64 {
    (u64::from(program.site_count()) / SITES_PER_RUN).max(runs / SHARE_OF_RUNS)
}

impl<A> Deref for Refined<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.analysis
    }
}
