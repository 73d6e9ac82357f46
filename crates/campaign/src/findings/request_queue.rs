//! Requests that wait for the reference builds, and the share of time that they get.

use cairn_exec::Input;
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Purpose for which an input is run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Request {
    /// Confirm the finding with this index in the ledger.
    Finding(usize),
    /// Look for faults that only sanitizers see on this path.
    Path(CheckedPath),
}

/// A path that is checked with sanitizers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct CheckedPath {
    /// Key of its input.
    pub key: u64,
    /// Number of the execution that took it first.
    pub execution: u64,
    /// Test that its input was kept as.
    pub test: Option<u32>,
}

/// Queue between the campaign and the thread of the reference builds.
pub(super) struct RequestQueue {
    state: Mutex<State>,
    changed: Condvar,
    /// Share of its time that the thread spends on paths.
    share: f64,
}

#[derive(Default)]
struct State {
    findings: VecDeque<(Request, Input)>,
    paths: VecDeque<(Request, Input)>,
    /// No path is checked before this moment, unless there is a hurry.
    rests_until: Option<Instant>,
    is_hurried: bool,
    is_stopped: bool,
}

impl RequestQueue {
    /// Creates an empty queue.
    pub fn new(share: f64) -> RequestQueue {
        RequestQueue { state: Mutex::default(), changed: Condvar::new(), share }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a request.
    pub fn add(&self, request: Request, input: Input) {
        let mut state = self.lock();
        match request {
            Request::Finding(_) => state.findings.push_back((request, input)),
            Request::Path(_) => state.paths.push_back((request, input)),
        }
        self.changed.notify_all();
    }

    /// Waits for the next request; None if the queue is stopped.
    pub fn next(&self) -> Option<(Request, Input)> {
        let mut state = self.lock();
        loop {
            if state.is_stopped {
                return None;
            }
            if let Some(finding) = state.findings.pop_front() {
                return Some(finding);
            }
            let rest = state.rest();
            if rest.is_zero()
                && let Some(path) = state.paths.pop_front()
            {
                return Some(path);
            }
            let timeout = if state.paths.is_empty() { Duration::MAX } else { rest };
            state = self.changed.wait_timeout(state, timeout).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Rests after work of this duration, so that its share is not exceeded.
    pub fn rest_after(&self, work: Duration) {
        let rest = work.mul_f64((1.0 / self.share - 1.0).max(0.0));
        self.lock().rests_until = Instant::now().checked_add(rest);
    }

    /// Ends all rests: there is nothing else to do.
    pub fn hurry(&self) {
        self.lock().is_hurried = true;
        self.changed.notify_all();
    }

    /// Stops the thread after the current request.
    pub fn stop(&self) {
        self.lock().is_stopped = true;
        self.changed.notify_all();
    }

    /// True if the thread is to stop.
    pub fn is_stopped(&self) -> bool {
        self.lock().is_stopped
    }
}

impl State {
    /// Returns the time for which the thread rests.
    fn rest(&self) -> Duration {
        let until = self.rests_until.filter(|_| !self.is_hurried);
        until.map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(execution: u64) -> Request {
        Request::Path(CheckedPath { key: 0, execution, test: None })
    }

    #[test]
    fn findings_go_before_paths() {
        let queue = RequestQueue::new(0.5);
        for request in [path(1), path(2), Request::Finding(0)] {
            queue.add(request, Input::default());
        }
        let order: Vec<Request> = (0..3).map(|_| queue.next().unwrap().0).collect();
        assert_eq!(order, [Request::Finding(0), path(1), path(2)]);
        queue.stop();
        assert!(queue.next().is_none());
    }

    #[test]
    fn rests_are_in_proportion_to_the_work() {
        let queue = RequestQueue::new(0.25);
        queue.add(path(1), Input::default());
        let start = Instant::now();
        queue.rest_after(Duration::from_millis(20));
        assert_eq!(queue.next().unwrap().0, path(1));
        assert!(start.elapsed() >= Duration::from_millis(60));
        queue.rest_after(Duration::from_secs(3600));
        queue.hurry();
        queue.add(path(2), Input::default());
        assert_eq!(queue.next().unwrap().0, path(2));
    }
}
