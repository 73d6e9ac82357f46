//! The execution tree: every path that was run, what was covered, and what is left to try.
//!
//! A run is a list of [`Step`]s: its decisions on symbolic values, in order. Runs that decide alike
//! share nodes. A [`Flip`] is a side of a node that no run has taken; those never tried form the
//! frontier a search strategy picks from. No I/O, no clock, no randomness of its own.

mod add;
mod branch_status;
mod branch_trace;
mod condition;
mod cores;
mod coverage;
mod decision;
mod fenwick;
mod frontier;
mod implied;
mod nodes;
mod overview;
mod path;
mod pending;
mod place;
mod runs;
mod state;
mod step;
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
