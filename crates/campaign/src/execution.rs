//! A single execution: the trait that runs inputs, and the path read from a run's trace.

pub(crate) mod branch_trace;
pub(crate) mod executor;
pub(crate) mod matched_bytes;
pub(crate) mod path;
pub(crate) mod pieces;
pub(crate) mod trace_sanity;
