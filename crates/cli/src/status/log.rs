//! Log of a campaign where there is no screen: lines with the time of day, or JSON objects.

use super::Finding;
use super::view::View;
use super::warnings::{Warning, warnings};
use crate::message::{log, now, print_event};
use crate::style::Style;
use cairn_app::numbers::{clock, counted, grouped, percent};
use cairn_campaign::{Gap, GapCounts, Progress, Settings, SolverSummary, Summary};
use cairn_exec::Severity;
use serde_json::{Value, json};
use std::io::stderr;
use std::path::Path;
use std::time::{Duration, Instant};

/// Time between two progress lines; a chosen bound.
const PERIOD: Duration = Duration::from_secs(5);
/// Time between two progress events in JSON; a chosen bound.
const JSON_PERIOD: Duration = Duration::from_secs(1);

/// Form of the lines.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Plain,
    Json,
}

/// Writes to standard error.
pub struct Log {
    form: Form,
    printed: Instant,
    /// Kinds of warnings that were printed, and the counts at the last check.
    warned: Vec<&'static str>,
    seen: (u64, GapCounts),
}

impl Log {
    pub fn new(form: Form) -> Log {
        Log { form, printed: Instant::now(), warned: Vec::new(), seen: Default::default() }
    }

    /// Logs the start of the campaign.
    pub fn start(&self, settings: &Settings, out: Option<&Path>) {
        if self.form == Form::Json {
            let fields = json!({
                "version": env!("CARGO_PKG_VERSION"),
                "command": settings.command,
                "strategy": settings.strategy,
                "seed": settings.seed,
                "execs": settings.execs,
                "time_seconds": settings.time.map(|time| time.as_secs_f64()),
                "out": out,
            });
            print_event("start", fields);
        }
    }

    /// Logs progress, if the last time was a while ago.
    pub fn progress(&mut self, view: &View) {
        let period = if self.form == Form::Json { JSON_PERIOD } else { PERIOD };
        if self.printed.elapsed() < period {
            return;
        }
        self.printed = Instant::now();
        match self.form {
            Form::Plain => {
                self.line(&line(&view.progress));
                view.building.iter().for_each(|what| self.line(&format!("making the {what}")));
            }
            Form::Json => print_event("progress", figures(view)),
        }
    }

    /// Logs warnings of kinds that were not printed yet.
    pub fn warn(&mut self, progress: &Progress) {
        let seen = (progress.restarts, progress.gaps);
        if std::mem::replace(&mut self.seen, seen) == seen {
            return;
        }
        for Warning { kind, message } in warnings(progress) {
            if self.warned.contains(&kind) {
                continue;
            }
            self.warned.push(kind);
            match self.form {
                Form::Plain => self.line(&format!("warning: {message}")),
                Form::Json => {
                    let elapsed = progress.elapsed.as_secs_f64();
                    print_event(
                        "warning",
                        json!({ "kind": kind, "message": message, "elapsed_seconds": elapsed }),
                    );
                }
            }
        }
    }

    /// Logs that a reference build cannot be made.
    pub fn missing_build(&self, build: &str, reason: &str, progress: &Progress) {
        let message = format!("no {build} build: {reason}");
        match self.form {
            Form::Plain => self.line(&format!("warning: {message}")),
            Form::Json => {
                let elapsed = progress.elapsed.as_secs_f64();
                let kind = "missing-build";
                let fields = json!({ "kind": kind, "message": message, "elapsed_seconds": elapsed });
                print_event("warning", fields);
            }
        }
    }

    /// Logs a new test.
    pub fn test(&self, path: Option<&Path>, progress: &Progress) {
        if self.form == Form::Json {
            print_event("test", happened(path, progress));
        }
    }

