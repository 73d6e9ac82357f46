//! Learning the weights of a search heuristic: which of many weight vectors covers most.
//!
//! S. Cha et al.: Automatically Generating Search Heuristics for Concolic Testing, ICSE 2018. Find, check, refine:
//! draw many weight vectors, measure each once, measure the best of them again and again, narrow the ranges to draw from
//! by what the best two have in common, and begin anew until that brings nothing more.
//!
//! Nothing here knows of programs or campaigns, has a clock or writes files: an [`Objective`] measures weights. All that
//! happens follows from the settings and from what the objective answers, so whoever keeps the answers can go on with
//! a learning that was cut short by starting it again.

mod fast;
mod halving;
mod objective;
mod published;
mod race;
mod round;
mod size;
mod space;
mod statistics;

pub use fast::fast;
pub use objective::{Job, Measured, Objective, Phase, Stage, Stopped};
pub use published::published;
pub use round::{Best, Learnt};
pub use size::Size;
pub use space::Weights;
