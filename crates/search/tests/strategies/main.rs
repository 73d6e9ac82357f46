//! Strategies on targets in memory.

mod all;
mod auto;
mod bfs;
mod dfs;
mod generational;
mod interleave;
mod random_branch;
mod registry;
mod simulate;
mod uniform_random;
mod weighted;
