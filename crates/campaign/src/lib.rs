//! The loop: run, read the path, pick a branch, solve, run again; and what is kept of it.
//!
//! [`run`] makes one campaign. It prints nothing: an [`Observer`] hears what happens, the campaign
//! directory holds what is kept, and a [`Summary`] tells the end. The target stands behind the trait
//! [`Executor`], so that the loop can be tested on programs that are plain Rust functions. The same
//! settings give the same campaign, test for test, as long as no time limit cuts in.

mod afl;
mod behind_pins;
mod callees;
mod chooser;
mod corpus;
mod cover;
mod damage;
mod diagnosis;
mod directory;
mod divergence_causes;
mod executor;
mod explore;
mod finding;
mod findings;
mod gaps;
mod inputs;
mod insistence;
mod journal;
mod kind;
mod ktest;
mod memory;
mod minimise;
mod observer;
mod oracle;
mod path;
mod prediction;
mod replay;
mod sanitizer;
mod settings;
mod snapshot;
mod summary;
mod sync;
mod testcase;
pub mod testcomp;
mod trails;
mod triage;
mod turn;
mod unread;
mod untold;
mod visible;
mod witness;

pub use corpus::TestFolder;
pub use cover::{Covered, covered, smallest_cover};
pub use diagnosis::{Diagnosis, Reason, ReasonKind};
pub use directory::{CampaignDirectory, DirectoryError, write_whole};
pub use divergence_causes::{DivergenceCause, DivergenceCauses};
pub use executor::{Execution, Executor};
pub use explore::{CampaignError, WorkerPool, run, run_workers};
pub use finding::{Finding, Frame};
pub use gaps::{Gap, GapCounts, Gaps};
pub use inputs::{LeftOut, Listing, NotAnInput, files_of, input_files, is_campaign, lies_inside, test_files};
pub use kind::HANG;
pub use ktest::{KTest, KTestError, KTestObject};
pub use observer::{Event, Observer, Progress};
pub use oracle::Mismatch;
pub use prediction::Divergence;
pub use replay::{Replay, quoted};
pub use settings::Settings;
pub use snapshot::{Budget, Fate, Milestone, Snapshot, SnapshotEdge, SnapshotError, SnapshotNode, TreeTop};
pub use summary::{FindingSummary, Notes, ReplayDivergence, SolverSummary, StopReason, Summary};
pub use sync::SyncSettings;
pub use testcase::{
    KTEST, Seeds, TestError, decode_test, encode_ktest, encode_test, fit, label, one_stream, read_seeds,
    read_test, read_test_bytes,
};
pub use visible::visible;
pub use witness::Builds;
