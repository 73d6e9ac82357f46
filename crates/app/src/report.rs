//! `cairn report`: gathers what a campaign covered and found.

mod findings;
mod gather;
mod negation;
mod plain_coverage;
mod retrace;
mod side_labels;
mod source_texts;
mod sources;
mod statistics;
mod tree;
mod uncovered_reasons;

pub use gather::{ReportSettings, diagnose_campaign, gather};
