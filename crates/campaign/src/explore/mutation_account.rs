//! The account of mutation: how many mutants a batch has, what it costs, and which mutants are worth a trace.
//!
//! A batch is charged in mean runs with tracing and solving. A campaign that is bounded by its number of
//! executions pays one for each mutant, as its user does. Any other pays the nominal time, which makes a mutant
//! some ten to a hundred times cheaper. No clock decides, so campaigns repeat. The cost is in the journal, since a
//! resumed campaign may have another budget.

use crate::replay::record::MutantsRecord;
use crate::settings::Settings;
use cairn_exec::{CoverageRun, Severity};
use cairn_program::BranchId;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

/// Cost of a batch, in mean runs: what `auto` gives an arm at a time.
const BATCH_COST: u64 = 16;
/// Mutants of a batch at most, so that the next test gets its turn and the deadline is met; a chosen bound.
const MAX_BATCH: u64 = 1024;
/// Nominal time of a mutant: measured with `bench/mutation.sh` on two small programs, as that of an execution with
/// tracing is.
const MUTANT: Duration = Duration::from_micros(80);
/// Unit of costs: thousandths of a mean run.
pub(super) const UNIT: u64 = 1000;
/// Frames of a stack that tell crashes apart: those of the C library's `abort` and some of the program's.
const FRAMES: usize = 8;

/// Costs and yields of batches of mutants.
#[derive(Clone, Debug, Default)]
pub(super) struct MutationAccount {
    /// Mutants executed.
    pub executions: u64,
    /// Mutants that were executed again with tracing, and covered a branch first.
    pub gains: u64,
    /// Cost of the last batch and its mutants.
    last: Option<(u64, u64)>,
    /// Mutants that were stopped at a limit.
    stopped: u64,
    /// Fingerprints of crashes that were traced.
    crashes: BTreeSet<u64>,
    /// Branches that a mutant has covered, but not the run that traced it.
    elusive: BTreeSet<BranchId>,
}

impl MutationAccount {
    /// Returns the number of mutants of the next batch.
    pub fn batch_size(&self) -> u64 {
        let (cost, executions) = self.last.unwrap_or((UNIT, 1));
        (BATCH_COST * UNIT * executions / cost.max(1)).clamp(BATCH_COST, MAX_BATCH)
    }

    /// Returns the cost of a batch: `stopped` is the time of its stopped mutants, `mean_run` the nominal time of a
    /// run with tracing and solving.
    pub fn cost(&self, settings: &Settings, executions: u64, stopped: Duration, mean_run: Duration) -> u64 {
        if settings.execs.is_some() {
            return executions * UNIT;
        }
        let time = MUTANT.as_secs_f64() * executions as f64 + stopped.as_secs_f64();
        (time / mean_run.max(MUTANT).as_secs_f64() * UNIT as f64) as u64
    }

    /// Adds a batch.
    pub fn add(&mut self, batch: &MutantsRecord) {
        self.executions += batch.executions;
        self.stopped += batch.stopped;
        self.crashes.extend(batch.kept.iter().filter_map(|mutant| mutant.crash));
        if batch.executions > 0 {
            self.last = Some((batch.cost, batch.executions));
        }
    }

    /// True if one more mutant that was stopped at a limit is to be traced: each hang costs as much as hundreds
    /// of mutants, so only every second as often as before.
    pub fn traces_stopped(&self) -> bool {
        (self.stopped + 1).is_power_of_two()
    }

    /// Returns the fingerprint of a crash that was not traced yet.
    pub fn new_crash(&self, run: &CoverageRun) -> Option<u64> {
        let fingerprint = fingerprint(run)?;
        (!self.crashes.contains(&fingerprint)).then_some(fingerprint)
    }

    /// Notes branches that the traced run of a mutant has not covered: no mutant is kept for them again.
    pub fn note_elusive(&mut self, branches: impl Iterator<Item = BranchId>) {
        self.elusive.extend(branches);
    }

