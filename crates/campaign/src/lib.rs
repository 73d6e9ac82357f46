//! Campaigns: execute, read the path, choose a flip, solve it, execute again; and the files that result.
//!
//! [`run`] and [`run_workers`] make one campaign. They print nothing: an [`Observer`] is notified of events,
//! the campaign directory holds the tests and findings, and a [`Summary`] is returned at the end. The target
//! is reached through the trait [`Executor`], so that tests can replace it by plain Rust functions. The same
//! settings give the same campaign, test for test, as long as no time limit is reached.
//!
//! Each module uses only those above it:
//!
//! - `execution`: the trait that runs inputs, and the path read from a run's trace.
//! - `findings`: faults, their deduplication, reports, and confirmation by reference builds.
//! - `observe`: events, the summary, gaps, the diagnosis and the campaign snapshot.
//! - `store`: the campaign directory, the corpus, and the formats of tests (raw, KLEE, Test-Comp, AFL++).
//! - `settings`: the parameters of a campaign.
//! - `replay`: the journal, and the cursor that decides if an action is live or recorded.
//! - `explore`: the workers, their shared state and the search loop.

mod execution;
mod explore;
mod findings;
mod observe;
mod replay;
mod settings;
mod store;
mod test_folder;
mod visible;

pub use execution::executor::{Execution, Executor};
pub use explore::workers::{WorkerPool, run_workers};
pub use explore::{CampaignError, run};
pub use findings::fault_kind::HANG;
pub use findings::reference_builds::{BuildNews, Builds};
pub use findings::replay_command::{Replay, quoted};
pub use findings::report::{Finding, Frame};
pub use observe::diagnosis::Diagnosis;
pub use observe::divergence::Divergence;
pub use observe::divergence_causes::{DivergenceCause, DivergenceCauses};
pub use observe::gaps::{Gap, GapCounts, Gaps};
pub use observe::hard_operations::HardOperation;
pub use observe::notes::{Mismatch, Notes, ReplayDivergence, StopReason};
pub use observe::observer::{Event, Observer, Progress};
pub use observe::query_costs::CostlySite;
pub use observe::reason::{Reason, ReasonKind};
pub use observe::snapshot::{
    Budget, Fate, Milestone, Snapshot, SnapshotEdge, SnapshotError, SnapshotNode, TreeTop,
};
pub use observe::summary::{FindingSummary, SolverSummary, Summary};
pub use replay::campaign_directory::CampaignDirectory;
pub use settings::{CHECK_SHARE, Settings};
pub use store::cover::{Covered, covered, smallest_cover};
pub use store::directory::{DirectoryError, write_whole};
pub use store::inputs::{
    LeftOut, Listing, NotAnInput, files_of, input_files, is_campaign, lies_inside, test_files,
};
pub use store::ktest::{KTest, KTestError, KTestObject};
pub use store::seeds::{Seeds, read_seeds};
pub use store::sync::SyncSettings;
pub use store::testcase::{
    KTEST, TestError, decode_test, encode_ktest, encode_test, fit, label, one_stream, read_test,
    read_test_bytes,
};
pub use store::testcomp;
pub use test_folder::TestFolder;
pub use visible::visible;
