//! `cairn compare`: strategies side by side on one program.
//!
//! Every strategy makes the same number of campaigns from the same inputs, the first of each with the first seed and so
//! on, several at a time. A campaign writes no tests: what counts is what it covered, and when.

mod baseline;
mod csv;
mod figures;
mod page;
mod progress;
mod ranks;
mod table;

use crate::args::CompareArgs;
use crate::failure::{Failure, NOTHING_FOUND};
use crate::message::{print, tell, warn};
use crate::target;
use crate::trial::{Length, Plan, Trial, jobs};
use baseline::Baseline;
use figures::Figures;
use progress::Bar;
use std::fs::OpenOptions;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use table::Table;

/// Runs all campaigns, and prints the table.
pub fn compare(args: &CompareArgs) -> Result<ExitCode, Failure> {
    let strategies = strategies(&args.strategies)?;
    let baseline = args.baseline.as_deref().map(Baseline::read).transpose()?;
    check_files(args)?;
    let plan = Plan::new(&args.subject, &args.limits)?;
    let program = target::name(&args.subject.target);
    let (trials, outcome) = run_all(args, &plan, &strategies);
    // What was done before something failed may have taken hours.
    if !trials.is_empty() {
        let branches = plan.program.counted_branches();
        let otherwise = baseline.as_ref().map_or(Vec::new(), |b| b.mismatches(&program, branches, &trials));
        otherwise.into_iter().for_each(warn);
        let figures = Figures::of(&strategies, &trials, baseline.as_ref());
        let table = Table::of(&figures, branches, &trials, baseline.is_some());
        print(table.text())?;
        let page = || page::html(&program, branches, &strategies, &trials, &table);
        args.html.as_ref().map_or(Ok(()), |file| write(file, &page()))?;
        args.csv.as_ref().map_or(Ok(()), |file| write(file, &csv::trials(&program, &trials)))?;
        args.curves.as_ref().map_or(Ok(()), |file| write(file, &csv::curves(&trials)))?;
    }
    outcome.map(|()| ExitCode::from(NOTHING_FOUND))
}

/// What cannot be written is better known before the work than after it. What the files hold stays until then.
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

/// The strategies asked for, each once and each one that there is.
fn strategies(list: &str) -> Result<Vec<String>, Failure> {
    let strategies = match list.contains(';') {
        true => list.split(';').map(|strategy| strategy.trim().to_owned()).collect(),
        false => cairn_search::split_list(list),
    };
    for (i, strategy) in strategies.iter().enumerate() {
        cairn_search::check(strategy).map_err(|error| match list.contains(';') {
            true => Failure::from(error),
            false => Failure::new(format_args!(
                "{error} (with semicolons in the list, commas belong to a strategy)"
            )),
        })?;
        if strategies[..i].contains(strategy) {
            return Err(Failure::new(format_args!("--strategies has {strategy} twice")));
        }
    }
    Ok(strategies)
}

/// All campaigns, those of one strategy after the other's; if the user ends it or one fails, those that
/// were done.
fn run_all(args: &CompareArgs, plan: &Plan, strategies: &[String]) -> (Vec<Trial>, Result<(), Failure>) {
    let of = |trial: u64| strategies.iter().map(move |strategy| (strategy.as_str(), trial));
    // First the first trials: an early end leaves something to compare.
    let wanted: Vec<(&str, u64)> = (0..args.trials).flat_map(of).collect();
    let bar = match Bar::start(args.quiet, wanted.len(), &plan.stop) {
        Ok(bar) => bar,
        Err(failure) => return (Vec::new(), Err(failure)),
    };
    let done: Mutex<Vec<Trial>> = Mutex::default();
    let outcome = plan.for_each(&wanted, jobs(args.jobs), |at, &(strategy, trial)| {
        let length = Length {
            seed: args.seed.wrapping_add(trial),
            execs: args.execs,
            time: args.time.map(|budget| budget.0),
            random_start: false,
        };
        let watch = |progress: &_| bar.advance(at, &length, progress);
        let Some(trial) = plan.run(strategy, trial, length, watch)? else {
            let is_late =
                || Failure::new("the program was not ready to run in the time of a campaign (--time)");
            return if plan.is_interrupted() { Ok(false) } else { Err(is_late()) };
        };
        bar.done(at, &trial);
        done.lock().expect("nobody panics with it").push(trial);
        Ok(true)
    });
    drop(bar);
    let mut done = done.into_inner().expect("nobody panics with it");
    if done.len() < wanted.len() {
        tell(format_args!("cairn: ended after {} of {} campaigns\n", done.len(), wanted.len()));
    }
    done.sort_by_key(|trial| (strategies.iter().position(|s| *s == trial.strategy), trial.number));
    (done, outcome.map(|_| ()))
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(file, text).map_err(|error| Failure::cannot("write", file, &error))
}
