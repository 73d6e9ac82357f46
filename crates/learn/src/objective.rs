//! What is learnt for.

use crate::space::Weights;
use thiserror::Error;

/// One measurement that is wanted.
#[derive(Clone, PartialEq, Debug)]
pub struct Job {
    /// The weights to search with.
    pub weights: Weights,
    /// The seed of the campaign: equal seeds are equal luck.
    pub seed: u64,
    /// How long the campaign is.
    pub executions: u64,
}

/// What a part of learning is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Looking at many weights, each for a short time.
    Find,
    /// Looking at a few weights again and again.
    Check,
}

/// Where learning stands when it asks for measurements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stage {
    /// Counted from 1.
    pub round: u32,
    /// Finding or checking.
    pub phase: Phase,
    /// Executions that this round will take at most after these measurements.
    pub rest: u64,
}

/// The measurements end here: time is up, or the user has had enough.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("learning was stopped")]
pub struct Stopped;

/// What came of a job, the more the better.
pub type Measured = f64;

/// Measures weights.
pub trait Objective {
    /// The results of jobs in their order. The same job must give the same result. When samples are looked for and time is
    /// short, the last may be left out: those that were measured are then checked.
    fn measure(&mut self, stage: Stage, jobs: &[Job]) -> Result<Vec<Measured>, Stopped>;

    /// These are the best weights so far.
    fn improved(&mut self, _: &crate::Best) {}
}
