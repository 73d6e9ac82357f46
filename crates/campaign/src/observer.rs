//! What the world hears of a campaign while it runs.

use crate::corpus::TestFolder;
use crate::gaps::GapCounts;
use crate::prediction::Divergence;
use cairn_exec::ExitKind;
use cairn_program::BranchId;
use cairn_solver::Stats;
use std::path::Path;
use std::time::Duration;

/// Where a campaign stands.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Progress {
    /// Runs made.
    pub executions: u64,
    /// Time since the start.
    pub elapsed: Duration,
    /// A campaign that goes on is being made again, up to this run.
    pub rebuilding: Option<u64>,
    /// Branches of the user's code.
    pub branches_total: u32,
    /// Those of them that were taken.
    pub branches_covered: u64,
    /// Tests kept.
    pub tests: u64,
    /// Different crashes.
    pub crashes: u64,
    /// Different hangs.
    pub hangs: u64,
    /// Those of both that something else than Cairn has seen, too.
    pub confirmed: u64,
    /// Runs that went elsewhere than predicted.
    pub divergences: u64,
    /// Runs that tried another constant than their path's where a symbolic value is used as one, for a branch behind.
    pub relaxed_runs: u64,
    /// Time the strategy took to choose.
    pub choosing: Duration,
    /// Flips that nobody has tried.
    pub untried: u64,
    /// What the solver did.
    pub solver: Stats,
    /// What keeps the campaign from being exhausted as far as is known by now.
    pub gaps: GapCounts,
    /// Times the target's server was started anew.
    pub restarts: u64,
}

impl Progress {
    /// Runs per second so far.
    pub fn executions_per_second(&self) -> f64 {
        self.executions as f64 / self.elapsed.as_secs_f64().max(1e-3)
    }
}

/// Something that happened.
#[derive(Clone, Copy, Debug)]
pub enum Event<'a> {
    /// A run was made.
    Executed {
        /// How it ended.
        end: ExitKind,
        /// Branches of the user's that it was the first to take.
        new_branches: &'a [BranchId],
    },
    /// The strategy describes itself otherwise than before.
    Strategy {
        /// What it does, in a line.
        description: &'a str,
    },
    /// The solver gave an answer that leads to no run.
    Unsolved,
    /// An input was kept.
    Kept {
        /// Where.
        place: TestFolder,
        /// Its file, if there is a campaign directory.
        path: Option<&'a Path>,
        /// What a finding is and where, if it is the first of its kind.
        headline: Option<&'a str>,
    },
    /// Sanitizers have seen what nobody else has.
    Found {
        /// The input that shows it.
        path: &'a Path,
        /// What it is and where.
        headline: &'a str,
    },
    /// The campaign is over but for what other builds of the program say.
    Confirming {
        /// Inputs that they still have to run.
        left: u64,
    },
    /// A run went elsewhere than predicted.
    Diverged(&'a Divergence),
    /// The target's recording makes no sense from some point on.
    Damaged,
    /// The target's server failed and was started anew.
    Restarted {
        /// What was wrong with it.
        reason: &'a str,
    },
}

/// Hears of everything that happens.
pub trait Observer: Send {
    /// Something happened, and this is where the campaign stands.
    fn on_event(&mut self, event: &Event, progress: &Progress);
}

/// Nobody listens.
impl Observer for () {
    fn on_event(&mut self, _: &Event, _: &Progress) {}
}
