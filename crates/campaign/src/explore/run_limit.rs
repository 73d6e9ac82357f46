//! The bound of runs: it follows how long runs take, so that a hang does not cost the whole of `--timeout` each
//! time.
//!
//! A run is stopped after a small multiple of what the median run has taken, in time or in steps; steps are there
//! first where runs take long for other reasons than their input. If its last steps are those of a hang that is
//! known, and it covers nothing new, that is all: its path is a true prefix, and it counts as stopped at a limit.
//! Otherwise it is made again with higher limits, and then without tracing and with the full limit, which alone
//! decides if it hangs. So only the first run in each loop pays for `--timeout`.
//!
//! A campaign that is not bounded by its number of executions pays that only while a small part of its time went
//! into runs that were stopped. Else such a run is a suspect: made again with the full limit later.

use super::hang_loop::{Decision, HangLoops, last_decision};
use cairn_exec::{RunBound, Trace};
use std::collections::VecDeque;
use std::time::Duration;

/// Limit before any run has ended; a chosen value, well above a run of most programs.
const FIRST: Duration = Duration::from_millis(20);
/// Events that every run may have: about what one records in `FIRST`.
const FIRST_EVENTS: u64 = 20_000;
/// Limit in multiples of the median run; a chosen value. It need not be exact: a run that is stopped in vain
/// takes longer than the limit, so being made again at most doubles what it costs.
const FACTOR: u32 = 8;
/// Share of the time of runs that may go into those that were stopped; a chosen value, as for queries in vain.
const STOPPED_SHARE: u32 = 10;

/// Numbers of runs by the binary logarithm of something.
#[derive(Debug)]
struct Logarithms([u64; u64::BITS as usize]);

impl Default for Logarithms {
    fn default() -> Logarithms {
        Logarithms([0; u64::BITS as usize])
    }
}

impl Logarithms {
    fn add(&mut self, value: u64) {
        self.0[(value | 1).ilog2() as usize] += 1;
    }

    /// Returns the median, rounded up to a power of two; 0 if there is none.
    fn median(&self) -> u64 {
        let half = self.0.iter().sum::<u64>().div_ceil(2);
        let mut above = 0;
        let bucket = self.0.iter().rposition(|count| {
            above += count;
            above > half
        });
        bucket.map_or(0, |bucket| 2 << bucket)
    }
}

/// Times and steps of past runs, and known hangs.
#[derive(Debug, Default)]
pub(super) struct RunLimit {
    micros: Logarithms,
    steps: Logarithms,
    /// Time of all runs that ended by themselves, and of those that were stopped.
    ended: Duration,
    stopped: Duration,
    pub hangs: HangLoops,
    /// Indices of runs that were stopped in the loop of a known hang.
    unfinished: Vec<usize>,
    /// Indices of runs that were stopped elsewhere, each with its last decision.
    suspects: VecDeque<(usize, Option<Decision>)>,
}

impl RunLimit {
    /// Notes a run that has ended by itself.
    pub fn note_ended(&mut self, took: Duration, trace: &Trace) {
        self.micros.add(took.as_micros() as u64);
        self.steps.add(trace.steps.len() as u64);
        self.ended += took;
    }

    /// Notes the time of a run that was stopped.
    pub fn note_stopped(&mut self, took: Duration) {
        self.stopped += took;
    }

    /// Returns the bound of the next run.
    pub fn current(&self) -> RunBound {
        let time = FIRST.max(Duration::from_micros(self.micros.median()) * FACTOR);
        RunBound { time, events: FIRST_EVENTS.max(self.steps.median() * u64::from(FACTOR)) }
    }

    /// True if a run may have the full limit although others are waiting: too little time went into those that
    /// were stopped, or no hang is known yet.
    pub fn affords_full_limit(&self) -> bool {
        self.hangs.is_empty() || self.stopped * (STOPPED_SHARE - 1) <= self.ended
    }

    /// Adds a run that was stopped before the full limit.
    pub fn add_stopped(&mut self, run: usize, trace: &Trace) {
        let last = last_decision(trace);
        match self.hangs.contain(last) {
            true => self.unfinished.push(run),
            false => self.suspects.push_back((run, last)),
        }
    }

    /// Removes and returns the next suspect, oldest first; those whose loop has become known are none any more.
    pub fn pop_suspect(&mut self) -> Option<usize> {
        while let Some((run, last)) = self.suspects.pop_front() {
            if !self.hangs.contain(last) {
                return Some(run);
            }
            self.unfinished.push(run);
        }
        None
    }

    /// Removes and returns a run that was stopped in the loop of a known hang.
    pub fn pop_unfinished(&mut self) -> Option<usize> {
        self.unfinished.pop()
    }

    /// Forgets all runs that were stopped.
    pub fn forget_runs(&mut self) {
        self.unfinished.clear();
        self.suspects.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_exec::StepKind;
    use cairn_exec::TraceStep;
    use cairn_expr::{Dag, InputByte};
    use cairn_program::SiteId;

    fn milliseconds(limit: &RunLimit) -> u128 {
        limit.current().time.as_millis()
    }

    fn trace(steps: usize) -> Trace {
        let value = Dag::new().input(InputByte { object: 0, offset: 0 });
        let step = TraceStep { kind: StepKind::Branch, site: SiteId(1), value, concrete: 0 };
        Trace { steps: vec![step; steps], ..Trace::default() }
    }

    #[test]
    fn the_bound_follows_the_median_run() {
        let mut limit = RunLimit::default();
        assert_eq!(limit.current(), RunBound { time: FIRST, events: FIRST_EVENTS });
        limit.note_ended(Duration::from_millis(700), &trace(70_000));
        assert_eq!(limit.current(), RunBound { time: FIRST, events: FIRST_EVENTS }, "one run is no rule");
        (0..5).for_each(|_| limit.note_ended(Duration::from_micros(300), &trace(3)));
        assert_eq!(limit.current(), RunBound { time: FIRST, events: FIRST_EVENTS });
        (0..9).for_each(|_| limit.note_ended(Duration::from_millis(90), &trace(5_000)));
        assert!((720..=1440).contains(&milliseconds(&limit)), "{:?}", limit.current());
        assert_eq!(limit.current().events, 8 * 8192);
    }

    #[test]
    fn a_small_part_of_the_time_goes_into_stopped_runs() {
        let mut limit = RunLimit::default();
        limit.note_stopped(Duration::from_secs(2));
        assert!(limit.affords_full_limit(), "the first hang is decided at once");
        limit.hangs.add(&trace(3));
        assert!(!limit.affords_full_limit());
        limit.note_ended(Duration::from_secs(17), &trace(3));
        assert!(!limit.affords_full_limit());
        limit.note_ended(Duration::from_secs(1), &trace(3));
        assert!(limit.affords_full_limit());
    }

    #[test]
    fn runs_in_unknown_loops_are_suspects() {
        let mut limit = RunLimit::default();
        limit.hangs.add(&trace(100));
        limit.add_stopped(4, &trace(70));
        limit.add_stopped(5, &Trace::default());
        assert_eq!(limit.pop_suspect(), Some(5));
        assert_eq!(limit.pop_suspect(), None);
        assert_eq!(limit.pop_unfinished(), Some(4));
        let mut limit = RunLimit::default();
        limit.add_stopped(6, &trace(70));
        limit.hangs.add(&trace(100));
        assert_eq!((limit.pop_suspect(), limit.pop_unfinished()), (None, Some(6)), "known by now");
    }
}
