//! `cairn learn`: learns weights of the parametric strategy for one program.
//!
//! Every measurement is in a journal beside the weights. Learning is a function of the measurements, so an
//! interrupted one is resumed by starting again: what the journal knows is not measured twice.

mod journal;
mod measure;
mod progress;
mod sample_weights;

use crate::digest::{Fingerprint, fingerprint};
use crate::error::Error;
use crate::numbers::{counted, grouped};
use crate::target;
use crate::trial::{Length, Plan, jobs};
use cairn_campaign::StopReason;
use cairn_learn::{Best, Learnt, Size, fast, published};
use cairn_search::{Feature, Obtained};
use journal::{Journal, Task};
use measure::Measurer;
pub use progress::LearnProgress;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Part of the time that finding and checking once may take, so that there is a second round and half a third;
/// a chosen share.
const ROUND: f64 = 0.4;
/// Samples of a round: at least what halving needs to mean something, at most as many as were published.
const SAMPLES: std::ops::RangeInclusive<u32> = 24..=Size::PUBLISHED.samples;

/// Samples that fast learning checks; a chosen number.
const FAST_TOP: u32 = 6;

/// Settings of learning.
#[derive(Clone, Debug)]
pub struct LearnSettings {
    /// Files of the target, which the weights are named after.
    pub target: Vec<PathBuf>,
    /// Arguments of the program.
    pub args: Vec<OsString>,
    /// The file of weights to write.
    pub out: PathBuf,
    /// True if learning is as published: a whole campaign for every sample.
    pub published: bool,
    /// Samples of a round, if not as many as there is time for.
    pub samples: Option<u32>,
    /// Samples to check.
    pub top: Option<u32>,
    /// Most campaigns for each sample that is checked.
    pub trials: u32,
    /// Most rounds.
    pub rounds: u32,
    /// Seed of all random choices.
    pub seed: u64,
    /// Executions of a whole campaign.
    pub execs: u64,
    /// Time for all of it.
    pub time: Option<Duration>,
    /// Campaigns at a time, if not one per core.
    pub jobs: Option<u64>,
    /// True if an interrupted learning is resumed.
    pub resume: bool,
    /// True if old weights and their journal may be replaced.
    pub force: bool,
}

/// Callbacks of learning; called from several threads.
pub trait LearnObserver: Sync {
    /// Returns where progress is counted, when campaigns are about to begin.
    fn start(&self, end: Option<Instant>) -> Result<&Mutex<LearnProgress>, Error>;

    /// A campaign is done.
    fn done(&self, progress: &LearnProgress);

    /// No more campaigns follow.
    fn end(&self);

    /// Shows a remark.
    fn notify(&self, text: &str);
}

/// The result of learning.
pub struct Learning {
    /// Rounds and the end.
    pub learnt: Learnt,
    /// The best weights.
    pub best: Best,
    /// Executions of each campaign.
    pub executions: u64,
}

/// Learns, and writes the weights.
pub fn learn(settings: &LearnSettings, plan: &Plan, observer: &dyn LearnObserver) -> Result<Learning, Error> {
    let started = Instant::now();
    let journal = if settings.resume {
        Journal::open(&settings.out, &plan.spec.path, input_fingerprint(settings, plan))?
    } else {
        Journal::may_create(&settings.out, settings.force)?;
        Journal::create(&settings.out, task(settings, plan, observer)?)?
    };
    let mut measurer = Measurer::new(plan, settings, journal, started, observer)?;
    let learnt = run(&mut measurer);
    measurer.finish()?;
    let Some(best) = learnt.best.clone() else {
        return Err(Error::new(format_args!(
            "nothing was checked in this time; go on with --resume, or start over with fewer --samples or more \
             --time (measurements so far are in {})",
            Journal::path(&settings.out).display()
        )));
    };
    let task = measurer.journal().task();
    write_weights(settings, &learnt, &best, task)?;
    Ok(Learning { executions: task.size.executions, learnt, best })
}

fn run(measurer: &mut Measurer) -> Learnt {
    let Task { published: as_published, size, .. } = *measurer.journal().task();
    if as_published {
        return published(Feature::COUNT, size, measurer);
    }
    fast(sample_weights::LENGTH, size, &sample_weights::known(), measurer)
}

