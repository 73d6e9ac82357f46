//! Sentences on how a campaign ended and what limited it, shared by the summary and the report.

use crate::gaps::{EXHAUSTED, reason, reasons};
use crate::numbers::{counted, grouped};
use cairn_campaign::{Gap, Notes, StopReason, Summary};

/// Memory of the execution tree that is worth a line; a chosen bound.
const LARGE_TREE: u64 = 64 << 20;
/// Most functions that are named in one sentence.
const MAX_NAMED: usize = 3;

/// The campaign that the sentences are about.
pub struct Remarks<'a> {
    /// Its figures.
    pub summary: &'a Summary,
    /// True if anything outside the program was made symbolic.
    pub symbolic_input: bool,
}

impl Remarks<'_> {
    /// Returns the reason why the campaign ended. An exhausted campaign is called so whatever ended it.
    pub fn ending(&self) -> String {
        let s = self.summary;
        if s.exhausted {
            return EXHAUSTED.to_owned();
        }
        match s.notes.stop {
            StopReason::Done if self.all_rejected() => reason(Gap::AllRejected, 1),
            StopReason::Done => format!("no flips left, but not exhausted: {}", reasons(&s.gaps)),
            StopReason::Executions => "execution budget used up".to_owned(),
            StopReason::Time => "time budget used up".to_owned(),
            StopReason::Memory => "memory budget used up (see --driver-memory)".to_owned(),
            StopReason::Interrupted => "interrupted".to_owned(),
        }
    }

    /// Returns a sentence for everything unusual that happened.
    pub fn all(&self) -> Vec<String> {
        let lines = [
            self.replay_divergence(),
            self.divergences(),
            self.relaxed_runs(),
            self.optimistic_runs(),
            self.mutation_runs(),
            self.truncated_traces(),
            self.slow_runs(),
            self.lost_values(),
            self.damaged_traces(),
            self.denied_files(),
            self.restarts(),
            self.lost_runs(),
            self.full_logs(),
            self.missing_logs(),
            self.forgotten_runs(),
            self.tree_memory(),
            self.oracle(),
            self.hint(),
        ];
        lines.into_iter().flatten().collect()
    }

    fn replay_divergence(&self) -> Option<String> {
        let astray = self.summary.notes.astray?;
        Some(format!(
            "replay diverged before execution {}: {} re-executed without their predecessors",
            grouped(astray.execution),
            counted(astray.runs, "later run was", "later runs were")
        ))
    }

    fn divergences(&self) -> Option<String> {
        let first = self.summary.notes.divergences.first()?;
        let count = counted(self.summary.divergences, "path divergence", "path divergences");
        let notes = &self.summary.notes;
        let after_losses = notes.divergences_after_losses;
        let lost_in = || lost_in(&notes.divergence_causes.losses());
        let why = match notes.threaded_runs {
            0 if after_losses == 0 => String::new(),
            0 if after_losses == self.summary.divergences => format!(", {}", lost_in()),
            0 => format!(", {} of them {}", grouped(after_losses), lost_in()),
            _ => " (several threads compute with the input, and their interleaving differs from run to run)"
                .to_owned(),
        };
        Some(format!("{count}{why}; the first: {}", first.explanation))
    }

    fn relaxed_runs(&self) -> Option<String> {
        let tries = self.summary.relaxed_runs;
        (tries > 0).then(|| {
            let runs = counted(tries, "run", "runs");
            format!(
                "{runs} with another value of a concretized address or size that a later branch depends on"
            )
        })
    }

    fn optimistic_runs(&self) -> Option<String> {
        let Summary { optimistic_runs: tries, optimistic_gains: gains, .. } = *self.summary;
        (tries > 0).then(|| {
            let runs = counted(tries, "optimistic run", "optimistic runs");
            let gains = counted(gains, "covered something new", "covered something new");
            format!("{runs} for branches whose whole path condition was not answered: {gains}")
        })
    }

    fn mutation_runs(&self) -> Option<String> {
        let Summary { mutation_runs: mutants, mutation_gains: gains, .. } = *self.summary;
        (mutants > 0).then(|| {
            let gains = counted(gains, "covered something new", "covered something new");
            format!("mutation: {} executed without tracing, {gains}", counted(mutants, "mutant", "mutants"))
        })
    }

    fn truncated_traces(&self) -> Option<String> {
        let cut = self.summary.notes.cut_runs;
        (cut > 0).then(|| {
            let traces = counted(cut, "trace was truncated", "traces were truncated");
            format!("{traces}: what these runs decide late is not known")
        })
    }

    /// True if `cairn_assume` rejected every run.
    fn all_rejected(&self) -> bool {
        self.summary.gaps.contains_key(&Gap::AllRejected)
    }

    fn slow_runs(&self) -> Option<String> {
        let slow = self.summary.notes.slow_runs;
        (slow > 0).then(|| {
            let runs = counted(slow, "run", "runs");
            format!(
                "{runs} exceeded the limit of time or memory only while traced: raise --timeout or --memory"
            )
        })
    }

    fn lost_values(&self) -> Option<String> {
        let lost = self.summary.notes.lost_values;
        (lost > 0).then(|| {
            let values = counted(lost, "symbolic value", "symbolic values");
            format!("{values} lost: passed to uninstrumented functions, long double or assembly")
        })
    }

    fn damaged_traces(&self) -> Option<String> {
        let damaged = self.summary.notes.damaged_runs;
        (damaged > 0).then(|| {
            let runs = counted(damaged, "run", "runs");
            format!("{runs} overwrote trace memory: some of their decisions are not known")
        })
    }

    fn denied_files(&self) -> Option<String> {
        let Notes { denied_runs, denied_file, .. } = &self.summary.notes;
        let file = denied_file.as_ref()?.display();
        let runs = counted(*denied_runs, "run", "runs");
        Some(format!(
            "the sandbox hides your home: {runs} could not open a file there, the first {file} (--read PATH allows it)"
        ))
    }

    fn restarts(&self) -> Option<String> {
        let restarts = self.summary.notes.restarts;
        (restarts > 0)
            .then(|| format!("the fork server died and was restarted {}", counted(restarts, "time", "times")))
    }

    fn lost_runs(&self) -> Option<String> {
        let lost = self.summary.notes.lost_runs;
        (lost > 0).then(|| {
            format!("{} killed the fork server and could not be traced", counted(lost, "input", "inputs"))
        })
    }

    fn full_logs(&self) -> Option<String> {
        let full = self.summary.full_logs;
        (full > 0).then(|| {
            let runs = counted(full, "run", "runs");
            format!("{runs} filled the branch log: the strategy does not see their later branches")
        })
    }

    fn missing_logs(&self) -> Option<String> {
        let missing = self.summary.missing_logs;
        let why = match self.summary.notes.threaded_runs {
            0 => "the system does not let code be changed",
            _ => "several threads compute with the input",
        };
        (missing > 0).then(|| {
            let runs = counted(missing, "run", "runs");
            format!("{runs} without a complete branch log for the strategy: {why}")
        })
    }

    fn forgotten_runs(&self) -> Option<String> {
        let runs = self.summary.notes.forgotten_runs;
        (runs > 0).then(|| {
            let runs = counted(runs, "run", "runs");
            format!(
                "{runs} forgotten to save memory, the search continued from the tests (see --driver-memory)"
            )
        })
    }

    fn tree_memory(&self) -> Option<String> {
        let bytes = self.summary.tree_bytes;
        (bytes > LARGE_TREE).then(|| format!("the execution tree takes {} MiB of memory", bytes >> 20))
    }

    fn oracle(&self) -> Option<String> {
        let notes = &self.summary.notes;
        if notes.checked_values == 0 {
            return None;
        }
        let compared = counted(notes.checked_values, "value", "values");
        Some(format!("oracle: {compared} compared with their expressions, {} differ", notes.mismatches))
    }

    fn hint(&self) -> Option<String> {
        let notes = &self.summary.notes;
        if self.all_rejected() {
            return Some("hint: cairn_assume rejected every input: do its conditions contradict?".to_owned());
        }
        let is_explored = self.summary.solver.queries + self.summary.untried > 0;
        if is_explored || notes.cut_runs + notes.slow_runs + notes.limit_runs + notes.killed_runs > 0 {
            return None;
        }
        Some(match self.symbolic_input {
            true => "hint: no instrumented branch depended on the symbolic input".to_owned(),
            false => "hint: no branch depended on symbolic input: try --sym-stdin 16".to_owned(),
        })
    }
}

/// Attributes divergences to the functions that values were lost in before.
fn lost_in(losses: &[(&str, u64)]) -> String {
    let named = losses.iter().take(MAX_NAMED);
    let mut names: Vec<String> = named.map(|(name, runs)| format!("{name} ({})", grouped(*runs))).collect();
    if losses.len() > MAX_NAMED {
        names.push("others".to_owned());
    }
    format!("after values were lost in {}", names.join(", "))
}
