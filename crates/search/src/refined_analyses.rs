//! Static analyses that are recomputed when runs show more of the call graph.
//!
//! Through a cast, a call may reach a function of another type than its own: the analyses do not know of it
//! until a run takes that call. Callees that the type allows stay, since unseen is not impossible.
//!
//! Recomputing an analysis takes 90 ms for a program of 35,000 branches, and a strategy that sorted flips by
//! it must look at all of them. So the analysis is recomputed at most once in so many runs that this is
//! cheap, and more rarely as the campaign gets longer.

use crate::traits::RunView;
use cairn_program::{BranchId, CallGraph, ControlDependence, Distances, Dominators, Program};
use std::ops::Deref;

/// Sites of the program per run that must pass before a recomputation: it then takes about a twentieth of the
/// time of these runs.
const SITES_PER_RUN: u64 = 16;
/// Minimum share of all runs so far, as a divisor, that must pass before a recomputation; a chosen bound.
const SHARE_OF_RUNS: u64 = 4;

/// A static analysis, computed from a program and its call graph.
pub(crate) trait Analysis {
    /// Marks these branches as covered.
    fn cover(&mut self, _: &[BranchId]) {}
}

impl Analysis for Dominators {}

impl Analysis for ControlDependence {}

impl Analysis for Distances {
    fn cover(&mut self, branches: &[BranchId]) {
        Distances::cover(self, branches);
    }
}

/// Constructor of an analysis.
type Make<A> = fn(&Program, &CallGraph) -> A;

/// An analysis that follows what runs show.
#[derive(Clone, Debug)]
pub(crate) struct Refined<A> {
    analysis: A,
    make: Make<A>,
    calls: CallGraph,
    /// All covered branches of user code.
    covered: Vec<BranchId>,
    runs: u64,
    /// True if the call graph has grown since the analysis was computed.
    outdated: bool,
    /// Number of runs before which it is not recomputed.
    next_at: u64,
}

impl<A: Analysis> Refined<A> {
    /// Computes the analysis before any run.
    pub fn new(program: &Program, make: Make<A>) -> Refined<A> {
        let calls = CallGraph::new(program);
        let analysis = make(program, &calls);
        let next_at = runs_to_wait(program, 0);
        Refined { analysis, make, calls, covered: Vec::new(), runs: 0, outdated: false, next_at }
    }

    /// Adds the coverage and the callees of a run; true if the analysis was recomputed, so that any result
    /// may differ.
    pub fn update(&mut self, run: &RunView) -> bool {
        self.runs += 1;
        self.covered.extend(run.new_branches);
        for (type_hash, callee) in run.callees {
            self.outdated |= self.calls.observe(*type_hash, *callee);
        }
        if !self.outdated || self.runs < self.next_at {
            self.analysis.cover(run.new_branches);
            return false;
        }
        self.outdated = false;
        self.next_at = self.runs + runs_to_wait(run.program, self.runs);
        self.analysis = (self.make)(run.program, &self.calls);
        self.analysis.cover(&self.covered);
        true
    }
}

/// Returns the number of runs to wait, after `runs` runs.
fn runs_to_wait(program: &Program, runs: u64) -> u64 {
    (u64::from(program.site_count()) / SITES_PER_RUN).max(runs / SHARE_OF_RUNS)
}

impl<A> Deref for Refined<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.analysis
    }
}
