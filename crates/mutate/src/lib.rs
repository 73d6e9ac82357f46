//! Mutation of inputs: what coverage-only executions try besides the solver's models.

pub mod dictionary;
pub mod dictionary_file;
