//! The execution tree: every executed path with shared prefixes merged, branch coverage, and the flips left
//! to try.
//!
//! A path is a list of [`Step`]s: the decisions of a run on symbolic values, in order. Runs that decide alike
//! share nodes. A [`Flip`] names one side of one node; the flips that were never tried form the frontier,
//! from which a search strategy picks. The crate does no I/O, reads no clock and has no randomness of its
//! own.

mod add;
mod branch_status;
mod branch_trace;
mod children;
mod condition;
mod core_conditions;
mod cores;
mod coverage;
mod decision;
mod fenwick;
mod frontier;
mod implied;
mod nodes;
mod overview;
mod path;
mod path_condition;
mod pending;
mod random_path;
mod runs;
mod state;
mod step;
mod suspend;
mod suspended;
mod tree;

pub use add::AddedRun;
pub use branch_status::BranchStatus;
pub use branch_trace::BranchTraces;
pub use cairn_wire::event::StepKind;
pub use condition::{concretization_condition, side_condition};
pub use cores::CoreId;
pub use coverage::{Coverage, taken};
pub use overview::{Overview, OverviewEdge, OverviewNode};
pub use state::FlipState;
pub use step::{Flip, NodeId, RunId, Step};
pub use tree::{Node, Tree};
