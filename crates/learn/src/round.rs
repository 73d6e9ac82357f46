//! Parts shared by both ways of learning.

use crate::objective::{Best, Job, Measured, Objective, Stage, Stopped};
use crate::space::Weights;
use crate::statistics::mean;

/// The result of learning.
#[derive(Clone, PartialEq, Debug)]
pub struct Learnt {
    /// Best weights; none if learning was stopped before anything was checked.
    pub best: Option<Best>,
    /// Number of rounds started.
    pub rounds: u32,
    /// True if learning was stopped early.
    pub stopped: bool,
}

/// Weights with their measurements.
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

/// Measures every candidate once more; those for which there is no time are removed.
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

/// Sorts candidates, the best first; of equal ones the order stays.
pub(crate) fn best_first(candidates: &mut [Candidate]) {
    candidates.sort_by(|a, b| b.mean().total_cmp(&a.mean()));
}
