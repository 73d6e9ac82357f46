//! Commands of `cairn` without flags and printing.
//!
//! This crate prepares targets, measures strategies, gathers reports and reads campaign directories. The
//! `cli` crate parses the command line, calls it and prints what it returns. Where a command has something
//! to show while it works, it calls back.

pub mod compare;
pub mod compile;
pub mod corpus_minimization;
pub mod dictionary;
pub mod digest;
pub mod doctor;
pub mod empty_directory;
mod error;
pub mod export;
pub mod frontend;
pub mod gaps;
pub mod learn;
pub mod lock;
pub mod native;
pub mod numbers;
pub mod origin;
pub mod output_directory;
pub mod query_dump;
pub mod rebuild;
pub mod reference_builds;
pub mod remarks;
pub mod report;
pub mod solve;
pub mod subject;
pub mod suite;
pub mod sync;
pub mod target;
pub mod target_workers;
pub mod temporary;
pub mod toolchain;
pub mod trial;

pub use error::Error;
pub use frontend::Frontend;
