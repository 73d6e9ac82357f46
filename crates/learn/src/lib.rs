//! Learning of search heuristics: finds the weight vector that covers most.
//!
//! S. Cha et al.: Automatically Generating Search Heuristics for Concolic Testing, ICSE 2018. Find, check,
//! refine: draw many weight vectors, measure each once, measure the best of them repeatedly, narrow the
//! ranges to draw from by what the best two have in common, and repeat until that brings nothing more.
//!
//! The crate knows nothing of programs or campaigns, has no clock and writes no files: an [`Objective`]
//! measures weights. Everything follows from the settings and the objective's results, so that a caller that
//! records the results can resume an interrupted learning by starting it again.

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
pub use objective::{Best, Job, Measured, Objective, Phase, Stage, Stopped};
pub use published::published;
pub use round::Learnt;
pub use size::Size;
pub use space::Weights;
