//! Events and progress of a running campaign, for status displays.

use super::divergence::Divergence;
use super::gaps::GapCounts;
use crate::test_folder::TestFolder;
use cairn_exec::ExitKind;
use cairn_program::BranchId;
use cairn_solver::Stats;
use std::path::Path;
use std::time::Duration;

/// Progress of a campaign.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Progress {
    /// Number of executions.
    pub executions: u64,
    /// Time since the start.
    pub elapsed: Duration,
    /// While a resumed campaign is replayed: number of recorded runs.
    pub rebuilding: Option<u64>,
    /// Branches of the user's code.
    pub branches_total: u32,
    /// Covered branches of the user's code.
    pub branches_covered: u64,
    /// Tests kept.
    pub tests: u64,
    /// Distinct crashes.
    pub crashes: u64,
    /// Distinct hangs.
    pub hangs: u64,
    /// Findings confirmed by something other than Cairn's tracing.
    pub confirmed: u64,
    /// Runs that diverged from their predicted path.
    pub divergences: u64,
    /// Runs of relaxed queries: with another constant at a concretization, to reach a branch after it.
    pub relaxed_runs: u64,
    /// Runs of optimistic queries: without the constraints on other bytes than the target's.
    pub optimistic_runs: u64,
    /// Optimistic runs that covered a branch first.
    pub optimistic_gains: u64,
    /// Mutants executed for their coverage alone, a part of the executions.
    pub mutation_runs: u64,
    /// Mutants that covered a branch first.
    pub mutation_gains: u64,
    /// Time spent in the strategy.
    pub choosing: Duration,
    /// Untried flips: the size of the frontier.
    pub untried: u64,
    /// Memory of the driver in bytes.
    pub memory: u64,
    /// Statistics of the solver.
    pub solver: Stats,
    /// Gaps known so far, which keep the campaign from claiming exhaustion.
    pub gaps: GapCounts,
    /// Restarts of the fork server.
    pub restarts: u64,
}

impl Progress {
    /// Returns the number of executions with tracing: all but mutants.
    pub fn traced_executions(&self) -> u64 {
        self.executions - self.mutation_runs
    }

    /// Returns the mean number of executions per second.
    pub fn executions_per_second(&self) -> f64 {
        self.executions as f64 / self.elapsed.as_secs_f64().max(1e-3)
    }
}

/// An event of a campaign.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// An input was executed.
    Executed {
        /// Exit status.
        end: ExitKind,
        /// Branches of the user's code that it was the first to cover.
        new_branches: &'a [BranchId],
    },
    /// The description of the strategy changed.
    Strategy {
        /// Description in one line.
        description: &'a str,
    },
    /// A query was unsatisfiable or unanswered.
    Unsolved,
    /// An input was written to the campaign directory.
    Kept {
        /// Folder it was written to.
        place: TestFolder,
        /// Its file, if there is a campaign directory.
        path: Option<&'a Path>,
        /// Headline of the finding, if the input is the first to show it.
        headline: Option<&'a str>,
    },
    /// Sanitizers reported a fault in a test that Cairn did not see.
    Found {
        /// Input that shows it.
        path: &'a Path,
        /// Kind and location.
        headline: &'a str,
    },
    /// The search has ended, and reference builds are still confirming.
    Confirming {
        /// Number of inputs left to run.
        left: u64,
    },
    /// A reference build is being made.
    Building {
        /// Name of the build.
        build: &'a str,
        /// Files that are compiled.
        done: usize,
        /// All files.
        total: usize,
    },
    /// A reference build cannot be made.
    BuildFailed {
        /// Name of the build.
        build: &'a str,
        /// The reason, in one sentence.
        reason: &'a str,
    },
    /// A run diverged from its predicted path.
    Diverged(&'a Divergence),
    /// The trace of a run is inconsistent from some point on.
    Damaged,
    /// The fork server failed and was restarted.
    Restarted {
        /// Reason of the failure.
        reason: &'a str,
    },
}

/// Callback for the events of a campaign.
pub trait Observer: Send {
    /// Called on each event, with the progress at that moment.
    fn on_event(&mut self, event: &Event, progress: &Progress);
}

/// Ignores all events.
impl Observer for () {
    fn on_event(&mut self, _: &Event, _: &Progress) {}
}
