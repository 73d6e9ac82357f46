//! `cairn learn`: weights of the parametric strategy that are good on one program.
//!
//! Everything that was measured is in a journal beside the weights. Learning follows from what is measured, so one that was
//! cut short goes on by starting again: what the journal knows is not measured twice.

mod journal;
mod measure;
mod progress;
mod sample;

use crate::args::LearnArgs;
use crate::failure::{Failure, NOTHING_FOUND};
use crate::message::{print, tell};
use crate::target;
use crate::trial::{Length, Plan, jobs};
use cairn_app::digest::Fingerprint;
use cairn_app::numbers::{counted, grouped};
use cairn_campaign::StopReason;
use cairn_learn::{Best, Learnt, Size, fast, published};
use cairn_search::{Feature, Obtained};
use journal::{Journal, Task};
use measure::Measurer;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The part of the time that finding and checking once may take: there should be a second round, and half a third.
const ROUND: f64 = 0.4;
/// Samples of a round that are worth the name, and as many as were published.
const SAMPLES: std::ops::RangeInclusive<u32> = 24..=Size::PUBLISHED.samples;

/// How many samples fast learning checks.
const FAST_TOP: u32 = 6;

/// Learns, and writes what was learnt.
pub fn learn(args: &LearnArgs) -> Result<ExitCode, Failure> {
    if args.out.is_dir() {
        return Err(Failure::new(format_args!(
            "{} is a directory: --out FILE names a file",
            args.out.display()
        )));
    }
    let plan = Plan::new(&args.subject, &args.limits)?;
    let started = Instant::now();
    let journal = if args.resume {
        Journal::open(&args.out, &plan.spec.path, input_mark(args, &plan))?
    } else {
        Journal::may_create(&args.out, args.force)?;
        Journal::create(&args.out, task(args, &plan)?)?
    };
    let mut measurer = Measurer::new(&plan, args, journal, started)?;
    let learnt = run(&mut measurer);
    measurer.finish()?;
    let Some(best) = &learnt.best else {
        return Err(Failure::new(format_args!(
            "nothing was checked in this time; go on with --resume, or begin anew with fewer --samples or more --time \
             (what was measured is in {})",
            Journal::path(&args.out).display()
        )));
    };
    write_weights(args, &learnt, best, measurer.journal().task())?;
    tell_result(args, &learnt, best, measurer.journal().task())?;
    Ok(ExitCode::from(NOTHING_FOUND))
}

fn run(measurer: &mut Measurer) -> Learnt {
    let Task { published: as_published, size, .. } = *measurer.journal().task();
    if as_published {
        return published(Feature::COUNT, size, measurer);
    }
    fast(sample::LENGTH, size, &sample::known(), measurer)
}

fn task(args: &LearnArgs, plan: &Plan) -> Result<Task, Failure> {
    Ok(Task {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        target: cairn_app::digest::fingerprint(&plan.spec.path)?,
        input: input_mark(args, plan),
        published: args.published,
        size: size(args, plan)?,
    })
}

/// Fingerprint of what campaigns are made on besides the program: measurements on something else do not compare.
fn input_mark(args: &LearnArgs, plan: &Plan) -> u64 {
    let mut print = Fingerprint::default();
    for input in plan.inputs() {
        print.number(input.objects.len() as u64);
        for object in &input.objects {
            print.number(object.kind as u64).bytes(object.name.as_bytes()).number(object.index.into());
            print.bytes(&object.bytes).number(object.limit as u64);
        }
    }
    for arg in &args.subject.args {
        print.bytes(arg.as_encoded_bytes());
    }
    print.number(plan.spec.timeout.as_nanos() as u64).finish()
}

/// How much is to be measured. Unless the user says how many samples, as many as there is time for.
fn size(args: &LearnArgs, plan: &Plan) -> Result<Size, Failure> {
    let size = Size {
        samples: args.samples.unwrap_or(*SAMPLES.end()),
        top: args.top.unwrap_or(if args.published { Size::PUBLISHED.top } else { FAST_TOP }),
        trials: args.trials,
        executions: args.execs,
        rounds: args.rounds,
        seed: args.seed,
    };
    let Some(time) = args.time().filter(|_| !args.published && args.samples.is_none()) else {
        return Ok(size);
    };
    // More campaigns than cores are no faster.
    let speed = speed(args, plan, time)? * jobs(args.jobs).min(jobs(None)) as f64;
    let budget = speed * time.as_secs_f64() * ROUND;
    let fits = |samples: &u32| Size { samples: *samples, ..size }.fast_round() as f64 <= budget;
    let samples = SAMPLES.rev().find(fits).unwrap_or(*SAMPLES.start());
    if !args.quiet {
        tell(format_args!(
            "cairn: {} executions a second: {} samples a round (--samples says otherwise)\n",
            grouped(speed as u64),
            grouped(samples.into())
        ));
    }
    Ok(Size { samples, ..size })
}

/// Executions in a second of one campaign.
fn speed(args: &LearnArgs, plan: &Plan, time: Duration) -> Result<f64, Failure> {
    let length = Length { seed: args.seed, execs: args.execs, time: Some(time / 20), random_start: true };
    let trial = plan.run("parametric", 0, length, |_| ())?;
    let Some(trial) = trial else {
        return Err(Failure::new(
            "stopped before anything was learnt, or before the program was ready to run",
        ));
    };
    if trial.summary.notes.stop == StopReason::Done {
        return Err(Failure::new(format_args!(
            "there is nothing to learn: all paths of this program that are known with this input are tried after {}; if that is a \
             surprise, `cairn doctor` says why (--samples N learns all the same)",
            counted(trial.summary.executions, "execution", "executions")
        )));
    }
    Ok((trial.summary.executions as f64 / trial.summary.elapsed_seconds.max(1e-3)).max(1.0))
}

fn write_weights(args: &LearnArgs, learnt: &Learnt, best: &Best, task: &Task) -> Result<(), Failure> {
    let name = args.out.file_stem().unwrap_or_default().to_string_lossy();
    let how = if task.published { "find, check and refine as published" } else { "halving and racing" };
    let obtained = Obtained {
        how: format!("learnt: {how}, mean of {}", counted(best.trials.into(), "campaign", "campaigns")),
        rounds: Some(learnt.rounds.into()),
        executions: Some(task.size.executions),
        mean_coverage: Some(best.mean),
        date: None,
    };
    let mut weights = sample::weights(&name, &best.weights, obtained);
    weights.target = Some(target::name(&args.subject.target));
    std::fs::write(&args.out, weights.to_toml()).map_err(|error| Failure::cannot("write", &args.out, &error))
}

fn tell_result(args: &LearnArgs, learnt: &Learnt, best: &Best, task: &Task) -> Result<(), Failure> {
    let file = args.out.display();
    print(format_args!(
        "{file}: {:.1} branches on average of {} ({} each), {}{}\n\
         use it with --strategy parametric:{file}; `cairn explain {file}` says what it likes\n",
        best.mean,
        counted(best.trials.into(), "campaign", "campaigns"),
        counted(task.size.executions, "execution", "executions"),
        counted(learnt.rounds.into(), "round", "rounds"),
        if learnt.stopped { "; not done yet: --resume goes on" } else { "" },
    ))
}
