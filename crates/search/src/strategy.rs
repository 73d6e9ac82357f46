//! One strategy per file.

mod dfs;
mod random_branch;

pub use dfs::Dfs;
pub use random_branch::RandomBranch;
