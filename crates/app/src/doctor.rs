//! `cairn doctor`: explains why exploring a program stalls.

use crate::error::Error;
use crate::frontend::Frontend;
use crate::numbers::counted;
use crate::subject::Subject;
use crate::target;
use crate::trial::StepLimits;
use cairn_campaign::{CostlySite, HardOperation, Observer, Reason, ReasonKind, Settings, Summary};
use cairn_exec::{Protection, Server, TargetSpec, drops_root};
use cairn_program::Program;
use cairn_solver::Solver;
use cairn_wire::Checks;
use serde_json::{Value, json};
use std::time::Duration;
use tempfile::TempDir;

/// Strategy of the short campaign: it reaches many branches early, and needs no warm-up.
const STRATEGY: &str = "random-branch";

/// Budget of an examination.
#[derive(Clone, Copy, Debug)]
pub struct DoctorBudget {
    /// Most executions.
    pub execs: u64,
    /// Longest time.
    pub time: Duration,
    /// Limits of one execution and of one query.
    pub limits: StepLimits,
}

/// A short campaign that keeps nothing but the reasons why it stalls.
pub struct Examination {
    settings: Settings,
    program: Program,
    server: Server,
    solver: Box<dyn Solver>,
    /// Holds the program if it was built from source.
    _scratch: TempDir,
}

impl Examination {
    /// Builds the program, if need be, and starts it.
    pub fn prepare(
        subject: &Subject,
        budget: &DoctorBudget,
        frontend: &dyn Frontend,
    ) -> Result<Examination, Error> {
        let scratch = tempfile::tempdir()?;
        let path = target::program_path(subject, Checks::default(), |_| Ok(scratch.path().join("program")))?;
        let program = Program::read(&path)?;
        let spec = target::spec(subject, &path, &program, budget.limits.timeout)?;
        let settings = settings(subject, &spec, budget, frontend)?;
        let server = Server::start(spec, subject.sandbox.limits())?;
        let solver = cairn_solver::standard(budget.limits.of_solver());
        Ok(Examination { settings, program, server, solver, _scratch: scratch })
    }

    /// The settings of the campaign.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Runs the campaign.
    pub fn run(&mut self, observer: &mut dyn Observer) -> Result<Summary, Error> {
        let Examination { settings, program, server, solver, .. } = self;
        Ok(cairn_campaign::run(settings, program, server, &mut **solver, None, observer)?)
    }
}

fn settings(
    subject: &Subject,
    spec: &TargetSpec,
    budget: &DoctorBudget,
    frontend: &dyn Frontend,
) -> Result<Settings, Error> {
    let inputs = target::inputs(subject, spec, frontend)?;
    let mut settings = Settings::new(STRATEGY, inputs);
    settings.execs = Some(budget.execs);
    settings.time = Some(budget.time);
    settings.diagnose = true;
    settings.stop = frontend.stop_flag()?;
    settings.command = target::command(spec, subject);
    Ok(settings)
}

/// Returns all reasons and the state of the sandbox, for programs.
pub fn json_object(summary: &Summary) -> Value {
    let sandbox = Protection::here();
    json!({
        "executions": summary.executions,
        "branches_covered": summary.branches_covered,
        "branches_total": summary.branches_total,
        "reasons": summary.notes.reasons,
        "costly_sites": summary.notes.costly_sites,
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
    })
}

/// Title of the sites whose queries cost most.
pub const COSTLY: &str = "these conditions cost the solver most, and stay unanswered";

/// Describes a costly site: where it is, its condition, what it costs, and what would help.
pub fn costly_site(site: &CostlySite) -> Vec<String> {
    let place = site.place.as_deref().unwrap_or("in a library function");
    let hard: Vec<&str> = site.hard.iter().map(|operation| describe(*operation)).collect();
    let mut help: Vec<&str> = site.hard.iter().map(|operation| remedy(*operation)).collect();
    help.dedup();
    let queries = counted(site.queries, "query", "queries");
    vec![
        format!("{place} ({}): {}", site.function, site.condition),
        format!(
            "  {:.1} s in vain of {:.1} s for {queries}; {} unanswered",
            site.in_vain,
            site.seconds,
            counted(site.unanswered, "flip", "flips"),
        ),
        format!(
            "  {}; {}, after {}",
            hard.join(", "),
            counted(site.bytes, "input byte", "input bytes"),
            counted(site.constraints, "decision", "decisions"),
        ),
        format!("  what may help: {}", help.join("; ")),
    ]
}

/// Describes what makes a condition hard.
fn describe(operation: HardOperation) -> &'static str {
    match operation {
        HardOperation::Hash => "a hash or checksum",
        HardOperation::Square => "a value multiplied by itself",
        HardOperation::Product => "a product of two symbolic values",
        HardOperation::Division => "division by a symbolic value",
        HardOperation::MathFunction => "a function of math.h",
        HardOperation::Float => "floating-point arithmetic",
        HardOperation::Table => "a table read at a symbolic index",
        HardOperation::Path => "simple in itself, but hard after the path before it",
    }
}

