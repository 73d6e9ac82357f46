//! The time limit of runs: it follows how long runs take, so that a hang does not cost the whole of `--timeout`
//! each time.
//!
//! A run is stopped after a small multiple of what the median run has taken. If its last steps are those of a
//! hang that is known, and it covers nothing new, that is all: its path is a true prefix, and it counts as
//! stopped at a limit. Otherwise it is made again with higher limits up to the full one, which alone decides if
//! it hangs. So only the first run at each hang site pays for `--timeout`.

use cairn_exec::{StepKind, Trace};
use cairn_program::SiteId;
use std::collections::BTreeMap;
use std::time::Duration;

/// Limit before any run has ended; a chosen value, well above a run of most programs.
const FIRST: Duration = Duration::from_millis(20);
/// Limit in multiples of the median run; a chosen value. It need not be exact: a run that is stopped in vain
/// takes longer than the limit, so being made again at most doubles what it costs.
const FACTOR: u32 = 8;
/// Steps at the end of a trace among which the site of a hang is looked for: several rounds of most loops. A
/// chosen bound.
pub(super) const LAST_STEPS: usize = 64;
/// Number of buckets: binary logarithms of microseconds.
const BUCKETS: usize = 40;

/// The loop in which a run was when its time was up: the decision that is most frequent among its last steps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct HangSite(SiteId, u64);

impl HangSite {
    /// Returns the site of a trace; None if it has no branch.
    pub fn of(trace: &Trace) -> Option<HangSite> {
        let mut counts = BTreeMap::new();
        let last = trace.steps.iter().rev().filter(|step| step.kind == StepKind::Branch).take(LAST_STEPS);
        last.for_each(|step| *counts.entry(HangSite(step.site, step.concrete)).or_insert(0) += 1);
        counts.into_iter().max_by_key(|(_, count)| *count).map(|(site, _)| site)
    }
}

/// Times of past runs, and known hangs.
#[derive(Debug, Default)]
pub(super) struct RunLimit {
    /// Number of runs by the binary logarithm of their microseconds.
    times: Vec<u64>,
    known: Vec<HangSite>,
    /// Indices of runs that were stopped at the site of a known hang.
    pub unfinished: Vec<usize>,
}

impl RunLimit {
    /// Notes the time of a run that has ended by itself.
    pub fn note(&mut self, took: Duration) {
        self.times.resize(BUCKETS, 0);
        self.times[(took.as_micros() as u64 | 1).ilog2().min(BUCKETS as u32 - 1) as usize] += 1;
    }

    /// Returns the limit of the next run.
    pub fn current(&self) -> Duration {
        let half = self.times.iter().sum::<u64>().div_ceil(2);
        let mut above = 0;
        let bucket = self.times.iter().rposition(|count| {
            above += count;
            above > half
        });
        let time = bucket.map_or(Duration::ZERO, |bucket| Duration::from_micros(2 << bucket));
        FIRST.max(time * FACTOR)
    }

    /// Notes a hang that the full limit has shown.
    pub fn note_hang(&mut self, site: Option<HangSite>) {
        self.known.extend(site.filter(|site| !self.known.contains(site)));
    }

    /// True if runs hang at this site.
    pub fn is_known(&self, site: Option<HangSite>) -> bool {
        site.is_some_and(|site| self.known.contains(&site))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_exec::TraceStep;
    use cairn_expr::{Dag, InputByte};

    fn milliseconds(limit: &RunLimit) -> u128 {
        limit.current().as_millis()
    }

    #[test]
    fn the_limit_follows_the_median_run() {
        let mut limit = RunLimit::default();
        assert_eq!(milliseconds(&limit), 20);
        limit.note(Duration::from_millis(700));
        assert_eq!(milliseconds(&limit), 20, "one run is no rule");
        (0..5).for_each(|_| limit.note(Duration::from_micros(300)));
        assert_eq!(milliseconds(&limit), 20);
        (0..9).for_each(|_| limit.note(Duration::from_millis(90)));
        assert!((720..=1440).contains(&milliseconds(&limit)), "{:?}", limit.current());
    }

    #[test]
    fn a_hang_is_known_by_the_decision_of_its_loop() {
        let value = Dag::new().input(InputByte { object: 0, offset: 0 });
        let step =
            |site: u32, concrete| TraceStep { kind: StepKind::Branch, site: SiteId(site), value, concrete };
        let trace = |steps: Vec<TraceStep>| Trace { steps, ..Trace::default() };
        let mut looping = vec![step(1, 0); 1000];
        (0..40).for_each(|round| looping.extend([step(5, 1), step(6, round % 2)]));
        let site = HangSite::of(&trace(looping));
        assert_eq!(site, Some(HangSite(SiteId(5), 1)));
        let mut limit = RunLimit::default();
        assert!(!limit.is_known(site) && !limit.is_known(None));
        limit.note_hang(None);
        limit.note_hang(site);
        assert!(limit.is_known(site) && !limit.is_known(None));
        assert!(!limit.is_known(HangSite::of(&trace(vec![step(5, 0)]))));
    }
}
