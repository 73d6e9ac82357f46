//! `cairn run`: from the command line to a campaign and its summary.

use crate::args::{LogKind, RunArgs};
use crate::failure::{FOUND, Failure, NOTHING_FOUND};
use crate::frontend::Console;
use crate::interrupt;
use crate::message;
use crate::status::Status;
use crate::style::Style;
use crate::summary::SummaryText;
use cairn_app::numbers::counted;
use cairn_app::origin::{self, Origin};
use cairn_app::output_directory::{ExistingCampaign, OutputClaim, builds_directory};
use cairn_app::query_dump::QueryDump;
use cairn_app::reference_builds::{BuildPlaces, ReferenceBuilds};
use cairn_app::subject::Subject;
use cairn_app::target_workers::{SharedMemory, Solving, TargetWorkers};
use cairn_app::{dictionary, sync, target};
use cairn_campaign::{Builds, CampaignDirectory, CampaignError, DirectoryError, Settings, Summary, quoted};
use cairn_deadline::Deadline;
use cairn_exec::TargetSpec;
use cairn_program::{Program, demand_file};
use cairn_solver::WalkSettings;
use cairn_wire::Checks;
use std::io::{stderr, stdout};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

/// Runs a campaign.
pub fn run(args: &RunArgs) -> Result<ExitCode, Failure> {
    if args.log == LogKind::Json {
        message::use_json();
    }
    cairn_search::check(&args.strategy)?;
    let walk = walk_settings(args)?;
    let existing = match (args.resume, args.force) {
        (true, _) => ExistingCampaign::Resume,
        (_, true) => ExistingCampaign::Replace,
        _ => ExistingCampaign::Refuse,
    };
    let mut claim = OutputClaim::acquire(&args.out, existing)?;
    let checks = args.check.unwrap_or_default();
    let subject = args.subject.settings();
    let path = target::program_path(&subject, checks, |first| claim.program_path(first))?;
    let path = claim.adopt_build(path)?;
    let program = Program::read(&path)?;
    target::demand_checks(&program, &path, checks)?;
    let spec = target::spec(&subject, &path, &program, args.limits.timeout)?;
    let mut settings = settings(args, &subject, &spec)?;
    add_builds(&mut settings, args, &subject, &spec, program.checks())?;
    let mut status = Status::start(args.log(), &settings, Some(&args.out))?;
    let queries = match &args.dump_queries {
        Some(directory) => Some(QueryDump::create(directory, args.dump_limit)?),
        None => None,
    };
    target::warn_of_sandbox(&subject.sandbox, args.quiet, &Console);
    let start = Instant::now();
    let workers = workers(args, &subject, spec, walk, queries.as_ref(), settings.deadline())?;
    settings.time_gone = start.elapsed();
    let directory = match existing {
        ExistingCampaign::Resume => resume(&args.out)?,
        _ => CampaignDirectory::create(&args.out, args.force)?,
    };
    claim.keep();
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    Origin::new(&args.out, &path, words)?.keep(&args.out)?;
    let outcome = cairn_campaign::run_workers(&settings, &program, &workers, Some(directory), &mut status);
    status.end(outcome.as_ref().ok())?;
    let summary = outcome.map_err(|error| explain_unwritable(&error, &args.out))?;
    print_summary(args, &summary)?;
    queries.map_or(Ok(()), |queries| print_query_count(args, queries))?;
    exit_code(&summary)
}

/// Starts the first worker's fork server; the other workers start theirs.
fn workers<'a>(
    args: &RunArgs,
    subject: &Subject,
    spec: TargetSpec,
    walk: WalkSettings,
    queries: Option<&'a QueryDump>,
    deadline: Deadline,
) -> Result<TargetWorkers<'a>, Failure> {
    let memory = SharedMemory { bytes: args.driver_memory, workers: args.workers };
    let solving = Solving { limits: args.limits.settings().of_solver(), walk, queries };
    Ok(TargetWorkers::start(spec, subject.sandbox.limits(), memory, solving, deadline)?)
}

/// Adds to a failed write that the campaign can be resumed once that is fixed.
fn explain_unwritable(error: &CampaignError, path: &Path) -> Failure {
    match error {
        CampaignError::Directory(DirectoryError::Unwritable { .. }) => Failure::new(format_args!(
            "{error}: when that is fixed, resume the campaign in {} with --resume",
            path.display()
        )),
        _ => Failure::new(error),
    }
}

