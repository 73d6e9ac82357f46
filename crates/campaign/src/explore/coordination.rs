//! Coordination between workers: who is busy, idle or waiting, and when all of them end.

use super::CampaignError;
use crate::observe::notes::StopReason;
use crate::replay::record::WorkerId;

/// Counts of workers by activity.
pub(super) struct Coordination {
    /// Workers that act, or wait for the lock.
    pub busy: usize,
    /// Workers without anything to do until another one publishes a result.
    idle: usize,
    /// Workers that wait for their next record while a journal is replayed.
    pub waiting_for_turn: Vec<WorkerId>,
    /// Workers that solve a flip and will execute an input if they find one.
    pub pending_runs: u64,
    /// Flips that workers are solving and that were untried before.
    pub reserved: u64,
    /// Number of results published so far.
    results: u64,
    /// Reason for which the first worker ended: it ends the others too.
    pub ended: Option<StopReason>,
}

impl Default for Coordination {
    /// Creates the state with one busy worker, the first.
    fn default() -> Coordination {
        let (idle, pending_runs, reserved, results) = Default::default();
        let waiting_for_turn = Vec::new();
        Coordination { busy: 1, idle, waiting_for_turn, pending_runs, reserved, results, ended: None }
    }
}

impl Coordination {
    /// Publishes a result: all idle workers have something to do again.
    pub fn publish_result(&mut self) {
        self.results += 1;
        self.busy += std::mem::take(&mut self.idle);
    }

    /// Makes a worker idle; returns the number of results so far.
    pub fn become_idle(&mut self) -> u64 {
        self.busy -= 1;
        self.idle += 1;
        self.results
    }

    /// True if a worker idle since result `seen` must wake: new results, no busy worker left, or the campaign
    /// ended.
    pub fn must_wake(&self, seen: u64) -> bool {
        self.results != seen || self.busy == 0 || self.ended.is_some()
    }

    /// Makes a worker idle since result `seen` busy; after a new result it already counts as busy.
    pub fn wake(&mut self, seen: u64) {
        if self.results == seen {
            self.idle -= 1;
            self.busy += 1;
        }
    }

    /// Ends the campaign for all workers, because one has ended like this.
    pub fn end(&mut self, outcome: &Result<StopReason, CampaignError>) {
        let stop = outcome.as_ref().map_or(StopReason::Interrupted, |stop| *stop);
        self.ended.get_or_insert(stop);
    }
}
