//! What a campaign says where there is no screen: lines with the time of day, or JSON objects.

use super::Finding;
use super::view::View;
use super::warnings::{Warning, warnings};
use crate::message::{now, tell, tell_event};
use crate::style::Style;
use cairn_app::numbers::{clock, counted, grouped, percent};
use cairn_campaign::{Gap, GapCounts, Progress, Settings, SolverSummary, Summary};
use cairn_exec::Severity;
use serde_json::{Value, json};
use std::io::stderr;
use std::path::Path;
use std::time::{Duration, Instant};

/// Time between two lines on how it is going.
const PERIOD: Duration = Duration::from_secs(5);
/// The same for programs, which do not tire.
const JSON_PERIOD: Duration = Duration::from_secs(1);

/// What lines are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Plain,
    Json,
}

/// Writes to standard error.
pub struct Log {
    form: Form,
    told: Instant,
    /// Kinds of warnings that were told, and what there was to be warned of when it was looked at last.
    warned: Vec<&'static str>,
    seen: (u64, GapCounts),
}

impl Log {
    pub fn new(form: Form) -> Log {
        Log { form, told: Instant::now(), warned: Vec::new(), seen: Default::default() }
    }

    /// The campaign begins.
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
            tell_event("start", fields);
        }
    }

    /// How it is going, if that was told some time ago; and what there is to be warned of.
    pub fn progress(&mut self, view: &View) {
        let period = if self.form == Form::Json { JSON_PERIOD } else { PERIOD };
        if self.told.elapsed() < period {
            return;
        }
        self.told = Instant::now();
        match self.form {
            Form::Plain => self.line(&line(&view.progress)),
            Form::Json => tell_event("progress", figures(view)),
        }
    }

    /// What there is to be warned of and was not told yet.
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
                    tell_event(
                        "warning",
                        json!({ "kind": kind, "message": message, "elapsed_seconds": elapsed }),
                    );
                }
            }
        }
    }

    /// A test was kept.
    pub fn test(&self, path: Option<&Path>, progress: &Progress) {
        if self.form == Form::Json {
            tell_event("test", happened(path, progress));
        }
    }

    /// A crash or hang was kept; only the first of its kind is worth a line.
    pub fn finding(&self, finding: &Finding, progress: &Progress) {
        let name = if finding.end.severity() == Severity::Hang { "hang" } else { "crash" };
        match (self.form, &finding.headline) {
            (Form::Plain, Some(headline)) => {
                let told = format!("{name}: {headline}: {}", finding.path.display());
                self.line(&Style::of(&stderr()).bad(&told));
            }
            (Form::Plain, None) => {}
            (Form::Json, headline) => {
                let mut fields = happened(Some(&finding.path), progress);
                fields["end"] = finding.end.to_string().into();
                fields["headline"] = headline.as_deref().into();
                fields["is_new"] = headline.is_some().into();
                tell_event(name, fields);
            }
        }
    }

    /// The campaign is over; this is how its strategy describes itself.
    pub fn end(&self, summary: &Summary, strategy: &str) -> Result<(), serde_json::Error> {
        if self.form == Form::Json {
            let stop = format!("{:?}", summary.notes.stop).to_lowercase();
            let summary = serde_json::to_value(summary)?;
            tell_event("end", json!({ "stop": stop, "strategy": strategy, "summary": summary }));
        }
        Ok(())
    }

    fn line(&self, text: &str) {
        tell(format_args!("{} {text}\n", now()));
    }
}

/// Where and when something happened.
fn happened(path: Option<&Path>, progress: &Progress) -> Value {
    json!({
        "file": path,
        "executions": progress.executions,
        "branches_covered": progress.branches_covered,
        "elapsed_seconds": progress.elapsed.as_secs_f64(),
    })
}

/// All figures, for programs.
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
        "solver": SolverSummary::from(p.solver),
    })
}

/// How it is going, in a line.
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
    fn a_line_tells_all_there_is() {
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
