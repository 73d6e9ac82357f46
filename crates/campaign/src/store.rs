//! Files: the campaign directory, the corpus, and the formats of tests.

mod afl;
pub(crate) mod checked_paths;
pub(crate) mod corpus;
pub(crate) mod cover;
pub(crate) mod directory;
pub(crate) mod inputs;
pub(crate) mod ktest;
pub(crate) mod seeds;
pub(crate) mod sync;
pub(crate) mod testcase;
pub mod testcomp;
