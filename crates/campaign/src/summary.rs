//! How a campaign ended.

use crate::diagnosis::Reason;
use crate::divergence_causes::{DivergenceCause, DivergenceCauses};
use crate::finding::Finding;
use crate::gaps::{Gaps, gaps};
use crate::observer::Progress;
use crate::oracle::Mismatch;
use crate::prediction::Divergence;
use cairn_solver::{Evaluations, Layers, Stats};
use cairn_tree::Tree;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The figures of a campaign; what serde makes of it is what `--json` promises.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Summary {
    /// Runs made.
    pub executions: u64,
    /// Wall time.
    pub elapsed_seconds: f64,
    /// Branches of the user's code.
    pub branches_total: u32,
    /// Those of them that were taken.
    pub branches_covered: u64,
    /// Tests kept.
    pub tests: u64,
    /// Different crashes.
    pub crashes: u64,
    /// Different hangs.
    pub hangs: u64,
    /// What all of these are.
    pub findings: FindingSummary,
    /// Runs that went elsewhere than predicted.
    pub divergences: u64,
    /// Those of them in which input went where Cairn does not follow before they diverged, which explains them.
    #[serde(default)]
    pub divergences_after_losses: u64,
    /// Where runs left their predicted path and what was lost before, the most frequent first.
    #[serde(default)]
    pub divergence_causes: Vec<DivergenceCause>,
    /// Runs that tried another constant than their path's where a symbolic value is used as one, for a branch behind.
    #[serde(rename = "pin_tries")]
    pub relaxed_runs: u64,
    /// The strategy as it was asked for.
    pub strategy: String,
    /// Seed of all random choices.
    pub seed: u64,
    /// Wall time the strategy took to choose.
    pub choosing_seconds: f64,
    /// True if every path was run or proved impossible: there are no `gaps`.
    pub exhausted: bool,
    /// Reasons why the campaign is not exhausted, with counts.
    pub gaps: Gaps,
    /// Runs whose branch log was full: the strategy did not see their late concrete branches.
    pub full_logs: u64,
    /// Runs that the strategy wanted a branch log of and that have none.
    pub missing_logs: u64,
    /// Runs with more to record than there is room for: what is known of them is the beginning of their paths.
    pub cut_runs: u64,
    /// Runs made by a process that had made others before.
    pub reused_runs: u64,
    /// Most labels that a run has given out.
    pub most_labels: u32,
    /// Flips that were not tried yet.
    pub untried: u64,
    /// Memory that the execution tree takes.
    pub tree_bytes: u64,
    /// What the solver did.
    pub solver: SolverSummary,
    /// What to tell the user beyond the figures.
    #[serde(skip)]
    pub notes: Notes,
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct FindingSummary {
    /// Those that something else than Cairn has seen, too.
    pub confirmed: u64,
    /// Those that nothing else has.
    pub unconfirmed: u64,
    /// How many there are of each kind.
    pub kinds: BTreeMap<String, u64>,
}

/// The solver's part.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct SolverSummary {
    /// Queries asked.
    pub queries: u64,
    /// Queries answered with an input.
    pub sat: u64,
    /// Queries shown to have no answer.
    pub unsat: u64,
    /// Queries nobody could answer.
    pub unknown: u64,
    /// Queries answered from the cache.
    pub cached: u64,
    /// Queries answered by local search.
    pub walk: u64,
    /// Queries the SMT backend was asked.
    pub smt: u64,
    /// Wall time spent solving.
    pub seconds: f64,
    /// What each layer did.
    pub layers: Layers,
    /// How local search evaluated constraints.
    pub evaluations: Evaluations,
}

/// Why a campaign ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum StopReason {
    /// The strategy has nothing left to try.
    #[default]
    Done,
    /// All runs were made that were asked for.
    Executions,
    /// The time was up.
    Time,
    /// The driver has as much memory as it may have.
    Memory,
    /// It was stopped from outside.
    Interrupted,
}

/// A campaign that goes on did something else than before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReplayDivergence {
    /// Before this execution, counted from 1.
    pub execution: u64,
    /// Runs that were made again without what had led to them.
    pub runs: u64,
}

/// What a user should know that is no figure.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Notes {
    /// Why it ended.
    pub stop: StopReason,
    /// Inputs of other fuzzers that were run.
    pub from_others: u64,
    /// Where a campaign that went on went astray while it was made again.
    pub astray: Option<ReplayDivergence>,
    /// The first divergences.
    pub divergences: Vec<Divergence>,
    /// Divergences of runs that had lost values before: what the rest of such a run depends on is not known.
    #[serde(default)]
    pub divergences_after_losses: u64,
    /// Causes of all divergences.
    #[serde(default)]
    pub divergence_causes: DivergenceCauses,
    /// Places in the tree where a value was used as a constant and others may be left that were not tried.
    pub pins: u64,
    /// Runs that came to another place than earlier ones after the same decisions.
    pub nondeterministic_runs: u64,
    /// Runs in which several threads computed with the input: their order may differ from run to run.
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
    /// Runs whose recording makes no sense from some point on.
    pub damaged_runs: u64,
    /// Runs with more labels or decisions than are recorded.
    pub cut_runs: u64,
    /// Runs made by a process that had made others before.
    pub reused_runs: u64,
    /// Most labels that a run has given out.
    pub most_labels: u32,
    /// Runs that took too much time or memory, but only while they were traced.
    pub slow_runs: u64,
    /// Values that went where the tracer does not follow: functions without instrumentation, long double, assembly.
    pub lost_values: u64,
    /// Runs that tried to open a file in the user's home, which the sandbox hides.
    #[serde(default)]
    pub denied_runs: u64,
    /// The first such file.
    #[serde(default)]
    pub denied_file: Option<PathBuf>,
    /// Runs that the target's server did not survive.
    pub lost_runs: u64,
    /// Runs on inputs that `cairn_assume` refused.
    pub rejected_runs: u64,
    /// Runs whose branch log was full.
    pub full_logs: u64,
    /// Runs without the branch log that the strategy wanted.
    pub missing_logs: u64,
    /// Times the server was started anew.
    pub restarts: u64,
    /// What was found, in order.
    pub found: Vec<Finding>,
    /// Inputs that were kept as crashes.
    pub crash_inputs: u64,
    /// Inputs that were kept as hangs.
    pub hang_inputs: u64,
    /// Inputs that other builds of the program were to run, and had no time to.
    pub unanswered: u64,
    /// With the oracle: values compared with their expressions.
    pub checked_values: u64,
    /// With the oracle: values that differ.
    pub mismatches: u64,
    /// With the oracle: the first of them.
    #[serde(skip)]
    pub first_mismatch: Option<Mismatch>,
    /// Diagnosis: why exploration stalls, the most important reason first.
    pub reasons: Vec<Reason>,
}

impl Summary {
    pub(crate) fn new(
        progress: &Progress,
        (strategy, seed): (&str, u64),
        tree: &Tree,
        notes: Notes,
    ) -> Summary {
        let gaps = gaps(tree, progress.executions, progress.divergences, &notes);
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
            strategy: strategy.to_owned(),
            seed,
            choosing_seconds: progress.choosing.as_secs_f64(),
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
            layers,
            evaluations,
        }
    }
}
