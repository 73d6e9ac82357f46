//! The execution tree: every path that was run, what was covered, and what is left to try.
//!
//! A run is a list of [`Step`]s: its decisions on symbolic values, in order. Runs that decide alike
//! share nodes. A [`Flip`] is a side of a node that no run has taken; those never tried form the
//! frontier a search strategy picks from. No I/O, no clock, no randomness of its own.

mod add;
mod aside;
mod condition;
mod cores;
mod counts;
mod coverage;
mod decided;
mod decision;
mod frontier;
mod nodes;
mod outlook;
mod path;
mod pending;
mod picture;
mod place;
mod runs;
mod state;
mod step;
mod trail;
mod tree;

pub use add::AddedRun;
pub use condition::{pin_condition, side_condition};
pub use cores::CoreId;
pub use coverage::{Coverage, taken};
pub use outlook::Outlook;
pub use picture::{Fork, Picture, Way};
pub use state::FlipState;
pub use step::{Flip, NodeId, RunId, Step, StepKind};
pub use trail::Trails;
pub use tree::{Node, Tree};
