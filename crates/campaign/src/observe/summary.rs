//! The summary of a campaign, as `--json` prints it.

use super::divergence_causes::DivergenceCause;
use super::gaps::{Gaps, gaps};
use super::notes::Notes;
use super::observer::Progress;
use crate::findings::report::Finding;
use cairn_solver::{Evaluations, Layers, Stats};
use cairn_tree::Tree;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// Figures of a campaign; its serialization is the documented output of `--json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// Number of executions.
    pub executions: u64,
    /// Wall time.
    pub elapsed_seconds: f64,
    /// Branches of the user's code.
    pub branches_total: u32,
    /// Covered branches of the user's code.
    pub branches_covered: u64,
    /// Tests kept.
    pub tests: u64,
    /// Distinct crashes.
    pub crashes: u64,
    /// Distinct hangs.
    pub hangs: u64,
    /// Crashes and hangs by kind.
    pub findings: FindingSummary,
    /// Runs that diverged from their predicted path.
    pub divergences: u64,
    /// Divergences after a lost value, which explains them.
    #[serde(default)]
    pub divergences_after_losses: u64,
    /// Source positions of divergences and the losses before them, the most frequent first.
    #[serde(default)]
    pub divergence_causes: Vec<DivergenceCause>,
    /// Runs of relaxed queries: with another constant at a concretization, to reach a branch after it.
    #[serde(rename = "pin_tries")]
    pub relaxed_runs: u64,
    /// Runs of optimistic queries: without the constraints on other bytes than the target's.
    #[serde(default)]
    pub optimistic_runs: u64,
    /// Optimistic runs that covered a branch first.
    #[serde(default)]
    pub optimistic_gains: u64,
    /// Mutants executed for their coverage alone, a part of the executions.
    #[serde(default)]
    pub mutation_runs: u64,
    /// Mutants that covered a branch first.
    #[serde(default)]
    pub mutation_gains: u64,
    /// Distinct paths that ended by themselves, if sanitizers were to check them.
    #[serde(default)]
    pub paths: u64,
    /// Those of them that sanitizers have checked.
    #[serde(default)]
    pub paths_checked: u64,
    /// Strategy, as the user named it.
    pub strategy: String,
    /// Seed of all random choices.
    pub seed: u64,
    /// Wall time spent in the strategy.
    pub choosing_seconds: f64,
    /// Share of the campaign's time that this is.
    #[serde(default)]
    pub choosing_share: f64,
    /// Memory of the driver in bytes, at the end.
    #[serde(default)]
    pub driver_bytes: u64,
    /// True if every path was executed or proved infeasible: there are no `gaps`.
    pub exhausted: bool,
    /// Reasons why the campaign is not exhausted, with counts.
    pub gaps: Gaps,
    /// Runs whose branch log was full: the strategy did not see their last concrete branches.
    pub full_logs: u64,
    /// Runs without the branch log that the strategy requires.
    pub missing_logs: u64,
    /// Runs whose trace was truncated: only a prefix of their path is known.
    pub cut_runs: u64,
    /// Runs made in persistent mode.
    pub reused_runs: u64,
    /// Maximum number of labels in a run.
    pub most_labels: u32,
    /// Flips that were not tried yet.
    pub untried: u64,
    /// Size of the execution tree in bytes.
    pub tree_bytes: u64,
    /// Statistics of the solver.
    pub solver: SolverSummary,
    /// Observations beyond the figures.
    #[serde(skip)]
    pub notes: Notes,
}

/// Counts of findings.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FindingSummary {
    /// Findings confirmed by something other than Cairn's tracing.
    pub confirmed: u64,
    /// Findings that were not confirmed.
    pub unconfirmed: u64,
    /// Number of findings of each kind.
    pub kinds: BTreeMap<String, u64>,
}

/// Statistics of the solver.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct SolverSummary {
    /// Queries made.
    pub queries: u64,
    /// Satisfiable queries.
    pub sat: u64,
    /// Unsatisfiable queries.
    pub unsat: u64,
    /// Queries that no layer could answer.
    pub unknown: u64,
    /// Queries answered from the cache.
    pub cached: u64,
    /// Queries answered by local search.
    pub walk: u64,
    /// Queries that reached the SMT backend.
    pub smt: u64,
    /// Wall time spent solving.
    pub seconds: f64,
    /// The part of it spent on queries that ended without an answer.
    #[serde(default)]
    pub in_vain: f64,
    /// Statistics of each layer.
    pub layers: Layers,
    /// Constraint evaluations of local search.
    pub evaluations: Evaluations,
}

impl Summary {
    /// Creates the summary of a campaign with this strategy and seed.
    pub(crate) fn new(
        progress: &Progress,
        (strategy, seed): (&str, u64),
        tree: &Tree,
        notes: Notes,
    ) -> Summary {
        let gaps = gaps(tree, progress.traced_executions(), progress.divergences, &notes);
        Summary {
            executions: progress.executions,
            elapsed_seconds: progress.elapsed.as_secs_f64(),
            branches_total: progress.branches_total,
            branches_covered: progress.branches_covered,
            tests: progress.tests,
            crashes: progress.crashes,
            hangs: progress.hangs,
            findings: FindingSummary::new(&notes.found),
            divergences: progress.divergences,
            divergences_after_losses: notes.divergences_after_losses,
            divergence_causes: notes.divergence_causes.most_frequent(),
            relaxed_runs: progress.relaxed_runs,
            optimistic_runs: progress.optimistic_runs,
            optimistic_gains: progress.optimistic_gains,
            mutation_runs: progress.mutation_runs,
            mutation_gains: progress.mutation_gains,
            paths: notes.paths,
            paths_checked: notes.checked_paths,
            strategy: strategy.to_owned(),
            seed,
            choosing_seconds: progress.choosing.as_secs_f64(),
            choosing_share: share(progress.choosing, progress.elapsed),
            driver_bytes: progress.memory,
            exhausted: gaps.is_empty(),
            gaps,
            full_logs: notes.full_logs,
            missing_logs: notes.missing_logs,
            cut_runs: notes.cut_runs,
            reused_runs: notes.reused_runs,
            most_labels: notes.most_labels,
            untried: tree.untried() as u64,
            tree_bytes: tree.bytes() as u64,
            solver: progress.solver.into(),
            notes,
        }
    }
}

/// Returns a part of a whole with four digits, which JSON represents exactly.
fn share(part: Duration, whole: Duration) -> f64 {
    (part.as_secs_f64() / whole.as_secs_f64().max(1e-3) * 1e4).round() / 1e4
}

impl FindingSummary {
    fn new(found: &[Finding]) -> FindingSummary {
        let mut kinds = BTreeMap::new();
        found.iter().for_each(|finding| *kinds.entry(finding.kind.clone()).or_default() += 1);
        let confirmed = found.iter().filter(|finding| finding.confirmed).count() as u64;
        FindingSummary { confirmed, unconfirmed: found.len() as u64 - confirmed, kinds }
    }
}

impl From<Stats> for SolverSummary {
    fn from(stats: Stats) -> SolverSummary {
        let Stats { total, layers, evaluations, .. } = stats;
        SolverSummary {
            queries: total.asked,
            sat: total.sat,
            unsat: total.unsat,
            unknown: total.unknown,
            cached: layers.get("cache").answered(),
            walk: layers.get("walk").answered(),
            smt: layers.get("smt").asked,
            seconds: total.seconds,
            in_vain: total.in_vain,
            layers,
            evaluations,
        }
    }
}
