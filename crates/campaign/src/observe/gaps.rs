//! Decides exhaustion, and lists the gaps that prevent it.
//!
//! Exhaustion is a proof: every run was traced to its end, every value that depends on the input was
//! followed, and every flip was taken or shown to be infeasible. [`gaps`] is the only place that decides it:
//! the JSON value, the sentence of the summary and the report are made from what it returns.

use super::notes::Notes;
use cairn_tree::Tree;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Reason why a campaign is not exhausted; the most serious come first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gap {
    /// No run was completed.
    NoRun,
    /// Every run was rejected by `cairn_assume`.
    #[serde(rename = "all-refused")]
    AllRejected,
    /// Input objects that no decision depends on: the program may read them where labels cannot follow.
    UnusedInput,
    /// Runs that were stopped at a limit of time, memory or processes.
    Limit,
    /// Runs that were stopped at a limit only because they were traced: the rest of their paths is not known.
    Slow,
    /// Runs that `SIGKILL` ended twice: by whom is not known.
    Killed,
    /// Runs that no fork server survived.
    LostRun,
    /// Runs whose trace was truncated: more labels, decisions or objects than there is room for.
    Cut,
    /// Runs that overwrote their trace.
    Damaged,
    /// Lost values.
    LostValue,
    /// Loads of symbolic bytes that uninstrumented code had overwritten, perhaps with something that depends
    /// on them.
    Overwritten,
    /// Runs whose child processes, which record nothing, may have computed with the input.
    ChildProcess,
    /// Runs in which several threads computed with the input: other interleavings were not tried.
    Threads,
    /// Runs that reached another decision than earlier ones after the same path prefix.
    Nondeterministic,
    /// Runs that left the predicted path.
    Diverged,
    /// Values that differ from their expressions, seen with the oracle.
    Mismatch,
    /// Flips the solver gave up on.
    Unanswered,
    /// Concretizations with untried constants.
    Concretized,
    /// Flips that the strategy has suspended.
    Suspended,
    /// Flips that were forgotten, since memory was short.
    Forgotten,
    /// Flips that were not tried.
    Untried,
    /// Paths that there was no time to check with sanitizers.
    Unchecked,
}

/// Counts of gaps by kind. Empty if every path was tried.
pub type Gaps = BTreeMap<Gap, u64>;

/// Number of kinds.
const KINDS: usize = Gap::Unchecked as usize + 1;

/// Counts of gaps so far. An array, not a map, since a copy is passed with every event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GapCounts([(Gap, u64); KINDS]);

impl Default for GapCounts {
    fn default() -> GapCounts {
        GapCounts([(Gap::NoRun, 0); KINDS])
    }
}

impl GapCounts {
    /// Counts the gaps of a campaign. Notes count observations only, so a campaign without runs has a gap of
    /// its own. `executions` are those with tracing: mutants show nothing of a path.
    pub(crate) fn of(tree: &Tree, executions: u64, divergences: u64, notes: &Notes) -> GapCounts {
        let completed = executions.saturating_sub(notes.lost_runs);
        GapCounts([
            (Gap::NoRun, u64::from(completed == 0)),
            (Gap::AllRejected, u64::from(completed > 0 && notes.rejected_runs == completed)),
            (Gap::UnusedInput, notes.unused_objects),
            (Gap::Limit, notes.limit_runs),
            (Gap::Slow, notes.slow_runs),
            (Gap::Killed, notes.killed_runs),
            (Gap::LostRun, notes.lost_runs),
            (Gap::Cut, notes.cut_runs),
            (Gap::Damaged, notes.damaged_runs),
            (Gap::LostValue, notes.lost_values),
            (Gap::Overwritten, notes.overwritten),
            (Gap::ChildProcess, notes.forked_runs),
            (Gap::Threads, notes.threaded_runs),
            (Gap::Nondeterministic, notes.nondeterministic_runs),
            (Gap::Diverged, divergences.max(tree.diverged() as u64)),
            (Gap::Mismatch, notes.mismatches),
            (Gap::Unanswered, tree.unanswered() as u64),
            (Gap::Concretized, notes.pins),
            (Gap::Suspended, tree.suspended() as u64),
            (Gap::Forgotten, notes.forgotten_flips),
            (Gap::Untried, tree.untried() as u64),
            (Gap::Unchecked, notes.unanswered),
        ])
    }

    /// Subtracts the flips that count as unanswered only while workers have reserved them.
    pub(crate) fn without_reserved(mut self, flips: u64) -> GapCounts {
        for (_, count) in self.0.iter_mut().filter(|(gap, _)| *gap == Gap::Unanswered) {
            *count = count.saturating_sub(flips);
        }
        self
    }

    /// Returns the kinds with a count above 0, the most serious first.
    pub fn seen(&self) -> impl Iterator<Item = (Gap, u64)> + '_ {
        self.0.iter().copied().filter(|(_, count)| *count > 0)
    }

    /// Returns the count of one kind.
    pub fn count(&self, gap: Gap) -> u64 {
        self.seen().find(|(other, _)| *other == gap).map_or(0, |(_, count)| count)
    }
}

impl FromIterator<(Gap, u64)> for GapCounts {
    fn from_iter<I: IntoIterator<Item = (Gap, u64)>>(counts: I) -> GapCounts {
        let mut all = GapCounts::default();
        counts.into_iter().for_each(|(gap, count)| all.0[gap as usize] = (gap, count));
        all
    }
}

/// Returns the gaps of a campaign.
pub(crate) fn gaps(tree: &Tree, executions: u64, divergences: u64, notes: &Notes) -> Gaps {
    let gaps: Gaps = GapCounts::of(tree, executions, divergences, notes).seen().collect();
    debug_assert!(tree.exhausted() || !gaps.is_empty());
    gaps
}
