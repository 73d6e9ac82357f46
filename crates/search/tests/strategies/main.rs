//! Tests of the strategies on simulated targets.

mod all;
mod auto;
mod bench;
mod bfs;
mod carfast;
mod cfg;
mod cgs;
mod dfs;
mod generational;
mod homi;
mod interleave;
mod mutation;
mod parametric;
mod random_branch;
mod refined_analyses;
mod registry;
mod simulate;
mod uniform_random;
mod weighted;
