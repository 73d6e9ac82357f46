//! `cairn compare`: runs campaigns of several strategies and prints their figures.

use crate::args::CompareArgs;
use crate::compare_progress::CompareProgress;
use crate::failure::{Failure, NOTHING_FOUND};
use crate::frontend::Console;
use crate::message::{log, print, warn};
use cairn_app::compare::{Baseline, CompareSettings, Comparison, parse_strategies};
use cairn_app::target;
use cairn_app::trial::{Plan, Trial};
use std::fs::OpenOptions;
use std::path::Path;
use std::process::ExitCode;

/// Runs all campaigns, and prints the table.
pub fn compare(args: &CompareArgs) -> Result<ExitCode, Failure> {
    let settings = CompareSettings {
        strategies: parse_strategies(&args.strategies)?,
        trials: args.trials,
        seed: args.seed,
        execs: args.execs,
        time: args.time.map(|budget| budget.0),
        jobs: args.jobs,
    };
    let baseline = args.baseline.as_deref().map(Baseline::read).transpose()?;
    check_files(args)?;
    let plan = Plan::new(&args.subject.settings(), &args.limits.settings(), &Console)?;
    let program = target::name(&args.subject.target);
    let (trials, outcome) = run_all(args, &settings, &plan);
    // Campaigns that were done before an error may have taken hours.
    if !trials.is_empty() {
        let branches = plan.program.counted_branches();
        let mismatches = baseline.as_ref().map_or(Vec::new(), |b| b.mismatches(&program, branches, &trials));
        mismatches.into_iter().for_each(warn);
        let comparison =
            Comparison::new(&program, branches, &settings.strategies, &trials, baseline.as_ref());
        print(comparison.text())?;
        args.html.as_ref().map_or(Ok(()), |file| write(file, &comparison.html()))?;
        args.csv.as_ref().map_or(Ok(()), |file| write(file, &comparison.csv()))?;
        args.curves.as_ref().map_or(Ok(()), |file| write(file, &comparison.curves_csv()))?;
    }
    outcome.map(|()| ExitCode::from(NOTHING_FOUND))
}

/// Makes sure that the files can be written before the work begins. Their content stays until then.
fn check_files(args: &CompareArgs) -> Result<(), Failure> {
    let files = [("--csv", &args.csv), ("--curves", &args.curves), ("--html", &args.html)];
    for ((a, one), (b, other)) in [(files[0], files[1]), (files[0], files[2]), (files[1], files[2])] {
        if one.is_some() && one == other {
            return Err(Failure::new(format_args!("{a} and {b} name the same file")));
        }
    }
    for file in files.into_iter().filter_map(|(_, file)| file.as_ref()) {
        let opened = OpenOptions::new().append(true).create(true).open(file);
        opened.map_err(|error| Failure::cannot("write", file, &error))?;
    }
    Ok(())
}

/// Runs the campaigns with a progress bar.
fn run_all(args: &CompareArgs, settings: &CompareSettings, plan: &Plan) -> (Vec<Trial>, Result<(), Failure>) {
    let progress = match CompareProgress::start(args.quiet, settings.campaigns(), &plan.stop) {
        Ok(progress) => progress,
        Err(failure) => return (Vec::new(), Err(failure)),
    };
    let (done, outcome) = settings.run(plan, &progress);
    drop(progress);
    if done.len() < settings.campaigns() {
        log(format_args!("cairn: stopped after {} of {} campaigns\n", done.len(), settings.campaigns()));
    }
    (done, outcome.map_err(Failure::from))
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(file, text).map_err(|error| Failure::cannot("write", file, &error))
}