/// Returns what may help against an operation.
fn remedy(operation: HardOperation) -> &'static str {
    match operation {
        HardOperation::Hash => {
            "a seed that passes the check (--seeds), or a build for testing that leaves the check out"
        }
        HardOperation::Square | HardOperation::Product | HardOperation::Division => {
            "more time for a query (--solver-timeout), or a seed that takes this side (--seeds)"
        }
        HardOperation::MathFunction | HardOperation::Float => {
            "more time for a query (--solver-timeout), or a harness that makes the number symbolic instead of its text"
        }
        HardOperation::Table => "fewer symbolic bytes, or more time for a query (--solver-timeout)",
        HardOperation::Path => {
            "fewer symbolic bytes, or a harness that calls this function directly (cairn.h)"
        }
    }
}

/// Describes what the sandbox prevents on this system.
pub fn sandbox() -> String {
    match Protection::here().gaps() {
        None => {
            "the sandbox works here: programs write to their scratch directory only, do not read your home, see only \
             their own processes, and have no network"
                .to_owned()
        }
        Some(gaps) => format!("the sandbox has gaps here: a program can {gaps}"),
    }
}

/// Returns the kind that leads a paragraph. Nondeterminism is described along with divergences, which it causes.
pub fn topic(kind: ReasonKind) -> ReasonKind {
    if kind == ReasonKind::Nondeterministic { ReasonKind::Diverged } else { kind }
}

/// Describes what the reasons of one paragraph have in common, and what to do about it.
pub fn sentence(reasons: &[Reason]) -> String {
    let kind = reasons[0].kind;
    let count: u64 = reasons.iter().filter(|r| r.kind == kind).map(|reason| reason.count).sum();
    let first = reasons[0].about.as_deref().unwrap_or_default();
    let runs = counted(count, "run", "runs");
    match kind {
        ReasonKind::NothingSymbolic => {
            "nothing is symbolic: make input symbolic (--sym-stdin 16, --sym-file, \
             --sym-arg), or mark it in the source (cairn.h)"
                .to_owned()
        }
        ReasonKind::AllRejected => {
            "every run was rejected by cairn_assume: do its conditions contradict?".to_owned()
        }
        ReasonKind::UnusedInput => {
            "no branch depends on a part of the input: the program does not read it, reads it \
             through uninstrumented code (std::cin, a library), or it is lost on the way"
                .to_owned()
        }
        ReasonKind::ForeignFunction => {
            "symbolic data was passed to uninstrumented functions: compile them with \
             `cairn cc` too, if you have their source"
                .to_owned()
        }
        ReasonKind::Concretised => {
            "symbolic values were lost: code that is not instrumented used them as constants".to_owned()
        }
        ReasonKind::Pinned => {
            "symbolic addresses and sizes were concretized; other values are tried one by one, a \
             few for each path"
                .to_owned()
        }
        ReasonKind::Overwritten => {
            format!("{} of symbolic data overwritten by uninstrumented code", counted(count, "load", "loads"))
        }
        ReasonKind::Full => {
            let traces = counted(count, "trace was truncated", "traces were truncated");
            format!("{traces} for lack of room: try a smaller input")
        }
        ReasonKind::Unanswered => "the solver did not answer in time (see --solver-timeout)".to_owned(),
        ReasonKind::Diverged => {
            let count = counted(count, "path divergence", "path divergences");
            let why =
                if reasons.len() > 1 { format!("\n{}", sentence(&reasons[1..])) } else { String::new() };
            format!("{count}; the first: {first}{why}")
        }
        ReasonKind::Threads => format!(
            "{runs} computed with the input in several threads: their interleaving, and with it the order of branches, \
             differs from run to run"
        ),
        ReasonKind::Hang => format!("{runs} exceeded the time limit (see --timeout)"),
        ReasonKind::Slow => format!(
            "{runs} exceeded the limit of time or memory only while traced: what they decide late is not known (see \
             --timeout and --memory)"
        ),
        ReasonKind::Killed => {
            format!("{runs} exceeded the memory limit (see --memory), or were killed from outside")
        }
        ReasonKind::Nondeterministic => format!(
            "{runs} took another path than an earlier run after the same decisions: the program depends on something \
             besides its input (time, addresses, threads)"
        ),
        ReasonKind::Damaged => format!("{runs} overwrote trace memory"),
        ReasonKind::LostRun => format!("{runs} killed the fork server and could not be traced"),
        ReasonKind::Independent => {
            "conditions that do not depend on the input have sides that were never taken \
             (decisions on the input may still lead there)"
                .to_owned()
        }
    }
}

/// Returns a line for every reason that has a location or a name.
pub fn details(reasons: &[Reason]) -> Vec<String> {
    let is_in_sentence = topic(reasons[0].kind) == ReasonKind::Diverged;
    reasons.iter().filter(|_| !is_in_sentence).filter_map(line).collect()
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
