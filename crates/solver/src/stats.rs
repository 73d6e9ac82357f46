//! What the layers have done.

/// Totals since a solver was made; each layer fills in its own part.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Stats {
    /// Queries asked.
    pub queries: u64,
    /// Queries answered with a model.
    pub sat: u64,
    /// Queries shown to have no model.
    pub unsat: u64,
    /// Queries nobody could answer.
    pub unknown: u64,
    /// Queries answered from the cache.
    pub cached: u64,
    /// Queries answered by local search.
    pub walk: u64,
    /// Queries the SMT backend was asked.
    pub smt: u64,
    /// Queries that ran into the time limit.
    pub time_limits: u64,
    /// Models that validation refused.
    pub invalid: u64,
    /// Constraints in all queries.
    pub constraints: u64,
    /// Constraints left after slicing.
    pub sliced_constraints: u64,
    /// Wall time spent solving, in seconds; the parts below are within it.
    pub seconds: f64,
    /// Wall time of slicing.
    pub slice_seconds: f64,
    /// Wall time of the SMT backend.
    pub smt_seconds: f64,
    /// Wall time of checking models.
    pub validate_seconds: f64,
}
