//! Figures of each strategy in a comparison.

use super::baseline::{Baseline, Change};
use super::mann_whitney;
use super::mean::mean;
use crate::trial::Trial;
use cairn_program::BranchId;
use std::collections::HashSet;

/// Figures of one strategy over its campaigns.
pub struct StrategyFigure {
    pub strategy: String,
    pub trials: usize,
    /// Branches covered: mean, maximum and standard deviation over campaigns.
    pub mean: f64,
    pub max: usize,
    pub deviation: f64,
    /// Branches that no other strategy covered.
    pub unique: usize,
    /// Mean number of executions to the common target over the campaigns that reached it, and their number.
    pub executions: Option<f64>,
    pub arrived: usize,
    /// Mean time of a campaign in seconds, and the strategy's share of it.
    pub seconds: f64,
    pub choosing: f64,
    /// p-value of the difference to the best strategy; none for the best.
    pub probability: Option<f64>,
    /// Change since the baseline, if it has this strategy.
    pub change: Option<Change>,
}

/// Figures of all strategies, and the common measures.
pub struct Figures {
    /// Figures in the order of the command line.
    pub all: Vec<StrategyFigure>,
    /// Target of `executions`: branches that the mean campaign of the worst strategy covers.
    pub target: usize,
    /// Index of the strategy with the highest mean.
    pub best: usize,
    /// Branches covered by any campaign.
    pub together: usize,
}

impl Figures {
    pub fn of(strategies: &[String], trials: &[Trial], baseline: Option<&Baseline>) -> Figures {
        let groups: Vec<Vec<&Trial>> =
            strategies.iter().map(|s| trials.iter().filter(|trial| trial.strategy == *s).collect()).collect();
        let counts: Vec<Vec<f64>> = groups.iter().map(|group| counts(group)).collect();
        let means: Vec<f64> = counts.iter().map(|counts| mean(counts)).collect();
        let best =
            (0..means.len()).max_by(|&a, &b| means[a].total_cmp(&means[b]).then(b.cmp(&a))).unwrap_or(0);
        let tried = means.iter().zip(&groups).filter(|(_, group)| !group.is_empty());
        let target = tried.map(|(mean, _)| *mean).min_by(f64::total_cmp).unwrap_or(0.0) as usize;
        let covered: Vec<HashSet<BranchId>> = groups.iter().map(|group| union(group)).collect();
        let figure = |i: usize| {
            let elsewhere =
                |branch: &&BranchId| (0..covered.len()).any(|j| j != i && covered[j].contains(branch));
            let arrivals: Vec<f64> =
                groups[i].iter().filter_map(|t| t.executions_to(target)).map(|n| n as f64).collect();
            let total: f64 = groups[i].iter().map(|t| t.summary.elapsed_seconds).sum();
            let choosing: f64 = groups[i].iter().map(|t| t.summary.choosing_seconds).sum();
            StrategyFigure {
                strategy: strategies[i].clone(),
                trials: groups[i].len(),
                mean: means[i],
                max: counts[i].iter().fold(0.0f64, |max, count| max.max(*count)) as usize,
                deviation: deviation(&counts[i]),
                unique: covered[i].iter().filter(|branch| !elsewhere(branch)).count(),
                executions: (!arrivals.is_empty()).then(|| mean(&arrivals)),
                arrived: arrivals.len(),
                seconds: total / (groups[i].len().max(1)) as f64,
                choosing: if total > 0.0 { choosing / total } else { 0.0 },
                probability: (i != best).then(|| mann_whitney::probability(&counts[i], &counts[best])),
                change: baseline.and_then(|baseline| baseline.change(&strategies[i], &counts[i])),
            }
        };
        let together = covered.iter().flatten().collect::<HashSet<_>>().len();
        Figures { all: (0..groups.len()).map(figure).collect(), target, best, together }
    }
}

fn counts(trials: &[&Trial]) -> Vec<f64> {
    trials.iter().map(|trial| trial.covered.len() as f64).collect()
}

fn union(trials: &[&Trial]) -> HashSet<BranchId> {
    trials.iter().flat_map(|trial| trial.covered.iter().map(|covered| covered.branch)).collect()
}

/// Returns the standard deviation of a sample.
fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    if values.len() < 2 { 0.0 } else { (squares / (values.len() - 1) as f64).sqrt() }
}
