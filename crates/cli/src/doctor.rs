//! `cairn doctor`: why exploring a program stalls, in sentences.

use crate::args::{DoctorArgs, LogKind};
use crate::failure::{Failure, NOTHING_FOUND};
use crate::interrupt;
use crate::message::print;
use crate::status::Status;
use crate::style::Style;
use crate::target;
use cairn_app::numbers::{clock, counted, grouped, percent};
use cairn_campaign::{Reason, ReasonKind, Settings, Summary};
use cairn_exec::{Protection, Server, TargetSpec, drops_root};
use cairn_program::Program;
use cairn_wire::Checks;
use serde_json::json;
use std::fmt::Write as _;
use std::io::stdout;
use std::process::ExitCode;

/// A short campaign, of which nothing is kept but the reasons.
const STRATEGY: &str = "random-branch";
/// Lines shown of one kind.
const MOST_LINES: usize = 10;

/// Explores a little, and explains.
pub fn doctor(args: &DoctorArgs) -> Result<ExitCode, Failure> {
    let scratch = tempfile::tempdir()?;
    let path =
        target::program_path(&args.subject, Checks::default(), |_| Ok(scratch.path().join("program")))?;
    let program = Program::read(&path)?;
    let spec = target::spec(&args.subject, &path, &program, args.limits.timeout)?;
    let settings = settings(args, &spec)?;
    let mut server = Server::start(spec, args.subject.room.limits())?;
    let mut solver = cairn_solver::standard(args.limits.of_solver());
    let log = (!args.json).then_some(LogKind::Auto);
    let mut status = Status::start(log, &settings, None)?;
    let outcome = cairn_campaign::run(&settings, &program, &mut server, &mut *solver, None, &mut status);
    status.end(None)?;
    let summary = outcome?;
    let text = if args.json { json_text(&summary) } else { report(&summary, Style::of(&stdout())) };
    print(text)?;
    Ok(ExitCode::from(NOTHING_FOUND))
}

fn settings(args: &DoctorArgs, spec: &TargetSpec) -> Result<Settings, Failure> {
    let inputs = target::inputs(&args.subject, spec)?;
    let mut settings = Settings::new(STRATEGY, inputs);
    settings.execs = Some(args.execs);
    settings.time = Some(args.time.0);
    settings.diagnose = true;
    settings.stop = interrupt::flag()?;
    settings.command = target::command(spec, &args.subject);
    Ok(settings)
}

fn json_text(summary: &Summary) -> String {
    let sandbox = Protection::here();
    let object = json!({
        "executions": summary.executions,
        "branches_covered": summary.branches_covered,
        "branches_total": summary.branches_total,
        "reasons": summary.notes.reasons,
        "sandbox": {
            "files": sandbox.files,
            "signals": sandbox.signals,
            "calls": sandbox.calls,
            "pid_namespace": sandbox.namespaces.processes,
            "ipc_namespace": sandbox.namespaces.ipc,
            "net_namespace": sandbox.namespaces.network,
            "mount_namespace": sandbox.namespaces.mounts,
            "drops_root": drops_root(),
        },
    });
    format!("{object}\n")
}

/// All reasons, kind by kind.
fn report(summary: &Summary, style: Style) -> String {
    let share = percent(summary.branches_covered as f64, summary.branches_total.into());
    let mut text = format!(
        "{} in {}: {} of {} branches covered ({share})\n",
        counted(summary.executions, "execution", "executions"),
        clock(summary.elapsed_seconds),
        summary.branches_covered,
        summary.branches_total,
    );
    if summary.notes.reasons.is_empty() {
        let _ = writeln!(text, "{}", style.good("nothing stands in the way"));
    }
    for reasons in summary.notes.reasons.chunk_by(|a, b| topic(a.kind) == topic(b.kind)) {
        let _ = writeln!(text, "\n{}", style.bad(&sentence(reasons)));
        lines(&mut text, reasons);
    }
    let _ = writeln!(text, "\n{}", sandbox());
    text
}

/// Whether programs are kept from harm on this system.
fn sandbox() -> String {
    match Protection::here().gaps() {
        None => {
            "the sandbox works here: programs write to their scratch directory alone, do not read your home, see no \
             processes but their own, and have no network"
                .to_owned()
        }
        Some(gaps) => format!("the sandbox has gaps here: a program can {gaps}"),
    }
}

