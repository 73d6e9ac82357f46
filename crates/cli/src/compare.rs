//! `cairn compare`: strategies side by side on one program.
//!
//! Every strategy makes the same number of campaigns from the same inputs, the first of each with the first seed and so
//! on, several at a time. A campaign writes no tests: what counts is what it covered, and when.

mod csv;
mod figures;
mod ranks;
mod table;

use crate::args::CompareArgs;
use crate::failure::{Failure, NOTHING_FOUND};
use crate::message::tell;
use crate::style::{clock, counted};
use crate::trial::{Length, Plan, Trial, jobs};
use figures::Figures;
use std::io::{Write, stdout};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Runs all campaigns, and prints the table.
pub fn compare(args: &CompareArgs) -> Result<ExitCode, Failure> {
    let strategies = strategies(&args.strategies)?;
    let plan = Plan::new(&args.subject, &args.limits)?;
    // What cannot be written is better known before the work than after it.
    let files = [&args.csv, &args.curves];
    files.into_iter().flatten().try_for_each(|file| write(file, ""))?;
    let trials = run_all(args, &plan, &strategies)?;
    let figures = Figures::of(&strategies, &trials);
    write!(stdout(), "{}", table::text(&figures, plan.program.counted_branches(), &trials))?;
    if let Some(file) = &args.csv {
        write(file, &csv::trials(&trials))?;
    }
    if let Some(file) = &args.curves {
        write(file, &csv::curves(&trials))?;
    }
    Ok(ExitCode::from(NOTHING_FOUND))
}

/// The strategies asked for, each once and each one that there is.
fn strategies(list: &str) -> Result<Vec<String>, Failure> {
    let strategies = match list.contains(';') {
        true => list.split(';').map(str::to_owned).collect(),
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

/// All campaigns, those of one strategy after the other's; if the user ends it, those that were done.
fn run_all(args: &CompareArgs, plan: &Plan, strategies: &[String]) -> Result<Vec<Trial>, Failure> {
    let of = |trial: u64| strategies.iter().map(move |strategy| (strategy.as_str(), trial));
    // First the first trials: an early end leaves something to compare.
    let wanted: Vec<(&str, u64)> = (0..args.trials).flat_map(of).collect();
    let (next, started) = (AtomicUsize::new(0), Instant::now());
    let done: Mutex<Vec<Trial>> = Mutex::default();
    let work = || -> Result<(), Failure> {
        while let Some(&(strategy, trial)) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
            let seed = args.seed.wrapping_add(trial);
            let length = Length { seed, execs: args.execs, time: args.time.map(|budget| budget.0) };
            let Some(trial) = plan.run(strategy, trial, length)? else { break };
            let mut done = done.lock().expect("nobody panics with it");
            done.push(trial);
            if !args.quiet {
                tell(progress(done.last().expect("it was pushed"), done.len(), wanted.len(), started));
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs(args.jobs).min(wanted.len())).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a worker does not panic"))
    })?;
    let mut done = done.into_inner().expect("nobody panics with it");
    if done.len() < wanted.len() {
        tell(format_args!("cairn: ended after {} of {} campaigns\n", done.len(), wanted.len()));
    }
    done.sort_by_key(|trial| (strategies.iter().position(|s| *s == trial.strategy), trial.number));
    Ok(done)
}

fn progress(last: &Trial, done: usize, all: usize, started: Instant) -> String {
    let left = started.elapsed().as_secs_f64() / done as f64 * (all - done) as f64;
    format!(
        "{done} of {all}: {} covered {} in {}; about {} left\n",
        last.strategy,
        counted(last.covered.len() as u64, "branch", "branches"),
        clock(last.summary.elapsed_seconds),
        clock(left)
    )
}

fn write(file: &std::path::Path, text: &str) -> Result<(), Failure> {
    std::fs::write(file, text)
        .map_err(|error| Failure::new(format_args!("cannot write {}: {error}", file.display())))
}
