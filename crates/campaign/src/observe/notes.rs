//! Observations of a campaign beyond its figures: counters of gaps, divergences, findings, reasons.

use super::divergence::Divergence;
use super::divergence_causes::DivergenceCauses;
use super::query_costs::CostlySite;
use super::reason::Reason;
use crate::findings::report::Finding;
use cairn_expr::ExprId;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// A value on which the program and its expression disagree, found by the oracle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// Number of the execution, counted from 1.
    pub execution: u64,
    /// The expression.
    pub value: ExprId,
    /// Value computed by the program.
    pub program: u64,
    /// Value of the expression.
    pub expression: u64,
}

/// Reason why a campaign ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum StopReason {
    /// The strategy has nothing left to try.
    #[default]
    Done,
    /// The budget of executions is spent.
    Executions,
    /// The time budget is spent.
    Time,
    /// The driver has reached its memory limit.
    Memory,
    /// The user or a signal stopped it.
    Interrupted,
}

/// A resumed campaign whose replay diverged from its journal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReplayDivergence {
    /// Number of the execution before which it diverged, counted from 1.
    pub execution: u64,
    /// Remaining recorded runs, which were replayed without the queries that had led to them.
    pub runs: u64,
}

/// Observations from which summary, report and messages are made.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Notes {
    /// Reason why the campaign ended.
    pub stop: StopReason,
    /// Inputs of other fuzzers that were run.
    pub from_others: u64,
    /// Point at which the replay of a resumed campaign diverged.
    pub astray: Option<ReplayDivergence>,
    /// The first divergences.
    pub divergences: Vec<Divergence>,
    /// Divergences of runs that had lost values before, which explains them.
    #[serde(default)]
    pub divergences_after_losses: u64,
    /// Causes of all divergences.
    #[serde(default)]
    pub divergence_causes: DivergenceCauses,
    /// Nodes of the tree at which a value was concretized and untried constants may be left.
    pub pins: u64,
    /// Runs that reached another decision than earlier ones after the same path prefix.
    pub nondeterministic_runs: u64,
    /// Runs in which several threads computed with the input: their interleaving may differ from run to run.
    pub threaded_runs: u64,
    /// Runs that forked processes, which record nothing.
    pub forked_runs: u64,
    /// Runs that were stopped at a limit of time, memory or processes.
    pub limit_runs: u64,
    /// Runs that ended by `SIGKILL`.
    pub killed_runs: u64,
    /// Loads of symbolic bytes that uninstrumented code had overwritten.
    pub overwritten: u64,
    /// Input objects that no decision depends on.
    pub unused_objects: u64,
    /// Runs whose trace is inconsistent from some point on.
    pub damaged_runs: u64,
    /// Runs whose trace was truncated: more labels or decisions than there is room for.
    pub cut_runs: u64,
    /// Runs made in persistent mode.
    pub reused_runs: u64,
    /// Maximum number of labels in a run.
    pub most_labels: u32,
    /// Runs that exceeded a limit of time or memory only because they were traced.
    pub slow_runs: u64,
    /// Lost values: given to uninstrumented functions, long double, assembly.
    pub lost_values: u64,
    /// Runs that tried to open a file in the user's home, which the sandbox hides.
    #[serde(default)]
    pub denied_runs: u64,
    /// The first such file.
    #[serde(default)]
    pub denied_file: Option<PathBuf>,
    /// Runs that killed the fork server.
    pub lost_runs: u64,
    /// Runs that were forgotten, since memory was short.
    #[serde(default)]
    pub forgotten_runs: u64,
    /// Flips without an answer that were forgotten with them.
    #[serde(default)]
    pub forgotten_flips: u64,
    /// Runs on inputs that `cairn_assume` rejected.
    pub rejected_runs: u64,
    /// Runs whose branch log was full.
    pub full_logs: u64,
    /// Runs without the branch log that the strategy requires.
    pub missing_logs: u64,
    /// Restarts of the fork server.
    pub restarts: u64,
    /// Distinct findings, in order.
    pub found: Vec<Finding>,
    /// Inputs that were kept as crashes.
    pub crash_inputs: u64,
    /// Inputs that were kept as hangs.
    pub hang_inputs: u64,
    /// Inputs that the reference builds had no time to run.
    pub unanswered: u64,
    /// Distinct paths that sanitizers were to check.
    #[serde(default)]
    pub paths: u64,
    /// Those of them that they have checked.
    #[serde(default)]
    pub checked_paths: u64,
    /// Reference builds that could not be made, each with the reason.
    #[serde(default)]
    pub missing_builds: Vec<String>,
    /// With the oracle: values compared with their expressions.
    pub checked_values: u64,
    /// With the oracle: values that differ.
    pub mismatches: u64,
    /// With the oracle: the first of them.
    #[serde(skip)]
    pub first_mismatch: Option<Mismatch>,
    /// Sites whose queries cost most and stay unanswered, the costliest first.
    #[serde(default)]
    pub costly_sites: Vec<CostlySite>,
    /// Diagnosis: reasons why exploration stalls, the most important first.
    pub reasons: Vec<Reason>,
}
