//! `cairn doctor`: prints why exploring a program stalls.

use crate::args::{DoctorArgs, LogKind};
use crate::failure::{Failure, NOTHING_FOUND};
use crate::frontend::Console;
use crate::message::print;
use crate::status::Status;
use crate::style::Style;
use cairn_app::doctor::{COSTLY, Examination, costly_site, details, json_object, sandbox, sentence, topic};
use cairn_app::numbers::{clock, counted, grouped, percent};
use cairn_app::report::{ReportSettings, diagnose_campaign};
use cairn_app::subject::NamedSubject;
use cairn_campaign::{Reason, Summary, is_campaign};
use std::fmt::Write as _;
use std::io::stdout;
use std::path::Path;
use std::process::ExitCode;

/// Most lines of one paragraph.
const MAX_LINES: usize = 10;

/// Explains why a campaign stalls: one that is named, or a short one.
pub fn doctor(args: &DoctorArgs) -> Result<ExitCode, Failure> {
    let summary = match &args.subject.target[..] {
        [directory] if is_campaign(directory) => of_campaign(directory)?,
        _ => examine(args)?,
    };
    let text = match args.json {
        true => format!("{}\n", json_object(&summary)),
        false => report(&summary, Style::of(&stdout())),
    };
    print(text)?;
    Ok(ExitCode::from(NOTHING_FOUND))
}

/// Explores a little.
fn examine(args: &DoctorArgs) -> Result<Summary, Failure> {
    let mut examination = Examination::prepare(&args.subject.settings(), &args.budget(), &Console)?;
    let log = (!args.json).then_some(LogKind::Auto);
    let mut status = Status::start(log, examination.settings(), None)?;
    let outcome = examination.run(&mut status);
    status.end(None)?;
    Ok(outcome?)
}

/// Reads what a campaign has recorded, and replays its tests.
fn of_campaign(directory: &Path) -> Result<Summary, Failure> {
    let settings = ReportSettings {
        directory: std::path::absolute(directory)?,
        named: NamedSubject::default(),
        replay_coverage: false,
        wants_lines: false,
        timeout: None,
    };
    Ok(diagnose_campaign(&settings, &Console)?)
}

/// Formats all reasons, a paragraph per topic.
fn report(summary: &Summary, style: Style) -> String {
    let share = percent(summary.branches_covered as f64, summary.branches_total.into());
    let mut text = format!(
        "{} in {}: {} of {} branches covered ({share})\n",
        counted(summary.executions, "execution", "executions"),
        clock(summary.elapsed_seconds),
        summary.branches_covered,
        summary.branches_total,
    );
    let costly = &summary.notes.costly_sites;
    if summary.notes.reasons.is_empty() && costly.is_empty() {
        let _ = writeln!(text, "{}", style.good("no obstacles found"));
    }
    for reasons in summary.notes.reasons.chunk_by(|a, b| topic(a.kind) == topic(b.kind)) {
        let _ = writeln!(text, "\n{}", style.bad(&sentence(reasons)));
        write_details(&mut text, reasons);
    }
    if !costly.is_empty() {
        let _ = writeln!(text, "\n{}", style.bad(COSTLY));
        for line in costly.iter().flat_map(costly_site) {
            let _ = writeln!(text, "  {line}");
        }
    }
    let _ = writeln!(text, "\n{}", sandbox());
    text
}

fn write_details(text: &mut String, reasons: &[Reason]) {
    let lines = details(reasons);
    for line in lines.iter().take(MAX_LINES) {
        let _ = writeln!(text, "  {line}");
    }
    if lines.len() > MAX_LINES {
        let _ = writeln!(text, "  and {} more", grouped((lines.len() - MAX_LINES) as u64));
    }
}
