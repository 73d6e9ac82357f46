//! Static analyses of a program.

mod blocks;
mod call_graph;
mod callees;
mod control_dependence;
mod definitions;
mod distances;
mod dominator_tree;
mod dominators;
mod flow;
mod graph;
mod guards;
mod loops;
mod nesting;
mod steps;

pub use blocks::PostDominators;
pub use call_graph::CallGraph;
pub use callees::Callees;
pub use control_dependence::ControlDependence;
pub use definitions::Definitions;
pub use distances::{Distances, Weight};
pub use dominators::Dominators;
pub use guards::Guards;
pub use loops::{LoopSide, Loops};
pub use nesting::Nesting;
pub use steps::Steps;