fn task(settings: &LearnSettings, plan: &Plan, observer: &dyn LearnObserver) -> Result<Task, Error> {
    Ok(Task {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        target: fingerprint(&plan.spec.path)?,
        input: input_fingerprint(settings, plan),
        published: settings.published,
        size: size(settings, plan, observer)?,
    })
}

/// Returns the fingerprint of what campaigns run on besides the program: measurements on other input do not compare.
fn input_fingerprint(settings: &LearnSettings, plan: &Plan) -> u64 {
    let mut print = Fingerprint::default();
    for input in plan.inputs() {
        print.number(input.objects.len() as u64);
        for object in &input.objects {
            print.number(object.kind as u64).bytes(object.name.as_bytes()).number(object.index.into());
            print.bytes(&object.bytes).number(object.limit as u64);
        }
    }
    for arg in &settings.args {
        print.bytes(arg.as_encoded_bytes());
    }
    print.number(plan.spec.timeout.as_nanos() as u64).finish()
}

/// Returns how much is to be measured. Unless the user says how many samples, as many as there is time for.
fn size(settings: &LearnSettings, plan: &Plan, observer: &dyn LearnObserver) -> Result<Size, Error> {
    let size = Size {
        samples: settings.samples.unwrap_or(*SAMPLES.end()),
        top: settings.top.unwrap_or(if settings.published { Size::PUBLISHED.top } else { FAST_TOP }),
        trials: settings.trials,
        executions: settings.execs,
        rounds: settings.rounds,
        seed: settings.seed,
    };
    let Some(time) = settings.time.filter(|_| !settings.published && settings.samples.is_none()) else {
        return Ok(size);
    };
    // More campaigns than cores are no faster.
    let speed = speed(settings, plan, time)? * jobs(settings.jobs).min(jobs(None)) as f64;
    let budget = speed * time.as_secs_f64() * ROUND;
    let fits = |samples: &u32| Size { samples: *samples, ..size }.fast_round() as f64 <= budget;
    let samples = SAMPLES.rev().find(fits).unwrap_or(*SAMPLES.start());
    observer.notify(&format!(
        "{} executions per second: {} samples per round (override with --samples)",
        grouped(speed as u64),
        grouped(samples.into())
    ));
    Ok(Size { samples, ..size })
}

/// Measures the executions per second of one campaign.
fn speed(settings: &LearnSettings, plan: &Plan, time: Duration) -> Result<f64, Error> {
    let length =
        Length { seed: settings.seed, execs: settings.execs, time: Some(time / 20), random_start: true };
    let trial = plan.run("parametric", 0, length, |_| ())?;
    let Some(trial) = trial else {
        return Err(Error::new("stopped before anything was learnt, or before the program was ready to run"));
    };
    if trial.summary.notes.stop == StopReason::Done {
        return Err(Error::new(format_args!(
            "there is nothing to learn: no flips are left on this program and input after {}; if that is a \
             surprise, `cairn doctor` says why (--samples N learns all the same)",
            counted(trial.summary.executions, "execution", "executions")
        )));
    }
    Ok((trial.summary.executions as f64 / trial.summary.elapsed_seconds.max(1e-3)).max(1.0))
}

fn write_weights(settings: &LearnSettings, learnt: &Learnt, best: &Best, task: &Task) -> Result<(), Error> {
    let name = settings.out.file_stem().unwrap_or_default().to_string_lossy();
    let how = if task.published { "find, check and refine as published" } else { "halving and racing" };
    let obtained = Obtained {
        how: format!("learnt: {how}, mean of {}", counted(best.trials.into(), "campaign", "campaigns")),
        rounds: Some(learnt.rounds.into()),
        executions: Some(task.size.executions),
        mean_coverage: Some(best.mean),
        date: None,
    };
    let mut weights = sample_weights::weights(&name, &best.weights, obtained);
    weights.target = Some(target::name(&settings.target));
    std::fs::write(&settings.out, weights.to_toml())
        .map_err(|error| Error::cannot("write", &settings.out, error))
}