    /// Logs a crash or hang; in plain form only the first of its kind.
    pub fn finding(&self, finding: &Finding, progress: &Progress) {
        let name = if finding.end.severity() == Severity::Hang { "hang" } else { "crash" };
        match (self.form, &finding.headline) {
            (Form::Plain, Some(headline)) => {
                let text = format!("{name}: {headline}: {}", finding.path.display());
                self.line(&Style::of(&stderr()).bad(&text));
            }
            (Form::Plain, None) => {}
            (Form::Json, headline) => {
                let mut fields = happened(Some(&finding.path), progress);
                fields["end"] = finding.end.to_string().into();
                fields["headline"] = headline.as_deref().into();
                fields["is_new"] = headline.is_some().into();
                print_event(name, fields);
            }
        }
    }

    /// Logs the end of the campaign; `strategy` is its strategy's description of itself.
    pub fn end(&self, summary: &Summary, strategy: &str) -> Result<(), serde_json::Error> {
        if self.form == Form::Json {
            let stop = format!("{:?}", summary.notes.stop).to_lowercase();
            let summary = serde_json::to_value(summary)?;
            print_event("end", json!({ "stop": stop, "strategy": strategy, "summary": summary }));
        }
        Ok(())
    }

    fn line(&self, text: &str) {
        log(format_args!("{} {text}\n", now()));
    }
}

/// Returns the fields that all findings and tests have.
fn happened(path: Option<&Path>, progress: &Progress) -> Value {
    json!({
        "file": path,
        "executions": progress.executions,
        "branches_covered": progress.branches_covered,
        "elapsed_seconds": progress.elapsed.as_secs_f64(),
    })
}

/// Returns all figures as JSON.
fn figures(view: &View) -> Value {
    let p = &view.progress;
    json!({
        "elapsed_seconds": p.elapsed.as_secs_f64(),
        "executions": p.executions,
        "executions_per_second": p.executions_per_second(),
        "rebuilding": p.rebuilding,
        "branches_covered": p.branches_covered,
        "branches_total": p.branches_total,
        "tests": p.tests,
        "crashes": p.crashes,
        "hangs": p.hangs,
        "untried": p.untried,
        "divergences": p.divergences,
        "pin_tries": p.relaxed_runs,
        "pins": p.gaps.count(Gap::Concretized),
        "lost_values": p.gaps.count(Gap::LostValue),
        "strategy": view.strategy,
        "choosing_seconds": p.choosing.as_secs_f64(),
        "driver_bytes": p.memory,
        "solver": SolverSummary::from(p.solver),
    })
}

/// Formats progress on one line.
fn line(progress: &Progress) -> String {
    if let Some(runs) = progress.rebuilding {
        let (now, all) = (grouped(progress.executions), grouped(runs));
        return format!("replaying: run {now} of {all}");
    }
    let seconds = progress.elapsed.as_secs_f64();
    let mut parts = vec![
        clock(seconds),
        format!("{} runs", grouped(progress.executions)),
        format!("{}/s", grouped(progress.executions_per_second() as u64)),
        format!("branches {}/{}", progress.branches_covered, progress.branches_total),
        format!("tests {}", grouped(progress.tests)),
        format!("crashes {}", grouped(progress.crashes)),
    ];
    if progress.hangs > 0 {
        parts.push(counted(progress.hangs, "hang", "hangs"));
    }
    parts.push(format!("untried {}", grouped(progress.untried)));
    parts.push(format!("solver {}", percent(progress.solver.total.seconds, seconds)));
    parts.join("  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_all_figures() {
        let mut progress = Progress {
            executions: 12_345,
            elapsed: Duration::from_secs(10),
            branches_total: 50,
            branches_covered: 25,
            tests: 7,
            crashes: 2,
            untried: 99,
            ..Progress::default()
        };
        let expected =
            "10 s  12,345 runs  1,234/s  branches 25/50  tests 7  crashes 2  untried 99  solver 0 %";
        assert_eq!(line(&progress), expected);
        progress.rebuilding = Some(20_000);
        assert_eq!(line(&progress), "replaying: run 12,345 of 20,000");
    }
}
