//! What the layers have done, in one shape for all of them.

use crate::Answer;
use crate::tape::Evaluations;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// What one layer did by itself: a question that it hands down was asked of it, but not answered by it.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Questions asked.
    pub asked: u64,
    /// Questions answered with a model.
    pub sat: u64,
    /// Questions shown to have no model.
    pub unsat: u64,
    /// Questions that end here without an answer.
    pub unknown: u64,
    /// Wall time without that of the layers below.
    pub seconds: f64,
}

impl Tally {
    /// Questions with an answer.
    pub fn decided(&self) -> u64 {
        self.sat + self.unsat
    }

    fn plus(self, other: Tally) -> Tally {
        Tally {
            asked: self.asked + other.asked,
            sat: self.sat + other.sat,
            unsat: self.unsat + other.unsat,
            unknown: self.unknown + other.unknown,
            seconds: self.seconds + other.seconds,
        }
    }

    /// Questions that went no further.
    pub fn answered(&self) -> u64 {
        self.sat + self.unsat + self.unknown
    }
}

/// The tally of every layer.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Layers {
    /// Leaves out constraints that do not matter.
    pub slice: Tally,
    /// Remembers.
    pub cache: Tally,
    /// Tries all values.
    pub enumerate: Tally,
    /// Tries old answers.
    pub reuse: Tally,
    /// Searches among numbers.
    pub walk: Tally,
    /// Asks Z3.
    pub smt: Tally,
    /// Checks models: its questions are models, its unknowns those refused.
    pub validate: Tally,
}

/// Totals since a solver was made; each layer fills in its own part.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Stats {
    /// All layers together.
    pub total: Tally,
    /// Each layer by itself.
    pub layers: Layers,
    /// Questions that ran into the time limit.
    pub time_limits: u64,
    /// Constraints in all questions.
    pub constraints: u64,
    /// Constraints left after slicing.
    pub sliced_constraints: u64,
    /// Evaluations of constraints by local search.
    pub evaluations: Evaluations,
    /// CPU time of a backend in a process of its own.
    pub worker_cpu: Duration,
}

impl std::iter::Sum for Stats {
    fn sum<I: Iterator<Item = Stats>>(all: I) -> Stats {
        all.fold(Stats::default(), Stats::plus)
    }
}

impl Stats {
    /// What two solvers have done together.
    fn plus(self, other: Stats) -> Stats {
        Stats {
            total: self.total.plus(other.total),
            layers: self.layers.plus(other.layers),
            time_limits: self.time_limits + other.time_limits,
            constraints: self.constraints + other.constraints,
            sliced_constraints: self.sliced_constraints + other.sliced_constraints,
            evaluations: self.evaluations.plus(other.evaluations),
            worker_cpu: self.worker_cpu + other.worker_cpu,
        }
    }
}

impl Layers {
    fn plus(self, other: Layers) -> Layers {
        Layers {
            slice: self.slice.plus(other.slice),
            cache: self.cache.plus(other.cache),
            enumerate: self.enumerate.plus(other.enumerate),
            reuse: self.reuse.plus(other.reuse),
            walk: self.walk.plus(other.walk),
            smt: self.smt.plus(other.smt),
            validate: self.validate.plus(other.validate),
        }
    }
}

/// Keeps a layer's tally.
#[derive(Default)]
pub(crate) struct Meter {
    counts: Tally,
    time: Duration,
}

impl Meter {
    /// A question has come; what is given is when the layer's work on it began.
    pub(crate) fn begin(&mut self) -> Instant {
        self.counts.asked += 1;
        Instant::now()
    }

    /// The layer has worked since then, and now others do.
    pub(crate) fn spent(&mut self, since: Instant) {
        self.time += since.elapsed();
    }

    /// The layer has worked since then, and this is its own answer.
    pub(crate) fn answer(&mut self, since: Instant, answer: Answer) -> Answer {
        self.spent(since);
        match answer {
            Answer::Sat(_) => self.counts.sat += 1,
            Answer::Unsat => self.counts.unsat += 1,
            Answer::Unknown(_) => self.counts.unknown += 1,
        }
        answer
    }

    pub(crate) fn tally(&self) -> Tally {
        Tally { seconds: self.time.as_secs_f64(), ..self.counts }
    }
}
