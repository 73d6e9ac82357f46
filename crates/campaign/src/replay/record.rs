//! The records of a journal.

use super::delta::Delta;
use crate::observe::gaps::Gap;
use crate::settings::Settings;
use crate::store::corpus::{KeptInput, Origin};
use cairn_exec::Input;
use cairn_expr::InputByte;
use cairn_mutate::pieces::Lesson;
use cairn_solver::{Answer, Model, Unknown};
use serde::{Deserialize, Serialize};

/// Settings that identify a campaign, without its budgets. A journal can only be resumed with the same
/// identity.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct CampaignIdentity {
    /// Checksum of the target.
    target: u64,
    /// Name of the target, and its arguments.
    command: Vec<String>,
    /// Checksum of the initial inputs.
    inputs: u32,
    random_start: bool,
    strategy: String,
    seed: u64,
    workers: usize,
    /// Start of the campaign, in seconds since 1970.
    pub started: u64,
}

impl CampaignIdentity {
    /// Returns the identity of a campaign with these settings.
    pub fn new(settings: &Settings, started: u64) -> CampaignIdentity {
        let Settings { target, random_start, seed, workers, .. } = *settings;
        let (command, strategy) = (settings.command.clone(), settings.strategy.clone());
        let inputs = checksum(&settings.inputs);
        CampaignIdentity { target, command, inputs, random_start, strategy, seed, workers, started }
    }

    /// Describes the difference to the identity `other`; None if they are the same.
    pub fn difference(&self, other: &CampaignIdentity) -> Option<String> {
        if self.target != other.target {
            return Some("it explores another program, or another build of it".to_owned());
        }
        if self.command != other.command {
            return Some(format!("it runs `{}`", self.command.join(" ")));
        }
        if self.strategy != other.strategy {
            return Some(format!("its strategy is {}", self.strategy));
        }
        if self.seed != other.seed {
            return Some(format!("its seed is {}", self.seed));
        }
        if self.workers != other.workers {
            return Some(format!("it has --workers {}", self.workers));
        }
        let is_same_start = (self.inputs, self.random_start) == (other.inputs, other.random_start);
        (!is_same_start).then(|| "it began with another input (--sym-… or --seeds)".to_owned())
    }
}

fn checksum(inputs: &[Input]) -> u32 {
    let deltas: Vec<Delta> = inputs.iter().map(|input| Delta::new(&Input::default(), input)).collect();
    crc32fast::hash(&postcard::to_stdvec(&deltas).expect("inputs can be encoded"))
}

/// An event that the rest of the campaign depends on and that does not follow from earlier ones. The encoding
/// depends on the order of the variants.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Record {
    /// A query was solved.
    Query(QueryRecord),
    /// An input was executed.
    Run(RunRecord),
    /// A round of queries for all unanswered flips began, each with this effort in microseconds.
    RaiseLimit(u64),
    /// The solvers dropped their caches.
    DropCaches,
    /// A worker waits for others, since they may use up the remaining executions.
    Wait(WorkerId),
    /// A worker that had been waiting continues.
    Wake(WorkerId),
    /// A worker queries a deferred flip again.
    Retry(WorkerId),
    /// All runs were forgotten; those that follow are numbered from 0.
    Forget,
    /// A batch of mutants was executed for their coverage.
    Mutants(MutantsRecord),
}

impl Record {
    /// Returns the worker whose critical section begins with this record; None for records within one.
    pub fn worker(&self) -> Option<WorkerId> {
        match self {
            Record::Query(query) => Some(query.worker),
            Record::Run(run) => Some(run.worker),
            Record::Wake(worker) => Some(*worker),
            Record::Mutants(mutants) => Some(mutants.worker),
            Record::RaiseLimit(_)
            | Record::DropCaches
            | Record::Wait(_)
            | Record::Retry(_)
            | Record::Forget => None,
        }
    }
}

/// Number of a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct WorkerId(pub u8);

impl WorkerId {
    /// The worker that executes the initial inputs.
    pub const FIRST: WorkerId = WorkerId(0);

    /// Returns the other workers of a campaign with this many.
    pub fn others(workers: usize) -> impl Iterator<Item = WorkerId> {
        (1..workers).map(|number| WorkerId(number as u8))
    }

    /// Returns the number as an index.
    pub fn index(self) -> usize {
        self.0.into()
    }
}

