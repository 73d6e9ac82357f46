//! Mutation of inputs: what coverage-only executions try besides the solver's models.
//!
//! [`Havoc`] applies a few random mutators to one input, as AFL's havoc stage and libFuzzer do. Each family of
//! mutators has a file. They work on a [`field::Field`], the bytes of one input object that a mutator may change,
//! which keeps every object within its limits: a stream of symbolic length grows up to its limit, everything
//! else keeps its size. Nothing here does I/O or has a clock; all randomness comes from the caller's generator.
//!
//! The mutators are our own: those of crate `libafl` 0.16 would bring 70 crates, and know one byte string per
//! input, while ours has objects with lengths and limits.

mod arithmetic;
mod block;
mod boundary;
mod combination;
mod deletion;
pub mod dictionary;
pub mod dictionary_file;
mod field;
mod havoc;
mod insertion;
mod overwriting;
pub mod pieces;
mod rearrangement;
mod splicing;
mod tokens;

pub use combination::combine;
pub use havoc::{Havoc, Material};