/// Kinds that are told in one paragraph: a run that went elsewhere than another one often was to go there.
pub fn topic(kind: ReasonKind) -> ReasonKind {
    if kind == ReasonKind::Nondeterministic { ReasonKind::Diverged } else { kind }
}

/// What all reasons of one paragraph have in common.
pub fn sentence(reasons: &[Reason]) -> String {
    let kind = reasons[0].kind;
    let count: u64 = reasons.iter().filter(|r| r.kind == kind).map(|reason| reason.count).sum();
    let first = reasons[0].about.as_deref().unwrap_or_default();
    let runs = counted(count, "run", "runs");
    match kind {
        ReasonKind::NothingSymbolic => "nothing is symbolic: say what the input is (--sym-stdin 16, --sym-file, --sym-arg), or mark it in the source (cairn.h)".to_owned(),
        ReasonKind::AllRefused => "every run was refused by cairn_assume: do its conditions contradict?".to_owned(),
        ReasonKind::UnusedInput => "no decision depends on a part of the input: the program does not read it, reads it by something that Cairn does not follow (std::cin, a library), or loses it on the way".to_owned(),
        ReasonKind::ForeignFunction => "symbolic data went to functions that Cairn does not follow: compile them with `cairn cc` too, if you have their source".to_owned(),
        ReasonKind::Concretised => "symbolic values went where Cairn does not follow, and were taken as constants".to_owned(),
        ReasonKind::Pinned => "symbolic addresses and sizes were used as the constants they were; other values are tried one by one, a few for each path".to_owned(),
        ReasonKind::Overwritten => format!("{} found symbolic data overwritten by code without instrumentation", counted(count, "load", "loads")),
        ReasonKind::Full => format!("{runs} recorded more than there is room for: try a smaller input"),
        ReasonKind::Unanswered => "the solver did not answer in time (see --solver-timeout)".to_owned(),
        ReasonKind::Diverged if reasons.len() > 1 => {
            let why = sentence(&reasons[1..]);
            format!("{runs} did not go where predicted; the first: {first}\n{why}")
        }
        ReasonKind::Diverged => format!("{runs} did not go where predicted; the first: {first}"),
        ReasonKind::Threads => format!("{runs} computed with the input in several threads: whose turn it is differs from run to run, and with it the order of decisions"),
        ReasonKind::Hang => format!("{runs} did not end in time (see --timeout)"),
        ReasonKind::Slow => format!("{runs} took too much time or memory, but only while Cairn recorded: what they decide late is not known (see --timeout and --memory)"),
        ReasonKind::Killed => format!("{runs} took too much memory (see --memory), or were killed by somebody else"),
        ReasonKind::Nondeterministic => format!("{runs} went elsewhere than another one after the same decisions: the program depends on something beside its input (time, addresses, threads)"),
        ReasonKind::Damaged => format!("{runs} wrote over the memory Cairn records in"),
        ReasonKind::LostRun => format!("{runs} took the program's fork server along, and could not be recorded"),
        ReasonKind::Independent => "conditions that are not computed from the input have sides that were never taken (decisions on the input may still lead there)".to_owned(),
    }
}

/// One line for every reason that has a place or a name.
pub fn details(reasons: &[Reason]) -> Vec<String> {
    let is_told = topic(reasons[0].kind) == ReasonKind::Diverged;
    reasons.iter().filter(|_| !is_told).filter_map(line).collect()
}

fn lines(text: &mut String, reasons: &[Reason]) {
    let told = details(reasons);
    for line in told.iter().take(MOST_LINES) {
        let _ = writeln!(text, "  {line}");
    }
    if told.len() > MOST_LINES {
        let _ = writeln!(text, "  and {} more", grouped((told.len() - MOST_LINES) as u64));
    }
}

fn line(reason: &Reason) -> Option<String> {
    let times = || match reason.kind {
        ReasonKind::UnusedInput | ReasonKind::NothingSymbolic => String::new(),
        ReasonKind::Independent => format!(" ({})", counted(reason.count, "side", "sides")),
        _ => format!(" ({})", counted(reason.count, "time", "times")),
    };
    let what = match (&reason.place, &reason.about) {
        (Some(place), Some(about)) => format!("{place}: {about}"),
        (Some(one), None) | (None, Some(one)) => one.clone(),
        (None, None) => return None,
    };
    Some(what + &times())
}
