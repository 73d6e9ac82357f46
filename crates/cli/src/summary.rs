//! The summary that `cairn run` prints at its end.

use crate::style::Style;
use cairn_app::numbers::{clock, counted, grouped, percent};
use cairn_app::remarks::Remarks;
use cairn_campaign::{HANG, Summary, quoted};
use std::fmt::Write;
use std::path::Path;

/// A finished campaign and how to show it.
pub struct SummaryText<'a> {
    /// The figures.
    pub summary: &'a Summary,
    /// The campaign directory.
    pub directory: &'a Path,
    /// True if anything outside the program was made symbolic.
    pub symbolic_input: bool,
    /// The colours.
    pub style: Style,
}

impl SummaryText<'_> {
    /// Returns all lines.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let figures = [
            Some(self.coverage()),
            Some(self.tests()),
            self.imported(),
            self.unanswered(),
            Some(self.findings()),
            self.finding_kinds(),
            self.checked(),
            self.missing_builds(),
        ];
        for line in figures.into_iter().flatten().chain(self.remarks().all()).chain(self.doctor()) {
            let _ = writeln!(text, "{line}");
        }
        let directory = self.directory.to_string_lossy();
        let shown = directory.trim_end_matches('/');
        let _ = writeln!(text, "Results: {shown}/ · HTML report: cairn report {}", quoted(&directory));
        text
    }

    fn remarks(&self) -> Remarks<'_> {
        Remarks { summary: self.summary, symbolic_input: self.symbolic_input }
    }

    fn coverage(&self) -> String {
        let s = self.summary;
        let share = percent(s.branches_covered as f64, s.branches_total.into());
        format!(
            "{} of {} branches covered ({share}) in {} and {}: {}",
            s.branches_covered,
            s.branches_total,
            counted(s.executions, "execution", "executions"),
            clock(s.elapsed_seconds),
            self.remarks().ending(),
        )
    }

    fn tests(&self) -> String {
        let queue = self.directory.join("queue");
        let tests = counted(self.summary.tests, "test", "tests");
        format!("{tests} in {}; {}", queue.display(), self.solver())
    }

    /// Returns the number of queries, and the share that each kind of layer decided.
    fn solver(&self) -> String {
        let (queries, layers) = (self.summary.solver.queries, &self.summary.solver.layers);
        let shares: Vec<String> = layers
            .groups()
            .into_iter()
            .filter(|(_, tally)| tally.decided() > 0)
            .map(|(group, tally)| {
                format!("{} {}", percent(tally.decided() as f64, queries as f64), group.name)
            })
            .collect();
        let asked = counted(queries, "solver query", "solver queries");
        if shares.is_empty() { asked } else { format!("{asked}: {}", shares.join(", ")) }
    }

    fn imported(&self) -> Option<String> {
        let inputs = self.summary.notes.from_others;
        (inputs > 0)
            .then(|| format!("{} from other fuzzers", counted(inputs, "input imported", "inputs imported")))
    }

    fn unanswered(&self) -> Option<String> {
        let unknown = self.summary.solver.unknown;
        let queries = || counted(unknown, "solver query was", "solver queries were");
        let in_vain = percent(self.summary.solver.in_vain, self.summary.elapsed_seconds);
        (unknown > 0).then(|| {
            format!("{} not answered in time, {in_vain} of the time (see --solver-timeout)", queries())
        })
    }

    fn findings(&self) -> String {
        let s = self.summary;
        if s.crashes + s.hangs == 0 {
            return self.style.good("no crash, no hang");
        }
        let mut parts = Vec::new();
        if s.crashes > 0 {
            parts.push(distinct(s.crashes, s.notes.crash_inputs, "crash", "crashes"));
        }
        if s.hangs > 0 {
            parts.push(distinct(s.hangs, s.notes.hang_inputs, "hang", "hangs"));
        }
        let mut text = self.style.bad(&parts.join(" and "));
        if s.findings.unconfirmed > 0 {
            let _ = write!(text, " ({} unconfirmed: seen by Cairn only)", s.findings.unconfirmed);
        }
        let crash = s.notes.found.iter().find(|finding| finding.kind != HANG);
        if let Some(first) = crash.or(s.notes.found.first()) {
            // The headline of a hang may say no more than that it is one.
            let headline = Some(first.headline()).filter(|headline| headline != HANG);
            let what = headline.map_or(String::new(), |headline| format!(", {headline},"));
            let _ = write!(text, "; reproduce the first{what} with: {}", first.reproduce);
        }
        text
    }

    /// Returns the number of findings of each kind, if there are several findings.
    fn finding_kinds(&self) -> Option<String> {
        let kinds = &self.summary.findings.kinds;
        let all: Vec<String> = kinds.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        (self.summary.notes.found.len() > 1).then(|| format!("found: {}", all.join(", ")))
    }

    /// Returns the number of paths that sanitizers have checked.
    fn checked(&self) -> Option<String> {
        let Summary { paths, paths_checked, .. } = *self.summary;
        let left = self.summary.notes.unanswered;
        let late = if left > 0 { ": no time left for the others" } else { "" };
        let all = counted(paths, "path", "paths");
        (paths_checked > 0 || left > 0)
            .then(|| format!("{} of {all} checked with sanitizers{late}", grouped(paths_checked)))
    }

    fn missing_builds(&self) -> Option<String> {
        let missing = &self.summary.notes.missing_builds;
        (!missing.is_empty()).then(|| format!("there is no {}", missing.join(", and no ")))
    }

    /// Points to `cairn doctor` if something went wrong or nothing was explored.
    fn doctor(&self) -> Option<String> {
        let notes = &self.summary.notes;
        let trouble = notes.lost_values
            + notes.cut_runs
            + notes.slow_runs
            + notes.nondeterministic_runs
            + self.summary.divergences;
        let stalls = trouble > 0 || (self.summary.solver.queries == 0 && self.symbolic_input);
        stalls.then(|| "causes and locations: cairn doctor, with the same program and input".to_owned())
    }
}

/// Formats the number of distinct findings, with the number of inputs that show them if that differs.
fn distinct(findings: u64, inputs: u64, one: &str, many: &str) -> String {
    match inputs > findings {
        true => format!("{} ({inputs} inputs)", counted(findings, one, &format!("distinct {many}"))),
        false => counted(findings, one, many),
    }
}