    /// Returns the branches for which no mutant is kept.
    pub fn elusive(&self) -> impl Iterator<Item = BranchId> + '_ {
        self.elusive.iter().copied()
    }
}

fn fingerprint(run: &CoverageRun) -> Option<u64> {
    let is_crash = run.end.severity() == Severity::Crash && !run.end.is_excess();
    is_crash.then(|| {
        let mut hasher = DefaultHasher::new();
        (run.end, &run.crash[..run.crash.len().min(FRAMES)]).hash(&mut hasher);
        hasher.finish()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::record::WorkerId;
    use cairn_exec::{ExitKind, Input};

    fn settings(execs: Option<u64>) -> Settings {
        Settings { execs, ..Settings::new("mutation", vec![Input::default()]) }
    }

    fn batch(executions: u64, cost: u64, stopped: u64) -> MutantsRecord {
        let (worker, base, millis, kept) = (WorkerId::FIRST, 0, 0, Vec::new());
        MutantsRecord { worker, base, millis, executions, cost, stopped, kept, lessons: None }
    }

    #[test]
    fn a_mutant_is_an_execution_only_if_these_are_bounded() {
        let account = MutationAccount::default();
        let cost = |execs, mean| account.cost(&settings(execs), 50, Duration::ZERO, mean);
        assert_eq!(cost(Some(1000), MUTANT * 20), 50 * UNIT);
        assert_eq!(cost(None, MUTANT * 20), 50 * UNIT / 20);
        assert_eq!(cost(None, Duration::ZERO), 50 * UNIT, "a mutant costs no more than a run with tracing");
        let hang = account.cost(&settings(None), 1, MUTANT * 99, MUTANT);
        assert_eq!(hang, 100 * UNIT);
    }

    #[test]
    fn batches_cost_the_same_whatever_a_mutant_costs() {
        let mut account = MutationAccount::default();
        assert_eq!(account.batch_size(), 16);
        account.add(&batch(16, 16 * UNIT, 0));
        assert_eq!(account.batch_size(), 16);
        account.add(&batch(16, UNIT, 0));
        assert_eq!(account.batch_size(), 256);
        account.add(&batch(256, 1, 0));
        assert_eq!(account.batch_size(), MAX_BATCH);
        account.add(&batch(0, UNIT, 0));
        assert_eq!(account.batch_size(), MAX_BATCH);
    }

    #[test]
    fn stopped_mutants_are_traced_ever_more_rarely() {
        let mut account = MutationAccount::default();
        let mut traced = Vec::new();
        for number in 1..=20 {
            traced.extend(account.traces_stopped().then_some(number));
            account.add(&batch(1, UNIT, 1));
        }
        assert_eq!(traced, [1, 2, 4, 8, 16]);
    }

    #[test]
    fn crashes_are_distinguished_by_their_stacks() {
        let run =
            |end, frame| CoverageRun { end, crash: vec![frame, 7], is_starved: false, produced: Vec::new() };
        let mut account = MutationAccount::default();
        let crash = account.new_crash(&run(ExitKind::Signal(11), 1));
        assert!(crash.is_some());
        let kept = crate::replay::record::KeptMutant {
            input: crate::replay::delta::Delta::new(&Input::default(), &Input::default()),
            new_branches: Vec::new(),
            crash,
        };
        account.add(&MutantsRecord { kept: vec![kept], ..batch(1, UNIT, 0) });
        assert_eq!(account.new_crash(&run(ExitKind::Signal(11), 1)), None);
        assert!(account.new_crash(&run(ExitKind::Signal(11), 2)).is_some());
        assert!(account.new_crash(&run(ExitKind::Signal(6), 1)).is_some());
        assert_eq!(account.new_crash(&run(ExitKind::Exit(1), 3)), None);
        assert_eq!(account.new_crash(&run(ExitKind::Timeout, 3)), None);
    }
}
