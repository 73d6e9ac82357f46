//! Reports of a campaign about itself: events, the summary, gaps, the diagnosis and the snapshot.

pub(crate) mod diagnosis;
pub(crate) mod divergence;
pub(crate) mod divergence_causes;
pub(crate) mod gaps;
pub(crate) mod hard_operations;
pub(crate) mod losses;
pub(crate) mod notes;
pub(crate) mod observer;
pub(crate) mod query_costs;
pub(crate) mod reason;
pub(crate) mod snapshot;
pub(crate) mod summary;
