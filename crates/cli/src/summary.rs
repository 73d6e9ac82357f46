//! The end of a campaign, in a few lines.

use crate::style::Style;
use cairn_app::gaps::{EXHAUSTED, reason, reasons};
use cairn_app::numbers::{clock, counted, grouped, percent};
use cairn_campaign::{Gap, HANG, Notes, StopReason, Summary, quoted};
use std::fmt::Write;
use std::path::Path;

/// Memory of the execution tree that is worth a line.
const LARGE_TREE: u64 = 64 << 20;

/// What the lines are made of.
pub struct Report<'a> {
    /// The figures.
    pub summary: &'a Summary,
    /// The campaign directory.
    pub directory: &'a Path,
    /// Whether anything outside the program was made symbolic.
    pub symbolic_input: bool,
    /// How to colour.
    pub style: Style,
}

impl Report<'_> {
    /// All of it.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let figures = [
            self.coverage(),
            self.tests(),
            self.exchanged(),
            self.unanswered(),
            self.found(),
            self.kinds_found(),
            self.unreplayed(),
        ];
        for line in figures.into_iter().flatten().chain(self.remarks()).chain(self.doctor()) {
            let _ = writeln!(text, "{line}");
        }
        let directory = self.directory.to_string_lossy();
        let _ =
            writeln!(text, "everything is in {directory}; as a page: cairn report {}", quoted(&directory));
        text
    }

    /// What there is to say beside the usual figures.
    pub fn remarks(&self) -> Vec<String> {
        let lines = [
            self.astray(),
            self.divergences(),
            self.relaxed_runs(),
            self.cut_runs(),
            self.slow_runs(),
            self.losses(),
            self.damage(),
            self.denied(),
            self.restarts(),
            self.lost_runs(),
            self.full_logs(),
            self.missing_logs(),
            self.memory(),
            self.oracle(),
            self.hint(),
        ];
        lines.into_iter().flatten().collect()
    }

    /// Why it ended. Whatever ended it, every path was tried or not.
    pub fn ending(&self) -> String {
        let s = self.summary;
        if s.exhausted {
            return EXHAUSTED.to_owned();
        }
        match s.notes.stop {
            StopReason::Done if self.all_refused() => reason(Gap::AllRefused, 1),
            StopReason::Done => format!("nothing is left to try, but not all was seen: {}", reasons(&s.gaps)),
            StopReason::Executions => "all executions were made".to_owned(),
            StopReason::Time => "the time was up".to_owned(),
            StopReason::Memory => "Cairn has used its memory up (see --driver-memory)".to_owned(),
            StopReason::Interrupted => "interrupted".to_owned(),
        }
    }

    fn coverage(&self) -> Option<String> {
        let s = self.summary;
        let share = percent(s.branches_covered as f64, s.branches_total.into());
        Some(format!(
            "{} of {} branches covered ({share}) in {} and {}: {}",
            s.branches_covered,
            s.branches_total,
            counted(s.executions, "execution", "executions"),
            clock(s.elapsed_seconds),
            self.ending(),
        ))
    }

    fn tests(&self) -> Option<String> {
        let s = self.summary;
        let queue = self.directory.join("queue");
        let (tests, solver) = (counted(s.tests, "test", "tests"), self.solver());
        Some(format!("{tests} in {}; {solver}", queue.display()))
    }

    /// Questions, and who answered which share of them.
    fn solver(&self) -> String {
        let (queries, layers) = (self.summary.solver.queries, &self.summary.solver.layers);
        let by = [
            ("from memory", layers.cache.decided() + layers.reuse.decided()),
            ("by trying all values", layers.enumerate.decided()),
            ("by search", layers.walk.decided()),
            ("by Z3", layers.smt.decided()),
        ];
        let shares: Vec<String> = by
            .into_iter()
            .filter(|&(_, answered)| answered > 0)
            .map(|(how, answered)| format!("{} {how}", percent(answered as f64, queries as f64)))
            .collect();
        let asked = format!("{} asked of the solver", counted(queries, "question", "questions"));
        if shares.is_empty() { asked } else { format!("{asked}, answered {}", shares.join(", ")) }
    }

    fn exchanged(&self) -> Option<String> {
        let inputs = self.summary.notes.from_others;
        (inputs > 0)
            .then(|| format!("{} taken from other fuzzers", counted(inputs, "input was", "inputs were")))
    }

    fn unanswered(&self) -> Option<String> {
        let unknown = self.summary.solver.unknown;
        let asked = || counted(unknown, "question", "questions");
        (unknown > 0).then(|| format!("{} had no answer in time (see --solver-timeout)", asked()))
    }

    fn losses(&self) -> Option<String> {
        let lost = self.summary.notes.lost_values;
        let values = || counted(lost, "symbolic value", "symbolic values");
        (lost > 0).then(|| {
            format!(
                "{} went where Cairn does not follow: functions without instrumentation, long double, assembly",
                values()
            )
        })
    }

    fn cut_runs(&self) -> Option<String> {
        let cut = self.summary.notes.cut_runs;
        let runs = || counted(cut, "run", "runs");
        (cut > 0).then(|| {
            format!("{} recorded more than there is room for: what they decide late is not known", runs())
        })
    }

    /// Whether no run was on an input that the program wants.
    fn all_refused(&self) -> bool {
        self.summary.gaps.contains_key(&Gap::AllRefused)
    }

    fn slow_runs(&self) -> Option<String> {
        let slow = self.summary.notes.slow_runs;
        let runs = || counted(slow, "run", "runs");
        (slow > 0).then(|| {
            format!(
                "{} took too much time or memory while traced, and not without: try a larger --timeout or --memory",
                runs()
            )
        })
    }

    fn damage(&self) -> Option<String> {
        let damaged = self.summary.notes.damaged_runs;
        let runs = || counted(damaged, "run", "runs");
        (damaged > 0).then(|| {
            format!("{} wrote over the memory Cairn records in: some decisions are not known", runs())
        })
    }

    fn denied(&self) -> Option<String> {
        let Notes { denied_runs, denied_file, .. } = &self.summary.notes;
        let file = denied_file.as_ref()?.display();
        let runs = counted(*denied_runs, "run", "runs");
        Some(format!(
            "the sandbox hides your home: {runs} could not open a file there, the first {file} (--read PATH opens it)"
        ))
    }

    fn restarts(&self) -> Option<String> {
        let restarts = self.summary.notes.restarts;
        let times = || counted(restarts, "time", "times");
        (restarts > 0).then(|| format!("the program's fork server was lost and started anew {}", times()))
    }

    fn lost_runs(&self) -> Option<String> {
        let lost = self.summary.notes.lost_runs;
        let inputs = || counted(lost, "input", "inputs");
        (lost > 0)
            .then(|| format!("{} took the program's fork server along, and could not be recorded", inputs()))
    }

    fn full_logs(&self) -> Option<String> {
        let full = self.summary.full_logs;
        let runs = || counted(full, "run", "runs");
        (full > 0).then(|| {
            format!("{} took more branches than the log has room for: the strategy misses late ones", runs())
        })
    }

    fn missing_logs(&self) -> Option<String> {
        let missing = self.summary.missing_logs;
        let runs = || counted(missing, "run", "runs");
        let why = match self.summary.notes.threaded_runs {
            0 => "the system does not let code be changed",
            _ => "several threads compute with the input",
        };
        (missing > 0).then(|| format!("{} could not log all branches for the strategy: {why}", runs()))
    }

    fn memory(&self) -> Option<String> {
        let bytes = self.summary.tree_bytes;
        (bytes > LARGE_TREE).then(|| format!("the execution tree takes {} MiB of memory", bytes >> 20))
    }

    fn found(&self) -> Option<String> {
        let s = self.summary;
        if s.crashes + s.hangs == 0 {
            return Some(self.style.good("no crash, no hang"));
        }
        let mut parts = Vec::new();
        if s.crashes > 0 {
            parts.push(kinds(s.crashes, s.notes.crash_inputs, "crash", "crashes"));
        }
        if s.hangs > 0 {
            parts.push(kinds(s.hangs, s.notes.hang_inputs, "hang", "hangs"));
        }
        let mut text = self.style.bad(&parts.join(" and "));
        if s.findings.unconfirmed > 0 {
            let _ = write!(text, " ({} unconfirmed: seen by Cairn only)", s.findings.unconfirmed);
        }
        let crash = s.notes.found.iter().find(|finding| finding.kind != HANG);
        if let Some(first) = crash.or(s.notes.found.first()) {
            // Of a hang nothing may be known but that it is one.
            let headline = Some(first.headline()).filter(|headline| headline != HANG);
            let what = headline.map_or(String::new(), |headline| format!(", {headline},"));
            let _ = write!(text, "; the first{what} again: {}", first.reproduce);
        }
        Some(text)
    }

    /// What they are, if there are several.
    fn kinds_found(&self) -> Option<String> {
        let kinds = &self.summary.findings.kinds;
        let all: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        (self.summary.notes.found.len() > 1).then(|| format!("found: {}", all.join(", ")))
    }

    fn unreplayed(&self) -> Option<String> {
        let left = self.summary.notes.unanswered;
        let inputs = || counted(left, "input was", "inputs were");
        (left > 0).then(|| format!("{} not run with sanitizers: there was no time left", inputs()))
    }

    fn astray(&self) -> Option<String> {
        let astray = self.summary.notes.astray?;
        Some(format!(
            "the campaign did not repeat itself before execution {}: {} were made again without what had led to them",
            grouped(astray.execution),
            counted(astray.runs, "later run", "later runs")
        ))
    }

    fn divergences(&self) -> Option<String> {
        let first = self.summary.notes.divergences.first()?;
        let count = counted(self.summary.divergences, "run", "runs");
        let notes = &self.summary.notes;
        let after_losses = notes.divergences_after_losses;
        let lost_in = || lost_in(&notes.divergence_causes.losses());
        let why = match notes.threaded_runs {
            0 if after_losses == 0 => String::new(),
            0 if after_losses == self.summary.divergences => format!(", {}", lost_in()),
            0 => format!(", {} of them {}", grouped(after_losses), lost_in()),
            _ => " (several threads compute with the input, and their order differs from run to run)"
                .to_owned(),
        };
        Some(format!("{count} did not go where predicted{why}; the first: {}", first.explanation))
    }

    fn relaxed_runs(&self) -> Option<String> {
        let tries = self.summary.relaxed_runs;
        let runs = || counted(tries, "run", "runs");
        (tries > 0).then(|| {
            format!(
                "{} tried another symbolic address or size, since a branch behind it depends on it",
                runs()
            )
        })
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
        if self.all_refused() {
            return Some(
                "hint: no input was found that cairn_assume lets pass: do its conditions contradict?"
                    .to_owned(),
            );
        }
        let is_followed = self.summary.solver.queries + self.summary.untried > 0;
        if is_followed || notes.cut_runs + notes.slow_runs + notes.limit_runs + notes.killed_runs > 0 {
            return None;
        }
        Some(match self.symbolic_input {
            true => "hint: no branch that Cairn follows depended on the symbolic input".to_owned(),
            false => "hint: the program never decided on symbolic input: try --sym-stdin 16".to_owned(),
        })
    }

    /// Where to learn more, if something went wrong or nothing went on.
    fn doctor(&self) -> Option<String> {
        let notes = &self.summary.notes;
        let trouble = notes.lost_values
            + notes.cut_runs
            + notes.slow_runs
            + notes.nondeterministic_runs
            + self.summary.divergences;
        let stalls = trouble > 0 || (self.summary.solver.queries == 0 && self.symbolic_input);
        stalls.then(|| "why, and where: cairn doctor, with the same program and input".to_owned())
    }
}

/// Functions and the like that are named in one sentence.
const MOST_NAMED: usize = 3;

/// Explains divergences by what was lost before them.
fn lost_in(losses: &[(&str, u64)]) -> String {
    let named = losses.iter().take(MOST_NAMED);
    let mut names: Vec<String> = named.map(|(name, runs)| format!("{name} ({})", grouped(*runs))).collect();
    if losses.len() > MOST_NAMED {
        names.push("others".to_owned());
    }
    format!("after input was lost in {}", names.join(", "))
}

/// How many different findings there are, and how many inputs show them if that is another number.
fn kinds(different: u64, inputs: u64, one: &str, many: &str) -> String {
    match inputs > different {
        true => format!("{} ({inputs} inputs)", counted(different, one, &format!("different {many}"))),
        false => counted(different, one, many),
    }
}
