//! What a journal is made of.

use super::delta::Delta;
use crate::corpus::{Keep, Origin};
use crate::gaps::Gap;
use crate::settings::Settings;
use cairn_exec::Input;
use cairn_expr::InputByte;
use cairn_solver::{Answer, Model, Unknown};
use serde::{Deserialize, Serialize};

/// What a campaign is, whatever its budgets: another one cannot go on with its journal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Charter {
    /// Of the target's file.
    target: u64,
    /// The target's name, and its arguments.
    command: Vec<String>,
    /// Checksum of the inputs to begin with.
    inputs: u32,
    random_start: bool,
    strategy: String,
    seed: u64,
    workers: usize,
    /// When it began, in seconds since 1970.
    pub started: u64,
}

impl Charter {
    pub fn new(settings: &Settings, started: u64) -> Charter {
        let Settings { target, random_start, seed, workers, .. } = *settings;
        let (command, strategy) = (settings.command.clone(), settings.strategy.clone());
        let inputs = checksum(&settings.inputs);
        Charter { target, command, inputs, random_start, strategy, seed, workers, started }
    }

    /// In what a campaign differs from this one, in words.
    pub fn difference(&self, other: &Charter) -> Option<String> {
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
    crc32fast::hash(&postcard::to_stdvec(&deltas).expect("inputs can be written"))
}

/// Something that the rest of a campaign depends on, and that does not follow from what came before.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Record {
    /// The solver was asked.
    Asked(Asked),
    /// An input was run.
    Ran(Ran),
    /// From here on a question may take so many microseconds.
    Insisted(u64),
    /// The solver was to let go of what it remembers.
    Forgot,
    /// A worker waits for others, since what is left of the budget may be theirs.
    Slept(WorkerId),
    /// A worker had nothing to do before, and looks what others have done.
    Woke(WorkerId),
}

impl Record {
    /// The worker whose turn begins with it; of what happens within a turn nobody's.
    pub fn worker(&self) -> Option<WorkerId> {
        match self {
            Record::Asked(asked) => Some(asked.worker),
            Record::Ran(ran) => Some(ran.worker),
            Record::Woke(worker) => Some(*worker),
            Record::Insisted(_) | Record::Forgot | Record::Slept(_) => None,
        }
    }
}

/// One of those that choose, ask and run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct WorkerId(pub u8);

impl WorkerId {
    /// The one that begins.
    pub const FIRST: WorkerId = WorkerId(0);

    /// The others, if there are so many in all.
    pub fn others(workers: usize) -> impl Iterator<Item = WorkerId> {
        (1..workers).map(|number| WorkerId(number as u8))
    }

    /// Its place among them.
    pub fn index(self) -> usize {
        self.0.into()
    }
}

/// A question to the solver.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Asked {
    pub worker: WorkerId,
    /// Tells it from others: see [`super::Question`].
    pub check: [u8; 2],
    pub micros: u64,
    pub told: Told,
}

/// An answer; its model only if it took long to find.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Told {
    Sat(Option<Vec<(u32, u32, u8)>>),
    Unsat,
    Unknown,
}

impl Told {
    pub fn new(answer: &Answer, took_long: bool) -> Told {
        let model = |model: &Model| model.iter().map(|(at, value)| (at.object, at.offset, value)).collect();
        match answer {
            Answer::Sat(found) => Told::Sat(took_long.then(|| model(found))),
            Answer::Unsat => Told::Unsat,
            Answer::Unknown(_) => Told::Unknown,
        }
    }

    /// The answer as far as it was told.
    pub fn answer(&self) -> Answer {
        let byte = |&(object, offset, value): &(u32, u32, u8)| (InputByte { object, offset }, value);
        match self {
            Told::Sat(model) => Answer::Sat(model.iter().flatten().map(byte).collect()),
            Told::Unsat => Answer::Unsat,
            Told::Unknown => Answer::Unknown(Unknown::TimeLimit),
        }
    }

    pub fn is_like(&self, answer: &Answer) -> bool {
        matches!(
            (self, answer),
            (Told::Sat(_), Answer::Sat(_))
                | (Told::Unsat, Answer::Unsat)
                | (Told::Unknown, Answer::Unknown(_))
        )
    }
}

/// A run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Ran {
    pub worker: WorkerId,
    /// Since the run before.
    pub millis: u32,
    pub origin: Origin,
    /// The run that the input was made from.
    pub base: Option<u32>,
    /// Against the base's input as its run saw it; the first run's if there is no base.
    pub input: Delta,
    /// Nothing if no server survived it.
    pub seen: Option<Seen>,
}

/// What a run showed that does not follow from running its input again.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Seen {
    /// What the run made of its input, by asking for more objects; nothing if it is what it was.
    pub input: Option<Delta>,
    /// How it was when its time was up, if it was.
    pub timeout: Option<Timeout>,
    /// Branches of the user's that it was the first to take.
    pub new_branches: Vec<u32>,
    /// The files that its input was kept as.
    pub kept: Vec<Keep>,
    /// Why its path is not all there is to know; the same run made again may not show it.
    pub gaps: Vec<Gap>,
}

/// A run whose time was up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Timeout {
    /// Decisions until then.
    pub steps: u32,
    /// Whether it ended in time when nothing was recorded.
    pub is_only_slow: bool,
}
