//! The execution tree: every path that was run, what was covered, and what is left to try.
//!
//! A run is a list of [`Step`]s: its decisions on symbolic values, in order. Runs that decide alike
//! share nodes. A [`Flip`] is a side of a node that no run has taken; those never tried form the
//! frontier a search strategy picks from. No I/O, no clock, no randomness of its own.

mod condition;
mod coverage;
mod decided;
mod frontier;
mod slot;
mod step;
mod tree;

pub use condition::{pin_condition, side_condition};
pub use coverage::Coverage;
pub use slot::FlipState;
pub use step::{Flip, NodeId, RunId, Step, StepKind};
pub use tree::{AddedRun, Node, Tree};
