//! What workers know of each other.

use super::CampaignError;
use crate::journal::WorkerId;
use crate::summary::StopReason;

/// Who does what.
pub(super) struct Crowd {
    /// Workers that do something, or wait for what they do.
    pub busy: usize,
    /// Workers that have nothing to do until something comes of what others do.
    asleep: usize,
    /// Workers that wait for their turn in the past.
    pub waiting: Vec<WorkerId>,
    /// Workers that look for an input, and run it if they find one.
    pub undecided: u64,
    /// Flips that workers are at, and that were untried before.
    pub reserved: u64,
    /// How often something came of what somebody did.
    results: u64,
    /// How the first of them has come to the end: it is that of all.
    pub ended: Option<StopReason>,
}

impl Default for Crowd {
    /// The first one, which begins.
    fn default() -> Crowd {
        Crowd { busy: 1, asleep: 0, waiting: Vec::new(), undecided: 0, reserved: 0, results: 0, ended: None }
    }
}

impl Crowd {
    /// Something came of what somebody did: all that sleep have something to do again.
    pub fn tell_results(&mut self) {
        self.results += 1;
        self.busy += std::mem::take(&mut self.asleep);
    }

    /// One more has nothing to do; gives what was known then.
    pub fn fall_asleep(&mut self) -> u64 {
        self.busy -= 1;
        self.asleep += 1;
        self.results
    }

    /// Whether one that knew so much when it fell asleep has something to do: there is more, or nobody does anything any more.
    pub fn is_awake(&self, seen: u64) -> bool {
        self.results != seen || self.busy == 0 || self.ended.is_some()
    }

    /// One goes on that knew so much when it fell asleep. If there is more now, it counts as busy since that came.
    pub fn wake_up(&mut self, seen: u64) {
        if self.results == seen {
            self.asleep -= 1;
            self.busy += 1;
        }
    }

    /// One has come to the end.
    pub fn end(&mut self, how: &Result<StopReason, CampaignError>) {
        let stop = how.as_ref().map_or(StopReason::Interrupted, |stop| *stop);
        self.ended.get_or_insert(stop);
    }
}
