//! Commands of `cairn` without flags and printing.
//!
//! This crate prepares targets, measures strategies, gathers reports and reads campaign directories. The
//! `cli` crate parses the command line, calls it and prints what it returns. Where a command has something
//! to show while it works, it calls back.

pub mod compile;
pub mod digest;
pub mod empty_directory;
mod error;
pub mod gaps;
pub mod lock;
pub mod native;
pub mod numbers;
pub mod origin;
pub mod output_directory;
pub mod query_dump;
pub mod reference_builds;
pub mod temporary;
pub mod toolchain;

pub use error::Error;
