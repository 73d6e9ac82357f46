//! The objective: the measurements that learning requests.

use crate::space::Weights;
use thiserror::Error;

/// A requested measurement.
#[derive(Clone, PartialEq, Debug)]
pub struct Job {
    /// The weights to search with.
    pub weights: Weights,
    /// Seed of the campaign, equal for candidates that are compared.
    pub seed: u64,
    /// Length of the campaign.
    pub executions: u64,
}

/// The phase of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// Measures many weights, each for a short time.
    Find,
    /// Measures a few weights repeatedly.
    Check,
}

/// The progress of learning at a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stage {
    /// Number of the round, from 1.
    pub round: u32,
    /// Phase of the round.
    pub phase: Phase,
    /// Maximum number of executions left in this round after these measurements.
    pub rest: u64,
}

/// The error that ends learning early: time is up, or the user stopped it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("learning was stopped")]
pub struct Stopped;

/// Result of a job; more is better.
pub type Measured = f64;

/// Weights and their quality.
#[derive(Clone, PartialEq, Debug)]
pub struct Best {
    /// The weights.
    pub weights: Weights,
    /// Mean over whole campaigns.
    pub mean: f64,
    /// Number of campaigns.
    pub trials: u32,
}

/// A function that measures weights.
pub trait Objective {
    /// Returns the results of jobs in their order. The same job must give the same result. In the find phase,
    /// the last ones may be left out when time is short: those that were measured are then checked.
    fn measure(&mut self, stage: Stage, jobs: &[Job]) -> Result<Vec<Measured>, Stopped>;

    /// Called with the best weights so far.
    fn improved(&mut self, _: &Best) {}
}