/// A query and its answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct QueryRecord {
    pub worker: WorkerId,
    /// Distinguishes it from others: see [`super::cursor::fingerprint`].
    pub fingerprint: [u8; 2],
    pub micros: u64,
    /// Nominal time of the engines, in microseconds.
    pub effort: u64,
    pub answer: RecordedAnswer,
}

/// An answer; with its model only if it took long to find.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum RecordedAnswer {
    Sat(Option<Vec<(u32, u32, u8)>>),
    Unsat,
    Unknown,
}

impl RecordedAnswer {
    /// Converts an answer; `with_model` stores the model too.
    pub fn new(answer: &Answer, with_model: bool) -> RecordedAnswer {
        let model = |model: &Model| model.iter().map(|(at, value)| (at.object, at.offset, value)).collect();
        match answer {
            Answer::Sat(found) => RecordedAnswer::Sat(with_model.then(|| model(found))),
            Answer::Unsat => RecordedAnswer::Unsat,
            Answer::Unknown(_) => RecordedAnswer::Unknown,
        }
    }

    /// Returns the answer, as far as it was recorded.
    pub fn answer(&self) -> Answer {
        let byte = |&(object, offset, value): &(u32, u32, u8)| (InputByte { object, offset }, value);
        match self {
            RecordedAnswer::Sat(model) => Answer::Sat(model.iter().flatten().map(byte).collect()),
            RecordedAnswer::Unsat => Answer::Unsat,
            RecordedAnswer::Unknown => Answer::Unknown(Unknown::TimeLimit),
        }
    }

    /// True if both answers are satisfiable, unsatisfiable or unknown.
    pub fn agrees_with(&self, answer: &Answer) -> bool {
        matches!(
            (self, answer),
            (RecordedAnswer::Sat(_), Answer::Sat(_))
                | (RecordedAnswer::Unsat, Answer::Unsat)
                | (RecordedAnswer::Unknown, Answer::Unknown(_))
        )
    }
}

/// A run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct RunRecord {
    pub worker: WorkerId,
    /// Time since the previous run.
    pub millis: u32,
    pub origin: Origin,
    /// Run that the input is derived from.
    pub base: Option<u32>,
    /// Difference to the final input of the base; of the first run if there is no base.
    pub input: Delta,
    /// None if no fork server survived it.
    pub result: Option<RunResult>,
}

/// A batch of mutants. The replay of a journal does not execute them again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct MutantsRecord {
    pub worker: WorkerId,
    /// Run whose input was mutated.
    pub base: u32,
    /// Time since the previous run or batch.
    pub millis: u32,
    pub executions: u64,
    /// Their cost, in thousandths of a mean run with tracing and solving.
    pub cost: u64,
    /// Number of mutants that were stopped at a limit.
    pub stopped: u64,
    /// Mutants that are executed again, with tracing: their runs follow, unless the campaign was killed before.
    pub kept: Vec<KeptMutant>,
    /// Lessons of mutants made of pieces; none for other mutants.
    pub lessons: Option<PieceLessons>,
}

/// Lessons of a batch about the pieces of a producer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct PieceLessons {
    /// Site of the producer.
    pub producer: u32,
    pub lessons: Vec<Lesson>,
}

/// A mutant that is executed again.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct KeptMutant {
    /// Difference to the final input of the base.
    pub input: Delta,
    /// Branches for which it is executed again.
    pub new_branches: Vec<u32>,
    /// Fingerprint of the crash for which it is executed again.
    pub crash: Option<u64>,
}

impl KeptMutant {
    /// True if it has shown something new, not only reached a limit.
    pub fn is_find(&self) -> bool {
        !self.new_branches.is_empty() || self.crash.is_some()
    }
}

/// Result of a run, as far as it does not follow from executing its input again.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct RunResult {
    /// Change of the input by the run, which requested more objects; None if it is unchanged.
    pub input: Option<Delta>,
    /// State at the time limit, if it was reached.
    pub timeout: Option<TimeoutRecord>,
    /// Branches of the user's code that it was the first to cover.
    pub new_branches: Vec<u32>,
    /// Files that its input was kept as.
    pub kept: Vec<KeptInput>,
    /// Gaps of the run, which its replay may not show.
    pub gaps: Vec<Gap>,
}

/// A run that reached its time limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct TimeoutRecord {
    /// Number of steps until then.
    pub steps: u32,
    /// True if it ended in time without tracing.
    pub is_only_slow: bool,
    /// True if it was stopped early, at the site of a known hang.
    pub is_early: bool,
    /// Its time limit, in milliseconds.
    pub limit: u32,
}
