//! Findings: faults, their deduplication, minimised inputs, reports, and confirmation by reference builds.

pub(crate) mod confirmation;
pub(crate) mod fault;
pub(crate) mod fault_kind;
pub(crate) mod ledger;
pub(crate) mod minimise;
pub(crate) mod reference_builds;
pub(crate) mod replay_command;
pub(crate) mod report;
pub(crate) mod request_queue;
pub(crate) mod sanitizer;
pub(crate) mod triage;
