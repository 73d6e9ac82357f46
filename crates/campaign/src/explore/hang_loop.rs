//! The loops of known hangs.
//!
//! A hang is known by the decisions that its loop repeats. The loop may have others in it, and a later run may be
//! stopped in any of these: so all decisions count that repeat in the second half of the trace, when the run is in
//! its loop for long.

use cairn_exec::{StepKind, Trace};
use cairn_program::SiteId;
use std::collections::{BTreeMap, BTreeSet};

/// Steps at the end of a trace among which the loop of a stopped run is looked for: several rounds of most loops. A
/// chosen bound.
pub(super) const LAST_STEPS: usize = 64;

/// A decision of a loop: a site and the value it decides on.
pub(super) type Decision = (SiteId, u64);

/// Decisions in the loops of hangs that the full limit has shown.
#[derive(Debug, Default)]
pub(super) struct HangLoops(BTreeSet<Decision>);

impl HangLoops {
    /// True if no hang is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the loop of a run that hangs.
    pub fn add(&mut self, trace: &Trace) {
        let half = trace.steps.len().div_ceil(2).max(LAST_STEPS);
        let counts = decisions(trace, half);
        self.0.extend(most_frequent(&counts));
        self.0.extend(counts.into_iter().filter(|(_, count)| *count > 1).map(|(decision, _)| decision));
    }

    /// True if a run whose last decision is this one was stopped in a known loop.
    pub fn contain(&self, last: Option<Decision>) -> bool {
        last.is_some_and(|decision| self.0.contains(&decision))
    }
}

/// Returns the decision that is most frequent among the last steps of a trace; None if it has no branch.
pub(super) fn last_decision(trace: &Trace) -> Option<Decision> {
    most_frequent(&decisions(trace, LAST_STEPS))
}

/// Counts the last decisions of a trace.
fn decisions(trace: &Trace, steps: usize) -> BTreeMap<Decision, usize> {
    let mut counts = BTreeMap::new();
    let last = trace.steps.iter().rev().filter(|step| step.kind == StepKind::Branch).take(steps);
    last.for_each(|step| *counts.entry((step.site, step.concrete)).or_insert(0) += 1);
    counts
}

fn most_frequent(counts: &BTreeMap<Decision, usize>) -> Option<Decision> {
    counts.iter().max_by_key(|(_, count)| **count).map(|(decision, _)| *decision)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_exec::TraceStep;
    use cairn_expr::{Dag, InputByte};

    fn trace(steps: &[(u32, u64)]) -> Trace {
        let value = Dag::new().input(InputByte { object: 0, offset: 0 });
        let step = |(site, concrete): &(u32, u64)| TraceStep {
            kind: StepKind::Branch,
            site: SiteId(*site),
            value,
            concrete: *concrete,
        };
        Trace { steps: steps.iter().map(step).collect(), ..Trace::default() }
    }

    /// Rounds of a loop around another one, the last one cut off after so many steps.
    fn nested(rounds: usize, rest: usize) -> Trace {
        let round: Vec<_> = [vec![(5, 1)], vec![(6, 0); 200], vec![(7, 1); 200]].concat();
        let mut steps = vec![(1, 0); 1000];
        (0..rounds).for_each(|_| steps.extend(&round));
        steps.extend(&round[..rest]);
        trace(&steps)
    }

    #[test]
    fn a_hang_is_known_wherever_in_its_loop_a_run_is_stopped() {
        let mut hangs = HangLoops::default();
        assert!(
            !hangs.contain(last_decision(&nested(10, 0))) && !hangs.contain(last_decision(&Trace::default()))
        );
        hangs.add(&Trace::default());
        assert!(hangs.is_empty());
        hangs.add(&nested(10, 0));
        let is_known = |steps: &[(u32, u64)]| hangs.contain(last_decision(&trace(steps)));
        assert!([1, 100, 300].into_iter().all(|rest| hangs.contain(last_decision(&nested(4, rest)))));
        assert!(!is_known(&[(1, 0); 1000]), "the loop before it");
        assert!(!is_known(&[(6, 1); 100]), "the other side");
    }

    #[test]
    fn a_loop_without_decisions_is_known_by_the_way_to_it() {
        let mut hangs = HangLoops::default();
        hangs.add(&trace(&[(3, 1)]));
        let is_known = |steps: &[(u32, u64)]| hangs.contain(last_decision(&trace(steps)));
        assert!(is_known(&[(3, 1)]) && !is_known(&[(3, 0)]));
    }
}
