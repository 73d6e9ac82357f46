//! `cairn` as its user meets it: real programs, compiled, explored and replayed.

mod afl;
mod agreement;
mod analyses;
mod bad_input;
mod branch_log;
mod common;
mod compare;
mod contents;
mod doctor;
mod example;
mod examples;
mod explain;
mod findings;
mod formats;
mod learn;
mod misbehaviour;
mod models;
mod random_programs;
mod regressions;
mod repeat;
mod resume;
mod scribble;
mod session;
mod sites;
mod solve;
mod walk_corpus;
