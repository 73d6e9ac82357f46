//! Search strategies: they choose the next flip to solve.
//!
//! A strategy is notified of every run and names flips of the execution tree, one at a time. It knows nothing
//! of solvers, inputs or processes, reads no clock, and takes all its randomness from the [`Rng`] it is
//! given: the same seed and the same runs give the same search. `docs/new-strategy.md` shows how to add one.

mod distance_weights;
mod features;
mod gamma;
mod refined_analyses;
mod registry;
mod rng;
mod strategy;
mod traits;
mod uncovered_flips;
mod weighted;
mod weights;

pub use features::{Feature, FeatureSet};
pub use registry::{StrategyInfo, UnknownStrategy, check, create, list, split_list};
pub use rng::Rng;
pub use strategy::{
    Auto, Bfs, CarFast, Cfg, Cgs, Chameleon, CovNew, Dfs, Generational, Homi, Interleave, Mutation,
    Parametric, Qc, RandomBranch, RandomInput, RandomPath, RandomState, Uncovered, UniformRandom,
};
pub use traits::{Cost, MutantBatch, Mutators, Next, Outcome, RunView, Strategy};
pub use weights::{Companion, Obtained, Weights, read_weights};
