//! Forgets the runs when they take too much memory, and continues from the tests.
//!
//! Every run stays in memory, with the nodes it created, its input and its expressions, since a strategy may
//! name a flip on its path at any time. A long campaign makes more runs than memory can hold. Most of them
//! have shown nothing new: what a campaign has reached is in its tests. So when runs, tree and expressions
//! take their share of the memory limit, all of them are forgotten, and the search restarts from the tests,
//! which are executed again: new strategies see them as given inputs. Flips that were lost without an answer
//! count as a gap.
//!
//! The size is counted, not measured, so that the same seed forgets at the same execution; the journal records
//! it, so that a resumed campaign does as well, whatever its own limit is.

use super::CampaignError;
use super::callees::SeenCallees;
use super::state::{Campaign, Cause};
use super::unconstrained_bytes::UnconstrainedBytes;
use super::worker::Worker;
use crate::execution::matched_bytes::CountedComparisons;
use cairn_expr::{Dag, DagCopy};
use cairn_tree::{Coverage, Tree};

/// Share of the memory limit, as a divisor, that what is counted may take. Strategies and caches of the solver
/// take about as much again, and the allocator keeps some of what was freed: so half of the limit is enough.
const SHARE: u64 = 4;
/// Least number of runs per test before they are forgotten, so that executing the tests again takes at most a
/// sixteenth of the executions; a chosen bound.
const RUNS_PER_TEST: usize = 16;

impl Worker<'_, '_> {
    /// Forgets all runs and executes the tests again, if that is due or the journal says so; true if it did.
    /// Of several workers, the last one that comes here does it: the others wait, with no flip of the tree.
    pub fn forget_if_due(&mut self) -> Result<bool, CampaignError> {
        self.follow_forgetting();
        let campaign = &mut *self.campaign;
        if campaign.cursor.is_live() {
            if !campaign.must_forget() {
                return Ok(false);
            }
            campaign.cursor.log_forget()?;
        } else if !campaign.cursor.forgets()? {
            return Ok(false);
        }
        self.campaign.forget_runs()?;
        self.follow_forgetting();
        self.execute_tests_again()?;
        Ok(true)
    }

    /// True if the runs were forgotten since this worker chose its flip: the flip, its query and the
    /// worker's copy of the expressions are of a tree that is gone. Only a replay that diverges does this.
    pub fn is_outdated(&self) -> bool {
        self.times_forgotten != self.campaign.known.times_forgotten
    }

    /// Drops what refers to runs that were forgotten, or to their expressions.
    fn follow_forgetting(&mut self) {
        if self.is_outdated() {
            self.times_forgotten = self.campaign.known.times_forgotten;
            self.solver.forget();
            self.expressions = DagCopy::new();
            self.unconstrained = UnconstrainedBytes::default();
        }
    }

    fn execute_tests_again(&mut self) -> Result<(), CampaignError> {
        self.execute(&self.campaign.settings.inputs[0], Cause::INITIAL)?;
        for index in 0..self.campaign.known.tests.len() {
            if self.campaign.must_stop().is_some() {
                break;
            }
            let (test, input) = self.campaign.known.tests[index].clone();
            let before = self.campaign.known.past_runs.len();
            self.execute(&input, Cause::INITIAL)?;
            for run in &mut self.campaign.known.past_runs[before..] {
                run.test = Some(test);
            }
        }
        Ok(())
    }
}

impl Campaign<'_> {
    /// True if runs, tree and expressions, with the copies that several workers have of these, take their
    /// share of the limit.
    pub fn must_forget(&self) -> bool {
        let (runs, tests) = (self.known.past_runs.len(), self.known.tests.len());
        let copies = if self.is_single_worker() { 0 } else { self.search.strategies.len() as u64 };
        let bytes = self.known.bytes() + copies * self.known.dag.bytes();
        let is_large = |limit: u64| bytes >= limit / SHARE;
        runs >= RUNS_PER_TEST * (tests + 1) && self.search.memory.limit().is_some_and(is_large)
    }

    /// Forgets all runs, and all that refers to them; workers follow before their next flip.
    pub fn forget_runs(&mut self) -> Result<(), CampaignError> {
        let Campaign { known, search, counters, settings, program, .. } = self;
        let tree = std::mem::replace(&mut known.tree, Tree::new(program));
        let unanswered = tree.untried() + tree.suspended() + tree.unanswered() + tree.open_concretizations();
        counters.notes.forgotten_flips += unanswered as u64;
        counters.notes.forgotten_runs += std::mem::take(&mut known.past_runs).len() as u64;
        known.times_forgotten += 1;
        (known.dag, known.input_bytes, known.callees) = (Dag::new(), 0, SeenCallees::default());
        known.counted_comparisons = CountedComparisons::default();
        known.path_ends.clear();
        search.relaxed.forget();
        search.optimistic.forget();
        search.deferred.clear();
        search.run_limit.forget_runs();
        search.hang_exits.forget();
        search.coverage = Some(Coverage::new(program));
        for strategy in &mut search.strategies {
            strategy.renew(cairn_search::create(&settings.strategy, program)?);
        }
        Ok(())
    }
}
