//! What all ways of learning have in common.

use crate::objective::{Job, Measured, Objective, Stage, Stopped};
use crate::space::Weights;
use crate::statistics::mean;

/// Weights, and how good they are.
#[derive(Clone, PartialEq, Debug)]
pub struct Best {
    /// The weights.
    pub weights: Weights,
    /// Their mean over whole campaigns.
    pub mean: f64,
    /// How many.
    pub trials: u32,
}

/// What came of learning.
#[derive(Clone, PartialEq, Debug)]
pub struct Learnt {
    /// The best weights; none if it was stopped before anything was checked.
    pub best: Option<Best>,
    /// Rounds that were begun.
    pub rounds: u32,
    /// Whether it was stopped before it was done.
    pub stopped: bool,
}

/// Weights with what was measured of them.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub weights: Weights,
    pub scores: Vec<Measured>,
}

impl Candidate {
    pub fn new(weights: Weights) -> Candidate {
        Candidate { weights, scores: Vec::new() }
    }

    pub fn mean(&self) -> f64 {
        mean(&self.scores)
    }

    pub fn as_best(&self) -> Best {
        Best { weights: self.weights.clone(), mean: self.mean(), trials: self.scores.len() as u32 }
    }
}

/// Measures every candidate once more; those for which there is no time are left out.
pub(crate) fn measure_all(
    objective: &mut dyn Objective,
    stage: Stage,
    candidates: &mut Vec<Candidate>,
    (seed, executions): (u64, u64),
) -> Result<(), Stopped> {
    let job = |candidate: &Candidate| Job { weights: candidate.weights.clone(), seed, executions };
    let jobs: Vec<Job> = candidates.iter().map(job).collect();
    let scores = objective.measure(stage, &jobs)?;
    candidates.truncate(scores.len());
    candidates.iter_mut().zip(scores).for_each(|(candidate, score)| candidate.scores.push(score));
    Ok(())
}

/// The best first; of equal ones that which came first.
pub(crate) fn best_first(candidates: &mut [Candidate]) {
    candidates.sort_by(|a, b| b.mean().total_cmp(&a.mean()));
}