/// Opens the campaign of a directory, and warns if its journal was truncated.
fn resume(path: &Path) -> Result<CampaignDirectory, Failure> {
    let directory = CampaignDirectory::resume(path)?;
    if directory.cut() > 0 {
        message::warn(format_args!(
            "the last {} of the journal were incomplete and were discarded: resuming after {}",
            counted(directory.cut(), "byte", "bytes"),
            counted(directory.past_runs(), "execution", "executions")
        ));
    }
    Ok(directory)
}

fn settings(args: &RunArgs, subject: &Subject, spec: &TargetSpec) -> Result<Settings, Failure> {
    let inputs = target::inputs(subject, spec, &Console)?;
    let mut settings = Settings::new(&args.strategy, inputs);
    settings.dictionary = dictionary::read(&args.dict)?;
    settings.seed = args.seed;
    settings.workers = args.workers as usize;
    settings.execs = args.execs;
    settings.time = args.time.map(|budget| budget.0);
    settings.memory = Some(args.driver_memory);
    settings.solver_limit = args.limits.settings().of_solver().time;
    settings.oracle = args.oracle;
    settings.sync = args.sync();
    settings.sync.as_ref().map_or(Ok(()), |others| sync::check_sync(others, spec))?;
    settings.target = cairn_app::digest::fingerprint(&spec.path)?;
    settings.stop = interrupt::flag()?;
    settings.command = target::command(spec, subject);
    settings.program = Some(spec.path.clone());
    settings.replay = target::replay_command(subject, &spec.path);
    settings.path_conditions = args.path_conditions;
    let words: Vec<String> = std::env::args_os().map(|word| quoted(&word.to_string_lossy())).collect();
    settings.invocation = words.join(" ");
    Ok(settings)
}

/// Adds reference builds.
fn add_builds(
    settings: &mut Settings,
    args: &RunArgs,
    subject: &Subject,
    spec: &TargetSpec,
    checks: Checks,
) -> Result<(), Failure> {
    if args.no_sanitizers {
        return Ok(());
    }
    let given = [&args.plain, &args.sanitized].into_iter().flatten();
    given.map(|path| demand_file(path)).collect::<Result<Vec<()>, _>>().map_err(Failure::new)?;
    let places = BuildPlaces {
        directory: builds_directory(&args.out),
        has_own_builds: args.resume && origin::of(&args.out).is_some_and(|origin| origin.is_trusted),
        plain: args.plain.clone(),
        sanitized: args.sanitized.clone(),
    };
    let builds = ReferenceBuilds::new(&places, spec, subject.sandbox.limits(), checks);
    settings.replay_sanitized = Some(target::replay_command(subject, &builds.sanitized_program()));
    settings.builds = Some(Arc::new(builds));
    settings.check_share = args.check_share;
    Ok(())
}

fn walk_settings(args: &RunArgs) -> Result<WalkSettings, Failure> {
    let mut walk = WalkSettings { mode: args.walk, seed: args.seed, ..WalkSettings::default() };
    walk.set(&args.walk_set).map_err(|error| Failure::new(format!("--walk-set: {error}")))?;
    Ok(walk)
}

/// Prints the summary; with `--json`, standard output has the JSON object and nothing else.
fn print_summary(args: &RunArgs, summary: &Summary) -> Result<(), Failure> {
    let symbolic_input = args.subject.input.settings().is_any();
    let report = |style| SummaryText { summary, directory: &args.out, symbolic_input, style };
    if args.json {
        if !args.quiet && args.log != LogKind::Json {
            message::log(report(Style::of(&stderr())).text());
        }
        message::print_data(serde_json::to_string(summary)? + "\n")?;
    } else {
        message::print(report(Style::of(&stdout())).text())?;
    }
    Ok(())
}

/// Says how many queries were written.
fn print_query_count(args: &RunArgs, queries: QueryDump) -> Result<(), Failure> {
    let directory = queries.directory().display().to_string();
    let files = counted(queries.finish()?, "query", "queries");
    if !args.quiet && args.log != LogKind::Json {
        message::log(format_args!("{files} in {directory}\n"));
    }
    Ok(())
}

/// Returns the exit code. An oracle mismatch is a failure of Cairn's own, which is worse than a crash of the
/// target.
fn exit_code(summary: &Summary) -> Result<ExitCode, Failure> {
    if let Some(first) = &summary.notes.first_mismatch {
        return Err(Failure::new(format_args!(
            "the oracle found {} wrong values; the first, in execution {}: the program has {:#x}, its expression gives {:#x}",
            summary.notes.mismatches, first.execution, first.program, first.expression
        )));
    }
    let found = summary.crashes + summary.hangs > 0;
    Ok(ExitCode::from(if found { FOUND } else { NOTHING_FOUND }))
}
