//! What follows from a program's code without running it.

mod call_graph;
mod distances;
mod dominator_tree;
mod dominators;
mod flow;
mod graph;

pub use call_graph::CallGraph;
pub use distances::{Distances, Weight};
pub use dominators::Dominators;
