//! One strategy per file.

mod auto;
mod bfs;
mod carfast;
mod cfg;
mod cgs;
mod covnew;
mod depth;
mod dfs;
mod generational;
mod icnt;
mod interleave;
mod md2u;
mod qc;
mod random_branch;
mod random_input;
mod random_state;
mod uniform_random;

pub use auto::Auto;
pub use bfs::Bfs;
pub use carfast::CarFast;
pub use cfg::Cfg;
pub use cgs::Cgs;
pub use covnew::CovNew;
pub use depth::Depth;
pub use dfs::Dfs;
pub use generational::Generational;
pub use icnt::Icnt;
pub use interleave::Interleave;
pub use md2u::Md2u;
pub use qc::Qc;
pub use random_branch::RandomBranch;
pub use random_input::RandomInput;
pub use random_state::RandomState;
pub use uniform_random::UniformRandom;
